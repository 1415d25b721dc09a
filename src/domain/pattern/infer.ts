import { decay, weightAt } from './learn.ts'
import type { Inference, KeptPattern } from './schema.ts'

/** Equal answers before one is expected. */
export const leastEqual = 3
const many = 10
const surest = 0.95
const longAgoDays = 60
/** The confidence that is left if program and host are not known to be the same. */
const elsewhere = 0.8

export type PatternEvidence = {
  patterns: readonly Pick<KeptPattern, 'responses'>[]
  /** Patterns of several keys, combined because the key is incomplete. */
  merged: boolean
  /** Why nothing may be expected at all. */
  never: string | null
}

type InferredAnswer = {
  response: string
  count: number
  successCount: number
  weight: number
  lastAt: string
  recent: string
}

export function infer({ patterns, merged, never }: PatternEvidence, now: number): Inference {
  if (never !== null)
    return { expected: null, confidence: 0, occurrences: 0, successRate: 0, alternatives: [], warnings: [never] }
  const answers = together(patterns, now)
  const occurrences = answers.reduce((sum, { count }) => sum + count, 0)
  const weight = answers.reduce((sum, answer) => sum + answer.weight, 0)
  const judge = (answer: InferredAnswer) => {
    const usual = 0.7 * (answer.weight / weight) + 0.3 * rateOf(answer) + (occurrences >= many ? 0.05 : 0)
    const sure = Math.min(surest, usual) * faded(answer.lastAt, now) * (merged ? elsewhere : 1)
    const { response, count } = answer
    return { response, count, successRate: rounded(rateOf(answer)), confidence: rounded(sure) }
  }
  const [top, ...others] = answers
  if (!top) return { ...nothing, warnings: ['this was not answered before'] }
  const failed = failures(top.recent)
  // An answer that failed three times in a row is not suggested.
  const isExpected = top.count >= leastEqual && failed < 3
  const best = judge(top)
  const warnings = [
    ...(merged ? [mergedWords(patterns.length)] : []),
    ...(failed === 0 ? [] : [failedWords(failed, top.recent.length)]),
    ...(top.count < leastEqual ? [fewWords(top.count)] : []),
    ...(daysSince(top.lastAt, now) > longAgoDays ? [`last answered ${daysSince(top.lastAt, now)} days ago`] : []),
  ]
  return {
    expected: isExpected ? top.response : null,
    confidence: isExpected ? best.confidence : 0,
    occurrences,
    successRate: isExpected ? best.successRate : rounded(rateOf(sumOf(answers))),
    alternatives: (isExpected ? others : answers).map(judge),
    warnings,
  }
}

const nothing: Inference = {
  expected: null,
  confidence: 0,
  occurrences: 0,
  successRate: 0,
  alternatives: [],
  warnings: [],
}

/** Equal answers of all patterns combined, with their current weight; the heaviest first. */
function together(patterns: PatternEvidence['patterns'], now: number): InferredAnswer[] {
  const found = new Map<string, InferredAnswer>()
  const oldestFirst = patterns
    .flatMap(({ responses }) => responses)
    .filter(({ count }) => count > 0)
    .toSorted((a, b) => (a.lastAt < b.lastAt ? -1 : 1))
  for (const { response, count, successCount, weight, lastAt, recent } of oldestFirst) {
    const before = found.get(response) ?? { response, count: 0, successCount: 0, weight: 0, lastAt, recent: '' }
    found.set(response, {
      response,
      count: before.count + count,
      successCount: before.successCount + successCount,
      weight: before.weight + weightAt(weight, lastAt, now),
      lastAt,
      recent: (before.recent + recent).slice(-3),
    })
  }
  return [...found.values()].toSorted(
    (a, b) => b.weight - a.weight || b.count - a.count || (a.response < b.response ? -1 : 1),
  )
}

const rateOf = ({ count, successCount }: Pick<InferredAnswer, 'count' | 'successCount'>): number =>
  count === 0 ? 0 : successCount / count

const sumOf = (answers: readonly InferredAnswer[]) => ({
  count: answers.reduce((sum, { count }) => sum + count, 0),
  successCount: answers.reduce((sum, { successCount }) => sum + successCount, 0),
})

/** Old answers count little, but more than nothing. */
const faded = (lastAt: string, now: number): number => Math.max(0.3, decay(now - Date.parse(lastAt)))
const daysSince = (lastAt: string, now: number): number => Math.floor((now - Date.parse(lastAt)) / 86_400_000)

const rounded = (value: number): number => Math.round(value * 1000) / 1000
const failures = (recent: string): number => recent.split('f').length - 1

const mergedWords = (count: number): string =>
  count === 1
    ? 'seen elsewhere or in an unnamed program; the confidence is lowered'
    : `combined from ${count} patterns of other programs, hosts or directories; the confidence is lowered`
const failedWords = (failed: number, of: number): string =>
  of === 1 ? 'this answer failed the last time' : `this answer failed ${failed} of the last ${of} times`
const fewWords = (count: number): string =>
  `answered ${count === 1 ? 'once' : `${count} times`} so far; from ${leastEqual} equal answers on one is expected`
