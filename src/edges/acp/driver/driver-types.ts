import type { LoggedEvent } from '../../../app/events.ts'
import type { AgentAbout } from '../../../domain/agent/about.ts'
import type { Message } from '../../../domain/message/schema.ts'
import type { SessionId } from '../../../domain/session/id.ts'
import type { SessionStatus } from '../../../domain/session/status.ts'
import type { Json } from '../../../lib/json.ts'
import type { Result } from '../../../lib/result.ts'
import type { Answers } from '../../../app/answers.ts'
import type { HandshakeInput } from '../wire/handshake.ts'
import type { WorkspaceFiles, SharedDeps, UndoPoints } from '../deps.ts'
import type { HeldCall, Notes } from '../transcript/recorder.ts'
import type { AgentTerminals } from '../calls/terminal-calls.ts'

export type DriverDeps = {
  shared: SharedDeps
  sessionId: SessionId
  childId: string
  workspace: string
  status: SessionStatus
  answers: Answers
  files: WorkspaceFiles
  undo: UndoPoints
  terminals: AgentTerminals
  agent: { dialect: 'acp' | 'intercom'; quirks: { missingFileIsEmpty: boolean } }
  stored: { offset: number; notes: Notes; about: AgentAbout; held: readonly HeldCall[] } | null
  messages: readonly Message[]
  /** Nothing is left of it here. */
  gone(): void
}

/** One agent we host: its lines in, our answers out, one turn after the other. */
export type Driver = {
  readonly childId: string
  /** When its process was met. */
  metAt(): string
  /** A new process: introduces itself; then its session is active. */
  begin(
    handshake: Handshake,
    activate: 'session.activate' | 'session.recover',
    /** When the process before it was last heard. */
    since?: string,
  ): Promise<Result<void>>
  /** A process that was there before this server. */
  adopt(): Promise<void>
  heard(event: LoggedEvent): void
  cancelTurn(): Promise<boolean>
  setMode(modeId: string): Promise<Result<void>>
  setOption(optionId: string, value: string | boolean): Promise<Result<void>>
  conversations(): Promise<Result<Json>>
  /** Ends the agent: asked first, then by force. Done when nothing of it is left. */
  end(options?: { keepAsks: boolean }): Promise<void>
  /** The server goes, the agent stays. */
  release(): Promise<void>
  /** The keeper is gone, and the agent with it. */
  lost(): Promise<void>
}

export type Handshake = Omit<HandshakeInput, 'settle' | 'replaying' | 'version' | 'ownServer'> & {
  confinement: string
} & Pick<AgentAbout, 'budget' | 'worktree'>
