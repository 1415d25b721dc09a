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
  /** Called when nothing of the agent is left here. */
  gone(): void
}

/** One hosted agent: reads its messages, answers its calls, runs one turn at a time. */
export type Driver = {
  readonly childId: string
  /** When the handshake with its process began. */
  metAt(): string
  /** For a new process: performs the handshake, then activates the session. */
  begin(
    handshake: Handshake,
    activate: 'session.activate' | 'session.recover',
    /** When the previous process last sent something. */
    since?: string,
  ): Promise<Result<void>>
  /** For a process that an earlier server started. */
  adopt(): Promise<void>
  heard(event: LoggedEvent): void
  cancelTurn(): Promise<boolean>
  setMode(modeId: string): Promise<Result<void>>
  setOption(optionId: string, value: string | boolean): Promise<Result<void>>
  conversations(): Promise<Result<Json>>
  /** Ends the agent: asks first, then kills. Resolves when nothing of it is left. */
  end(options?: { keepAsks: boolean }): Promise<void>
  /** The server stops, the agent keeps running. */
  release(): Promise<void>
  /** The keeper is gone, and so is the agent. */
  lost(): Promise<void>
}

export type Handshake = Omit<HandshakeInput, 'settle' | 'replaying' | 'version' | 'ownServer'> & {
  confinement: string
} & Pick<AgentAbout, 'budget' | 'worktree'>
