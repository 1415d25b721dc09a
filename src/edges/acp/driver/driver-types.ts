import type { Exit } from '../../../keeper-client/client.ts'
import type { LoggedEvent } from '../../../app/events.ts'
import type { AgentAbout } from '../../../domain/agent/about.ts'
import type { Message } from '../../../domain/message/schema.ts'
import type { SessionId } from '../../../domain/session/id.ts'
import type { SessionStatus } from '../../../domain/session/status.ts'
import type { Json } from '../../../lib/json.ts'
import type { Result } from '../../../lib/result.ts'
import type { ChosenAtStart } from '../../../app/hosting.ts'
import type { Answers } from '../../../app/answers.ts'
import type { HandshakeInput } from '../wire/handshake.ts'
import type { WorkspaceFiles, SharedDeps, UndoPoints } from '../deps.ts'
import type { HeldCall, Notes } from '../transcript/recorder.ts'
import type { Activation } from './activation.ts'
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
  /** Saves a new file in the workspace. */
  save(path: string, bytes: Buffer): Promise<Result<void>>
  /** How long it may be idle before it is put to sleep; null: until a slot is needed. */
  sleepMs: number | null
  agent: { dialect: 'acp' | 'intercom'; quirks: { missingFileIsEmpty: boolean } }
  stored: { offset: number; notes: Notes; about: AgentAbout; held: readonly HeldCall[] } | null
  /** What its last process reported; kept until the next one says otherwise, so that a kill in between loses nothing. */
  known: AgentAbout | null
  messages: readonly Message[]
  /** Whether the end was not the agent's own, so that the session can be recovered. */
  isLost(exit: Exit): boolean
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
    activate: Activation,
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
} & Pick<AgentAbout, 'budget' | 'worktree'> & {
    /** The model and effort to use, and which of them a variable already says. */
    choices: {
      readonly wanted: { readonly model: string | null; readonly effort: string | null }
      readonly told: { readonly model: boolean; readonly effort: boolean }
    } | null
    chosen?: ChosenAtStart | undefined
    /** What its session says about MCP servers that it does not get. */
    leftOut: string | null
    /** What the agent is told before the first prompt of a new conversation. */
    briefing: string | null
  }
