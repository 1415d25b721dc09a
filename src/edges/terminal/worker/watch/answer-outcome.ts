import type { Clock } from '../../../../lib/clock.ts'
import type { Occurrence } from './prompt-identity.ts'
import type { LogicalLine } from './screen-text.ts'
import type { AnswerOutcome } from './types.ts'
import type { PromptType } from '../../../../domain/terminal/verdict.ts'
import { holds, type PromptPosition } from './prompt-position.ts'

const goingOnMs = 2000
/** Programs take a while to reject a password. */
const secretMs = 5000
const longestMs = 30_000

type OpenAnswer = { occurrence: Occurrence; at: number; secret: boolean; printed: number; timer: Disposable | null }

type Deps = {
  clock: Clock
  outcome(outcome: AnswerOutcome): void
  /** Bytes printed so far. */
  printed(): number
  /** The kernel says that the program is working. */
  busy(): boolean
  lines(): readonly LogicalLine[]
}

/** Determines the outcome of the last answer. */
export function createAnswerOutcome({ clock, outcome, printed, busy, lines }: Deps) {
  let open: OpenAnswer | null = null

  function settle(sequel: Sequel): void {
    if (!open) return
    const { occurrence, timer } = open
    timer?.[Symbol.dispose]()
    open = null
    const answered = { type: occurrence.prompt.type, stand: occurrence.stand }
    outcome({ promptId: occurrence.prompt.id, success: judgeOutcome(answered, sequel, lines()) })
  }

  function arm(): void {
    if (!open) return
    const ms = open.secret ? secretMs : goingOnMs
    open.timer = clock.at(clock.now() + ms, () => {
      if (!open) return
      const stirred = printed() > open.printed || busy()
      if (stirred || clock.now() - open.at >= longestMs) settle({ kind: 'time', stirred })
      else arm()
    })
  }

  return {
    answered(occurrence: Occurrence, secret: boolean): void {
      settle({ kind: 'time', stirred: true })
      open = { occurrence, at: clock.now(), secret, printed: printed(), timer: null }
      arm()
    },
    asked(key: string): void {
      settle({ kind: 'prompt', same: key === open?.occurrence.key })
    },
    exited(code: number | null): void {
      settle({ kind: 'exit', code })
    },
    get pending(): boolean {
      return open !== null
    },
    [Symbol.dispose](): void {
      open?.timer?.[Symbol.dispose]()
      open = null
    },
  }
}

/** What followed an answer. */
type Sequel =
  | { kind: 'prompt'; same: boolean }
  | { kind: 'exit'; code: number | null }
  /** Only time passed: the program keeps running, or has not reacted at all. */
  | { kind: 'time'; stirred: boolean }

type AnsweredPrompt = { type: PromptType; stand: PromptPosition }

/** Whether an answer was accepted. Null: unknown. */
function judgeOutcome({ type, stand }: AnsweredPrompt, sequel: Sequel, lines: readonly LogicalLine[]): boolean | null {
  if (sequel.kind === 'exit' && sequel.code !== 0) return sequel.code === null ? null : false
  if (sequel.kind === 'time' && !sequel.stirred) return null
  // A shell shows the same prompt for the next command, and a program that reads silently asks nothing.
  if (sequel.kind === 'prompt' && sequel.same && type !== 'command' && stand.isSeen) return false
  return !saysError(linesAfter(lines, stand, sequel.kind === 'prompt'))
}

/** What was printed right after the answer, and right before what came next. */
function linesAfter(lines: readonly LogicalLine[], stand: PromptPosition, prompted: boolean): string[] {
  const cursor = lines.findIndex((line) => line.cursor)
  const end = prompted && cursor !== -1 ? cursor : lines.length
  const start = lines.slice(0, end).findLastIndex(({ text }) => holds(text, stand.line))
  if (start === -1) return []
  const texts = lines.slice(start + 1, end).map(({ text }) => text)
  const told = texts.filter((text) => text !== '')
  return [...told.slice(0, first), ...told.slice(first).slice(-last)]
}

const first = 5
const last = 2

// What programs say when an answer was not accepted.
const latin =
  /(?<![\p{L}\d-])(?:errors?|invalid|incorrect|wrong|denied|failed|failure|failing|not found|no such|unknown|illegal|unrecogni[sz]ed|sorry|try again|mismatch|(?:do|does|did) not match|don't match|not allowed|unable to|cannot|can't|refused|fatal|exception|traceback|fehler|ungültige?[rsn]?|falsche?[rsn]?|verweigert|fehlgeschlagen|nicht gefunden|erreur|invalide|refusée?|échec|échoué|introuvable|inválid[oa]|incorrect[oa]|denegad[oa]|falló|no encontrad[oa])(?![\p{L}-])/iu
const others = /错误|无效|失败|拒绝|找不到|不正确|エラー|無効|失敗|拒否|見つかりません|正しくありません|誤り/u
const harmless = /(?<![\p{L}\d])(?:0|no|without|zero|ohne|keine|sans|sin)\s+(?:errors?|failures?|fehler|erreurs?)/giu

const saysError = (lines: readonly string[]): boolean =>
  lines.some((line) => {
    const rest = line.replaceAll(harmless, '')
    return latin.test(rest) || others.test(rest)
  })
