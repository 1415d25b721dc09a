import type { Ask } from '../domain/ask/schema.ts'

/** The result of an ask for the waiting tool; `open`: nobody decided, and nobody will. */
export type ToolVerdict = {
  readonly decision: 'allow' | 'deny' | 'open'
  readonly why: string
  /** The agent must stop. */
  readonly stop?: true
}

/** `who` is the name of the answerer, if known. */
export function verdictOf(
  ask: Pick<Ask, 'status' | 'answer' | 'automatic' | 'answeredBy'>,
  who: string | null,
): ToolVerdict {
  const { answer, status } = ask
  if (answer === null) return { decision: 'open', why: endings[status] ?? `The ask is ${status}.` }
  const by = ask.automatic ? ` (${ask.answeredBy ?? 'policy'})` : who === null ? '' : ` by ${who}`
  const reason = 'reason' in answer && answer.reason ? `: ${answer.reason}` : '.'
  return answer.outcome === 'approve'
    ? { decision: 'allow', why: `Approved in Signalbox${by}${reason}` }
    : { decision: 'deny', why: `Rejected in Signalbox${by}${reason}` }
}

const endings: Partial<Record<Ask['status'], string>> = {
  open: 'Nobody has decided yet.',
  expired: 'Nobody decided in time.',
  cancelled: 'The ask was withdrawn.',
  interrupted: 'The session ended before anyone decided.',
}
