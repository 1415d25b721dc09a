import type { SessionDetail } from '../../../../src/client/contract/sessions.ts'
import type { QueueItem } from '../../../../src/domain/queue/schema.ts'
import { IconButton } from '../../../ui/button.tsx'
import { clip, safeText } from '../../../ui/safe-text.ts'
import { useSessionAction } from '../session-query.ts'

const places: Readonly<Record<QueueItem['when'], string>> = {
  now: 'next',
  next: 'after the turn',
  later: 'when nothing else is queued',
}
const order: readonly QueueItem['when'][] = ['now', 'next', 'later']

/** Queued messages in the order they are sent. */
export function QueueList({ session, mayAct }: { session: SessionDetail; mayAct: boolean }) {
  const drop = useSessionAction<QueueItem>(session.id, {
    failed: 'Not removed',
    run: (client, item) => client.dropQueued({ params: { id: session.id, itemId: item.id } }),
    foresee: ({ queue }, item) => ({ queue: queue.filter(({ id }) => id !== item.id) }),
  })
  const waiting = session.queue
    .filter(({ status }) => status === 'waiting')
    .toSorted((a, b) => order.indexOf(a.when) - order.indexOf(b.when) || a.createdAt.localeCompare(b.createdAt))
  if (waiting.length === 0) return null
  return (
    <ul aria-label="Queued messages" className="mb-2 flex max-h-40 flex-col gap-1 overflow-y-auto">
      {waiting.map((item) => (
        <li key={item.id} className="flex items-center gap-2 rounded-lg bg-sunken py-0.5 pr-1 pl-3 text-sm">
          <span className="min-w-0 flex-1 truncate" title={clip(safeText(item.text), 1000)}>
            {clip(safeText(item.text.slice(0, 300)), 200)}
          </span>
          <span className="shrink-0 text-soft">{places[item.when]}</span>
          {mayAct && <IconButton icon="cross" label="Remove" onClick={() => drop.mutate(item)} />}
        </li>
      ))}
    </ul>
  )
}
