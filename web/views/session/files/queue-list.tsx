import { useState } from 'react'
import type { SessionDetail } from '../../../../src/client/contract/sessions.ts'
import type { QueueItem } from '../../../../src/domain/queue/schema.ts'
import { Button, IconButton } from '../../../ui/button.tsx'
import { Dialog, DialogActions } from '../../../ui/dialog.tsx'
import { TextArea } from '../../../ui/field.tsx'
import { Menu, type MenuItem } from '../../../ui/menu.tsx'
import { clip, safeText } from '../../../ui/safe-text.ts'
import { useSessionAction } from '../session-hooks.ts'

const places: Readonly<Record<QueueItem['when'], string>> = {
  now: 'next',
  next: 'after the turn',
  later: 'when nothing else is queued',
}
const order: readonly QueueItem['when'][] = ['now', 'next', 'later']

type Change = { item: QueueItem; body: { text?: string; when?: QueueItem['when']; before?: QueueItem['id'] | null } }

/** Queued messages in the order they are sent. */
export function QueueList({ session, mayAct }: { session: SessionDetail; mayAct: boolean }) {
  const { id } = session
  const [edited, setEdited] = useState<QueueItem | null>(null)
  const drop = useSessionAction<QueueItem>(id, {
    failed: 'Not removed',
    run: (client, item) => client.dropQueued({ params: { id, itemId: item.id } }),
    foresee: ({ queue }, item) => ({ queue: queue.filter((one) => one.id !== item.id) }),
  })
  const change = useSessionAction<Change>(id, {
    failed: 'Not changed',
    run: (client, { item, body }) => client.changeQueued({ params: { id, itemId: item.id }, body }),
  })
  // The server lists them in order within each place.
  const waiting = order.flatMap((when) =>
    session.queue.filter((item) => item.status === 'waiting' && item.when === when),
  )
  if (waiting.length === 0) return null

  const itemsFor = (item: QueueItem): MenuItem[] => {
    const same = waiting.filter(({ when }) => when === item.when)
    const at = same.indexOf(item)
    const above = same[at - 1]
    const below = same[at + 1]
    return [
      { label: 'Edit…', icon: 'file', run: () => setEdited(item) },
      ...(above
        ? [{ label: 'Move up', icon: 'undo' as const, run: () => change.mutate({ item, body: { before: above.id } }) }]
        : []),
      ...(below
        ? [
            {
              label: 'Move down',
              icon: 'down' as const,
              run: () => change.mutate({ item, body: { before: same[at + 2]?.id ?? null } }),
            },
          ]
        : []),
      ...order
        .filter((when) => when !== item.when)
        .map((when) => ({
          label: `Send ${places[when]}`,
          icon: 'clock' as const,
          run: () => change.mutate({ item, body: { when } }),
        })),
    ]
  }
  return (
    <>
      <ul aria-label="Queued messages" className="mb-2 flex max-h-40 flex-col gap-1 overflow-y-auto">
        {waiting.map((item) => (
          <li key={item.id} className="flex items-center gap-2 rounded-lg bg-sunken py-0.5 pr-1 pl-3 text-sm">
            <span className="min-w-0 flex-1 truncate" title={clip(safeText(item.text), 1000)}>
              {clip(safeText(item.text.slice(0, 300)), 200)}
            </span>
            {item.attachments && (
              <span className="shrink-0 text-soft">
                {item.attachments.length === 1 ? '1 file' : `${item.attachments.length} files`}
              </span>
            )}
            <span className="shrink-0 text-soft">{places[item.when]}</span>
            {mayAct && (
              <>
                <Menu trigger={<IconButton icon="more" label="Change" />} items={itemsFor(item)} />
                <IconButton icon="cross" label="Remove" onClick={() => drop.mutate(item)} />
              </>
            )}
          </li>
        ))}
      </ul>
      {edited && (
        <EditDialog
          text={edited.text}
          close={() => setEdited(null)}
          save={(text) => change.mutate({ item: edited, body: { text } })}
        />
      )}
    </>
  )
}

function EditDialog({ text, close, save }: { text: string; close: () => void; save: (text: string) => void }) {
  const [words, setWords] = useState(text)
  return (
    <Dialog open close={close} title="Edit message">
      <TextArea label="Message" autoFocus value={words} onChange={({ target }) => setWords(target.value)} />
      <DialogActions>
        <Button onClick={close}>Cancel</Button>
        <Button
          tone="main"
          disabled={words.trim() === ''}
          onClick={() => {
            save(words)
            close()
          }}
        >
          Save
        </Button>
      </DialogActions>
    </Dialog>
  )
}
