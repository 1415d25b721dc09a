import type { SessionId } from '../../domain/session/id.ts'

/** In ascending order of urgency. */
export const severities = ['low', 'medium', 'high', 'critical'] as const
export type Severity = (typeof severities)[number]

export const kinds = [
  'ask',
  'prompt',
  'error',
  'warning',
  'alert',
  'session',
  'turn',
  'message',
  'tool',
  'instruction',
  'checkpoint',
  'output',
] as const
export type ItemKind = (typeof kinds)[number]

/** One reported event, before it is cut to the available space. */
export type Item = {
  readonly at: string
  readonly sessionId: SessionId | null
  readonly severity: Severity
  readonly kind: ItemKind
  readonly text: string
  /** Its context: the command, the trace, the lines above a prompt. */
  readonly context: readonly string[]
  /** Items of a session with the same value are reported once, with a count. Null: never folded. */
  readonly likeness: string | null
  readonly times: number
  /** The last of the folded items. */
  readonly last: string | null
  readonly askId: string | null
}

const rank: Readonly<Record<Severity, number>> = { low: 0, medium: 1, high: 2, critical: 3 }

/** Above zero if the first one is more severe. */
export const bySeverity = (a: Severity, b: Severity): number => rank[a] - rank[b]

export const isImportant = ({ severity }: Pick<Item, 'severity'>): boolean => bySeverity(severity, 'high') >= 0

const plain = { context: [], likeness: null, times: 1, last: null, askId: null }

export const item = (
  made: Pick<Item, 'at' | 'sessionId' | 'severity' | 'kind' | 'text'> &
    Partial<Pick<Item, 'context' | 'likeness' | 'askId'>>,
): Item => ({ ...plain, ...made })

/** One line of at most this many characters. */
export function oneLine(text: string, longest: number): string {
  const line = text
    .slice(0, longest * 4)
    .replaceAll(/\s+/g, ' ')
    .trim()
  return line.length > longest ? `${line.slice(0, longest - 1).replace(/[\uD800-\uDBFF]$/, '')}…` : line
}
