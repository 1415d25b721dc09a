import type { Detection, ScreenFormat } from '../../app/terminals.ts'
import type { Looks } from '../../domain/terminal/looks.ts'
import type { Fault, Result } from '../../lib/result.ts'
import type { KeyboardAnswer, Foreground, AnswerOutcome } from './worker/watch/types.ts'

/** What the worker needs to open a terminal. */
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

/** The state of a terminal that an answer is checked against when it is typed. */
export type TypingContext = {
  detection: Detection
  /** The prompt was seen just now; false: it is known from before, and nothing contradicts it. */
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
  looks: Looks
  /** Null: it is hidden. */
  cursorRow: number | null
}

export type Question = { what: 'detect' } | { what: 'typing_context' } | { what: 'screen'; format: ScreenFormat }

/** Main thread → worker. */
export type Order =
  | { op: 'open'; opening: Opening }
  | { op: 'bytes'; id: string; offset: number; bytes: Uint8Array }
  /** `secret`: the sender said so, whatever the screen shows. */
  | { op: 'typed'; id: string; bytes: Uint8Array; by: string; secret: boolean; to: number; inputs: number }
  | { op: 'probed'; id: string; n: number; foreground: (Foreground & { to: number }) | null }
  | { op: 'resize'; id: string; cols: number; rows: number; to: number }
  | { op: 'exit'; id: string; code: number | null }
  /** Whether there are live readers: then recorded output comes with `taken`. */
  | { op: 'readers'; id: string; some: boolean }
  | { op: 'close'; id: string }
  | { op: 'ask'; n: number; id: string; question: Question }

/** Worker → main thread. */
export type Report =
  /** Recorded up to here: earlier bytes can be dropped. `position` counts bytes of the program's output or of the log. */
  | { op: 'taken'; id: string; position: number; recorded: number; epoch: number; fresh: Uint8Array | null }
  | { op: 'state'; id: string; detection: Detection; program: string }
  /** Asks the keeper what runs in the foreground: as the ancestor it may look where we may not. */
  | { op: 'probe'; id: string; n: number }
  /** What the terminal itself answers to the program. */
  | { op: 'reply'; id: string; text: string }
  | { op: 'entered'; id: string; entered: KeyboardAnswer; program: string }
  | { op: 'outcome'; id: string; outcome: AnswerOutcome }
  | { op: 'trouble'; id: string; fault: Fault | null }
  | { op: 'opened'; id: string; position: number }
  | { op: 'closed'; id: string; recorded: number }
  /** Watching it failed. */
  | { op: 'failed'; id: string; recorded: number }
  | { op: 'answer'; n: number; answer: Result<unknown> }
