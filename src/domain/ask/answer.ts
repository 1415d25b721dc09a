import * as z from 'zod'
import { Json } from '../../lib/json.ts'
import { groupMeant } from './new-chat.ts'
import { outcomesOf } from './outcomes.ts'
import { groupKinds } from './kinds.ts'
import type { AskKind, AskSubject } from './subject.ts'

const words = z.string().max(1_000_000)
const reason = words.nullable().default(null)

export const Answer = z
  .discriminatedUnion('outcome', [
    /** `always` suggests a policy rule; it never creates one. */
    z.object({
      outcome: z.literal('approve'),
      always: z.boolean().default(false),
      /** The same is allowed without asking until the session ends, or until it is revoked. */
      forSession: z.boolean().optional(),
      reason,
      /** For a new chat: the id or name of the agent group that will listen there. */
      group: words.optional(),
    }),
    z.object({ outcome: z.literal('reject'), reason }),
    z.object({ outcome: z.literal('select'), optionId: words, reason }),
    z.object({ outcome: z.literal('continue') }),
    z.object({ outcome: z.literal('refine'), instruction: words.min(1) }),
    z.object({ outcome: z.literal('resume'), instruction: words.nullable().default(null) }),
    z.object({ outcome: z.literal('stop'), reason }),
    z.object({
      outcome: z.literal('reply'),
      value: words,
      /** The person was asked again: a dangerous prompt of a terminal needs it. */
      confirmed: z.boolean().optional(),
    }),
    z.object({ outcome: z.literal('accept'), content: Json }),
    z.object({ outcome: z.literal('decline'), reason }),
  ])
  .meta({ id: 'Answer' })
export type Answer = z.infer<typeof Answer>
export type Outcome = Answer['outcome']

/** Asks whose answer has an effect: they move to `applying` and end as consumed or failed. */
const kindsWithEffect: readonly AskKind[] = ['diff', ...groupKinds]
export const hasEffect = (kind: AskKind, answer: Answer): boolean =>
  kindsWithEffect.includes(kind) && answer.outcome === (kind === 'credential' ? 'reply' : 'approve')

/** Nothing more happens with it. What changes an agent group is over once it was carried out. */
export const isSettled = ({
  kind,
  status,
  answer,
}: {
  kind: AskKind
  status: string
  answer: Answer | null
}): boolean =>
  status !== 'open' &&
  !(
    (groupKinds as readonly AskKind[]).includes(kind) &&
    (status === 'applying' || (status === 'answered' && answer !== null && hasEffect(kind, answer)))
  )

/** Whether several people can be required to consent. */
export const canBeShared = (kind: AskKind): boolean =>
  kind === 'permission' || kind === 'credential' || outcomesOf[kind].includes('approve')

/** The plain consent that a policy may give; null if the kind has none. */
export function consentTo({ kind }: AskSubject): Answer | null {
  if (kind === 'prompt') return { outcome: 'continue' }
  return canBeShared(kind) && kind !== 'credential' ? { outcome: 'approve', always: false, reason: null } : null
}

/** Stands for an answer that is never stored. */
export const redacted = '[REDACTED]'

/** Whether the answer lets the agent do something. Only such answers are votes; any other closes the ask. */
export function isConsent(subject: AskSubject, answer: Answer): boolean {
  if (subject.kind === 'credential') return answer.outcome === 'reply'
  if (subject.kind !== 'permission' || answer.outcome !== 'select') return answer.outcome === 'approve'
  return subject.options.some((option) => option.optionId === answer.optionId && option.kind.startsWith('allow'))
}

/** Why this answer does not fit this ask; null if it does. */
export function misfit(subject: AskSubject, answer: Answer): string | null {
  const allowed = outcomesOf[subject.kind]
  if (!allowed.includes(answer.outcome))
    return `Invalid outcome ${answer.outcome}: a ${subject.kind.replaceAll('_', ' ')} ask is answered with ${allowed.join(', ')}.`
  if (subject.kind === 'permission' && answer.outcome === 'select') {
    const offered = subject.options.map((option) => option.optionId)
    if (!offered.includes(answer.optionId)) return `The agent offered ${offered.join(', ')}, not ${answer.optionId}.`
  }
  if (subject.kind === 'permission' && answer.outcome === 'approve') {
    const once = subject.options.some((option) => option.kind === 'allow_once')
    const offered = subject.options.map((option) => option.optionId)
    if (!once) return `The agent offers no way to allow it once; select one of ${offered.join(', ')}.`
  }
  if (subject.kind === 'question' && answer.outcome === 'reply' && !subject.freeText) {
    const offered = subject.options.map((option) => option.value)
    if (!offered.includes(answer.value)) return `Choose one of ${offered.join(', ')}.`
  }
  if (subject.kind === 'terminal_prompt' && answer.outcome === 'reply') return notTypable(answer.value)
  // The value is sealed first; it must not get into the tables or the log.
  if (subject.kind === 'credential' && answer.outcome === 'reply' && answer.value !== redacted)
    return 'A credential is given in the dashboard or with signalbox answer, not here.'
  if (answer.outcome === 'approve' && answer.group !== undefined) {
    if (subject.kind !== 'new_chat') return 'Only a new chat takes an agent group.'
    const offered = (subject.groups ?? []).map(({ name }) => name)
    if (groupMeant(subject, answer) === undefined)
      return offered.length === 0 ? 'There is no other agent group.' : `Choose one of ${offered.join(', ')}.`
  }
  return null
}

/** Why the person must be asked again before this is typed into a terminal; null if they need not. */
export function unconfirmedDanger(subject: AskSubject, answer: Answer): string | null {
  if (subject.kind !== 'terminal_prompt' || !subject.dangerous) return null
  if (answer.outcome !== 'reply' || answer.confirmed === true) return null
  return subject.dangerReason ?? 'its answer may do damage'
}

/** Text typed into a prompt must not also answer the next prompt. */
function notTypable(value: string): string | null {
  // oxlint-disable-next-line no-control-regex
  if (/[\x00-\x08\x0a-\x1f\x7f]/.test(value.replace(/\r?\n$/, '')))
    return 'Terminal input must be one line without control characters.'
  return new TextEncoder().encode(value).length >= longestLine
    ? `A terminal takes at most ${longestLine} bytes in a line: give a shorter answer.`
    : null
}

/** The kernel drops everything beyond this length. */
const longestLine = 4095
