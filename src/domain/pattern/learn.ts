import type { PromptType } from '../terminal/schema.ts'
import type { PatternKey } from './key.ts'
import type { KeptPattern, KeptResponse, PatternChange } from './schema.ts'

/** Open questions have endless answers; those with the least weight are dropped. */
export const mostResponses = 100

type Learned = Extract<PatternChange, { type: 'pattern.learned' }>
export type GivenAnswer = { response: string; at: string; success: boolean | null; witnessed: boolean }

/** One more answer to a question. */
export function learn(
  before: KeptPattern | undefined,
  key: PatternKey,
  promptType: PromptType,
  answered: GivenAnswer,
): { after: KeptPattern; changed: KeptResponse[]; dropped: string[] } {
  const { response, at, success } = answered
  const known = before?.responses.find((one) => one.response === response)
  const now: KeptResponse = {
    response,
    count: (known?.count ?? 0) + 1,
    successCount: (known?.successCount ?? 0) + (success === true ? 1 : 0),
    weight: known ? weightPlusOne(known, at) : 1,
    lastAt: known ? later(known.lastAt, at) : at,
    recent: addOutcome(known?.recent ?? '', success),
  }
  const others = before?.responses.filter((one) => one !== known) ?? []
  const dropped = others.length < mostResponses ? [] : lightest(others, others.length - mostResponses + 1, at)
  const after: KeptPattern = {
    id: key.id,
    userId: key.userId,
    promptText: key.promptText,
    promptType,
    context: key.context,
    createdAt: before === undefined || at < before.createdAt ? at : before.createdAt,
    lastSeen: before ? later(before.lastSeen, at) : at,
    responses: [now, ...others.filter((one) => !dropped.includes(one.response))],
    streak: streakAfter(before?.streak ?? null, answered),
  }
  return { after, changed: [now], dropped }
}

/** The outcome of an answer is known later, and may be corrected. */
export function judged(
  before: KeptPattern,
  answered: GivenAnswer,
  success: boolean,
): { after: KeptPattern; changed: KeptResponse[] } | null {
  const known = before.responses.find((one) => one.response === answered.response)
  if (!known) return null
  const gained = (success ? 1 : 0) - (answered.success === true ? 1 : 0)
  const successCount = Math.min(known.count, Math.max(0, known.successCount + gained))
  const now: KeptResponse = { ...known, successCount, recent: addOutcome(known.recent, success) }
  const { streak } = before
  const extendsStreak =
    success && answered.success === null && answered.witnessed && streak?.response === answered.response
  const after: KeptPattern = {
    ...before,
    responses: before.responses.map((one) => (one === known ? now : one)),
    streak: success ? (extendsStreak ? { ...streak, count: streak.count + 1 } : streak) : null,
  }
  return { after, changed: [now] }
}

export const learnedChange = (
  { responses, ...pattern }: KeptPattern,
  changed: readonly KeptResponse[],
  dropped: readonly string[] = [],
): Learned => ({
  type: 'pattern.learned',
  data: {
    id: pattern.id,
    userId: pattern.userId,
    occurrences: responses.reduce((sum, { count }) => sum + count, 0),
  },
  body: { pattern, changed, dropped },
})

/** A different or failed answer resets the streak; only witnessed answers extend it. */
function streakAfter(
  streak: KeptPattern['streak'],
  { response, success, witnessed }: GivenAnswer,
): KeptPattern['streak'] {
  if (success === false) return null
  const count = streak?.response === response ? streak.count : 0
  return { response, count: count + (success === true && witnessed ? 1 : 0) }
}

function weightPlusOne({ weight, lastAt }: KeptResponse, at: string): number {
  const [then, now] = [Date.parse(lastAt), Date.parse(at)]
  return now >= then ? weightAt(weight, lastAt, now) + 1 : weight + decay(then - now)
}

/** The last outcomes, oldest first: s for success, f for failure. */
const addOutcome = (recent: string, success: boolean | null): string =>
  success === null ? recent : (recent + (success ? 's' : 'f')).slice(-3)

const later = (one: string, other: string): string => (one > other ? one : other)

const lightest = (responses: readonly KeptResponse[], count: number, at: string): string[] =>
  responses
    .map(({ response, weight, lastAt }) => ({ response, weight: weightAt(weight, lastAt, Date.parse(at)) }))
    .toSorted((a, b) => a.weight - b.weight)
    .slice(0, count)
    .map(({ response }) => response)

const halfLifeMs = 30 * 86_400_000

/** What is left of a weight of 1 after this time. A clock that went back does not increase it. */
export const decay = (ageMs: number): number => 0.5 ** (Math.max(0, ageMs) / halfLifeMs)

/** A weight, converted to another time. */
export const weightAt = (weight: number, then: string, now: number): number => weight * decay(now - Date.parse(then))
