import type { SessionId } from '../domain/session/id.ts'
import type { PromptType, Terminal, TerminalType } from '../domain/terminal/schema.ts'
import type { Choice, DecidedBy, Evidence } from '../domain/terminal/verdict.ts'
import type { Actor } from '../domain/user/actor.ts'
import type { Failed, Result } from '../lib/result.ts'

/** The request for a terminal: a program to run, or a log to follow. */
export type TerminalStart = {
  sessionId: SessionId | null
  sessionType: TerminalType
  logFile: string | null
  typescript: boolean
  filePosition: number | null
  command: readonly string[] | null
  cwd: string | null
  host: string | null
  user: string | null
  name: string | null
  parentSessionId: SessionId | null
  metadata: Readonly<Record<string, string>>
  cols: number
  rows: number
  actor: Actor
  /** A person or the policy has seen the agent's command. */
  approved?: boolean
}

/** What a terminal is waiting for, as last detected. */
export type Detection = {
  waiting: boolean
  state: 'working' | 'waiting' | 'exited'
  /** Identifies this occurrence of the prompt; answers refer to it. */
  promptId: string | null
  promptText: string
  promptType: PromptType
  confidence: number
  matchedPattern: string
  filePosition: number
  timestamp: string
  isDangerous: boolean
  dangerReason: string | null
  decidedBy: DecidedBy
  suggestedInputs: readonly string[]
  choices: readonly Choice[]
  default: string | null
  secret: boolean
  evidence: readonly Evidence[]
}

export type Updates = { text: string; cursor: string; epoch: number; truncated: boolean; hasMore: boolean }
/** A line as shown on the screen, and when it began. */
export type Printed = { readonly line: string; readonly at: string }
/** `ansi` redraws the screen; `scrollback` includes the lines above it. */
export type ScreenFormat = 'text' | 'ansi' | 'scrollback'
export type UpdatesFormat = 'text' | 'ansi' | 'screen'

export type InputStatus = 'delivered' | 'refused_stale' | 'refused_unreadable' | 'unverified'

export type SearchQuery = {
  query: string
  regex: boolean
  sessionId: SessionId | null
  since: string | null
  until: string | null
  contextLines: number
  maxResults: number
}
export type Match = {
  sessionId: SessionId
  line: string
  offset: number
  at: string
  before: readonly string[]
  after: readonly string[]
}
export type SearchAnswer = { matches: readonly Match[]; truncated: boolean; didYouMean: readonly string[] }

/** What the terminal edge offers to the edges that people and agents use. Every call names its actor. */
export type Terminals = {
  /** Whether it could be started, checked before anyone is asked to approve it. */
  check(input: TerminalStart): Promise<Result<void>>
  start(input: TerminalStart): Promise<Result<Terminal>>
  /** Adopts a program that `signalbox run` started in the keeper. */
  adopt(childId: string, actor: Actor): Promise<Result<Terminal>>
  /** Newest first; those before a place in the list, if one is given. */
  list(
    actor: Actor,
    page: {
      state?: 'active' | 'stopped' | undefined
      limit?: number | undefined
      before?: { createdAt: string; id: string } | undefined
    },
  ): Promise<Result<{ terminal: Terminal; detection: Detection | null }[]>>
  get(id: SessionId, actor: Actor): Promise<Result<{ terminal: Terminal; detection: Detection | null }>>
  /** Stops watching, never the program. */
  stop(id: SessionId, actor: Actor): Promise<Result<{ terminal: Terminal; bytesCaptured: number }>>
  /** Hangs up: the program ends too. */
  end(id: SessionId, actor: Actor): Promise<Result<Terminal>>
  detect(id: SessionId, actor: Actor): Promise<Result<Detection>>
  /** `cursor` comes from the last call; null: from the first byte kept. */
  updates(
    id: SessionId,
    input: { cursor: string | null; maxLines: number; format: UpdatesFormat },
    actor: Actor,
  ): Promise<Result<Updates>>
  /** Updates as text, with the time of each line. */
  printed(
    id: SessionId,
    input: { cursor: string | null; maxLines: number },
    actor: Actor,
  ): Promise<Result<Omit<Updates, 'text'> & { lines: readonly Printed[] }>>
  /** The current screen, and its offset in the output. */
  screen(
    id: SessionId,
    format: ScreenFormat,
    actor: Actor,
  ): Promise<Result<{ screen: string; offset: number; cols: number; rows: number }>>
  /** Why the actor may not type into it; null if they may. Checked before a person is asked to approve. */
  mayType(id: SessionId, actor: Actor): Promise<Failed | null>
  input(input: {
    id: SessionId
    text: string
    keys: readonly string[]
    pressEnter: boolean
    /** The prompt this answers; null: whichever is waiting. */
    expectPrompt: string | null
    secret: boolean
    /** A person or the policy has seen what an agent wants to type at a command line. */
    approved?: boolean
    /** The person was asked again, because the prompt is dangerous. */
    confirmed?: boolean
    /** Input with the same key is typed once. */
    key?: string
    actor: Actor
  }): Promise<Result<{ status: InputStatus; screenAfter: string }>>
  resize(id: SessionId, size: { cols: number; rows: number }, actor: Actor): Promise<Result<void>>
  /** Output from an offset, then live, until the signal or the end. */
  live(id: SessionId, from: number, actor: Actor, signal: AbortSignal): Promise<Result<ReadableStream<Uint8Array>>>
  /** The whole recording as an asciicast of this version. */
  cast(id: SessionId, version: 2 | 3, actor: Actor): Promise<Result<ReadableStream<Uint8Array>>>
  search(query: SearchQuery, actor: Actor): Promise<Result<SearchAnswer>>
}
