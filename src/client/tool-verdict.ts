import type { Ask } from '../domain/ask/schema.ts'

/** What an ask means for the tool that waits for it; `open`: nobody decided, and nobody will. */
export type ToolVerdict = {
  readonly decision: 'allow' | 'deny' | 'open'
  readonly why: string
  /** The agent is to stop altogether. */
  readonly stop?: true
}

/** `who` names whoever answered, where that is known. */
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
  interrupted: 'The session ended before anybody decided.',
}
