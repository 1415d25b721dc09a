import { countOf } from './budget.ts'
import { severities, type Item } from './item.ts'

const several = (count: number, one: string, many = `${one}s`): string => `${count} ${count === 1 ? one : many}`

/** A summary in a sentence or two, for readers who read nothing else. `waiting`: what waits for an answer now. */
export function summaryOf(items: readonly Item[], facts: { asks: number; prompts: number; more: boolean }): string {
  const counts = countOf(items)
  const parts = severities.toReversed().flatMap((each) => (counts[each] > 0 ? [`${counts[each]} ${each}`] : []))
  const sessions = new Set(items.flatMap(({ sessionId }) => sessionId ?? [])).size
  const what =
    items.length === 0
      ? 'Nothing new.'
      : `${several(items.length, 'thing')} happened in ${several(sessions, 'session')}: ${parts.join(', ')}.`
  const waiting = [
    ...(facts.asks > 0 ? [several(facts.asks, 'ask')] : []),
    ...(facts.prompts > 0 ? [several(facts.prompts, 'terminal')] : []),
  ]
  const waits = facts.asks + facts.prompts === 1 ? 'waits' : 'wait'
  return [
    what,
    ...(waiting.length > 0 ? [`${waiting.join(' and ')} ${waits} for an answer.`] : []),
    ...(facts.more ? ['More: continue with the cursor.'] : []),
  ].join(' ')
}
