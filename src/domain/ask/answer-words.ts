import type { Outcome } from './answer.ts'
import { groupMeant } from './new-chat.ts'
import type { Ask } from './schema.ts'
import type { PermissionOption } from './subject.ts'

type Answered = Pick<Ask, 'answer' | 'subject'> & { readonly retractedAt?: string | null }

/** Past-tense labels of outcomes. */
export const verbs: Readonly<Record<Outcome, string>> = {
  approve: 'Approved',
  reject: 'Rejected',
  select: 'Answered',
  continue: 'Continued',
  refine: 'Refined',
  resume: 'Resumed',
  stop: 'Stopped',
  reply: 'Answered',
  accept: 'Filled in',
  decline: 'Declined',
}

const optionVerbs: Readonly<Record<PermissionOption['kind'], string>> = {
  allow_once: 'Allowed',
  allow_always: 'Allowed, always',
  reject_once: 'Rejected',
  reject_always: 'Rejected, always',
}

/** The option that was chosen from the agent's own list. */
export function optionOf({ answer, subject }: Answered): PermissionOption | null {
  if (answer?.outcome !== 'select' || subject.kind !== 'permission') return null
  return subject.options.find(({ optionId }) => optionId === answer.optionId) ?? null
}

/** `Approved`, `Rejected` …, worded for the kind of ask. */
export function verbOf(ask: Answered): string {
  const { answer, retractedAt = null } = ask
  if (answer === null) return 'Answered'
  if (retractedAt !== null) return 'Retracted'
  if (answer.outcome === 'approve' && answer.always) return 'Approved, always'
  const option = optionOf(ask)
  return option === null ? verbs[answer.outcome] : optionVerbs[option.kind]
}

/** The name of the agent group that was chosen for a new chat. */
export function chosenGroup({ subject, answer }: Answered): string | null {
  if (subject.kind !== 'new_chat' || answer === null) return null
  const id = groupMeant(subject, answer)
  return subject.groups?.find((one) => one.id === id)?.name ?? null
}
