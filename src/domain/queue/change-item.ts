import { fail, notFound, ok, type Result } from '../../lib/result.ts'
import { sha256 } from '../../lib/secret.ts'
import type { QueueChange, QueueCommand, QueueItem, QueueItemId, QueuePlace } from './schema.ts'

/** A waiting item, and what decides its position among those of its place. */
export type Ranked = { readonly id: QueueItemId; readonly when: QueuePlace; readonly rank: number }

type ChangeCommand = Extract<QueueCommand, { type: 'queue.change' }>

/** Other words, another place or another position of a waiting item; nothing if it would be as before. */
export function changedItem(
  item: QueueItem,
  { text, when = item.when, before }: ChangeCommand,
  waiting: readonly Ranked[],
  by: string,
): Result<QueueChange[]> {
  const { id, sessionId } = item
  const ranks = before === undefined || before === id ? ok([]) : newRanks(id, when, before, waiting)
  if (!ranks.ok) return ranks
  const newText = text === undefined || text === item.text ? null : text
  const moved = ranks.value.length > 0
  if (newText === null && when === item.when && !moved) return ok([])
  const textHash = newText === null ? null : sha256(newText)
  const data = { id, sessionId, when, textHash, moved, by }
  return ok([{ type: 'queue.changed', data, body: { text: newText, ranks: ranks.value } }])
}

/** The items of one place exchange their positions, so that later ones still come last. */
function newRanks(
  id: QueueItemId,
  when: QueuePlace,
  before: QueueItemId | null,
  waiting: readonly Ranked[],
): Result<{ id: QueueItemId; rank: number }[]> {
  const own = waiting.find((item) => item.id === id)
  const others = waiting.filter((item) => item.when === when && item.id !== id)
  const at = before === null ? others.length : others.findIndex((item) => item.id === before)
  if (at < 0) return waiting.some((item) => item.id === before) ? fail(elsewhere) : notFound('queue_item', before ?? '')
  if (!own) return ok([])
  const inOrder = others.toSpliced(at, 0, { ...own, when })
  const positions = inOrder.map(({ rank }) => rank).toSorted((a, b) => a - b)
  return ok(
    inOrder.flatMap((item, index) => {
      const rank = positions[index] ?? item.rank
      return rank === item.rank ? [] : [{ id: item.id, rank }]
    }),
  )
}

const elsewhere = {
  kind: 'conflict' as const,
  code: 'other_place',
  message: 'The other message waits for another moment.',
  hint: 'Give both the same `when` first.',
}
