import type { Detection, ScreenFormat } from '../../app/terminals.ts'
import type { Fault, Result } from '../../lib/result.ts'
import type { KeyboardAnswer, Foreground, AnswerOutcome } from './worker/watch/types.ts'

/** A terminal as the worker is told of it. */
export type Opening = {
  id: string
  /** Of its recording. */
  directory: string
  cols: number
  rows: number
  title: string
  startedAt: string
  /** A program in the keeper, or a log. */
  source:
    | { kind: 'pty'; tty: string | null; remote: boolean; from: number; inputs: number }
    | {
        kind: 'file'
        path: string
        position: number
        epoch: number
        typescript: boolean
        roots: readonly string[] | null
      }
  masks: readonly string[]
  totalBytes: number
}

/** What an answer is checked against at the moment it is typed. */
export type TypingContext = {
  detection: Detection
  /** This very look saw the prompt; false: it is known from before, and nothing speaks against it. */
  isSure: boolean
  /** The cursor's line up to the cursor. */
  line: string
  /** Where the program's own output ended when this was seen. */
  to: number
  inputs: number
  waits: { pid: number; mark: string } | null
  mode: { echo: boolean; canonical: boolean } | null
  bracketedPaste: boolean
  applicationCursor: boolean
  screen: string
}

export type Question = { what: 'detect' } | { what: 'typing_context' } | { what: 'screen'; format: ScreenFormat }

/** Main thread → worker. */
export type Order =
  | { op: 'open'; opening: Opening }
  | { op: 'bytes'; id: string; offset: number; bytes: Uint8Array }
  | { op: 'typed'; id: string; bytes: Uint8Array; by: string; to: number; inputs: number }
  | { op: 'probed'; id: string; n: number; foreground: (Foreground & { to: number }) | null }
  | { op: 'resize'; id: string; cols: number; rows: number; to: number }
  | { op: 'exit'; id: string; code: number | null }
  /** Whether somebody reads along: then what was recorded comes with `taken`. */
  | { op: 'readers'; id: string; some: boolean }
  | { op: 'close'; id: string }
  | { op: 'ask'; n: number; id: string; question: Question }

/** Worker → main thread. */
export type Report =
  /** Recorded up to here: what came before may go. `position` counts what the program printed, or the log's bytes. */
  | { op: 'taken'; id: string; position: number; recorded: number; epoch: number; fresh: Uint8Array | null }
  | { op: 'state'; id: string; detection: Detection; program: string }
  /** Asks the keeper what runs in the foreground: as its ancestor it may look where we may not. */
  | { op: 'probe'; id: string; n: number }
  /** What a terminal says to the program by itself. */
  | { op: 'reply'; id: string; text: string }
  | { op: 'entered'; id: string; entered: KeyboardAnswer; program: string }
  | { op: 'outcome'; id: string; outcome: AnswerOutcome }
  | { op: 'trouble'; id: string; fault: Fault | null }
  | { op: 'opened'; id: string; position: number }
  | { op: 'closed'; id: string; recorded: number }
  /** It could not be looked after any longer. */
  | { op: 'failed'; id: string; recorded: number }
  | { op: 'answer'; n: number; answer: Result<unknown> }
