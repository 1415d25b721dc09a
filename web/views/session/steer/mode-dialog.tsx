import type { SessionDetail } from '../../../../src/client/contract/sessions.ts'
import type { OperationalMode } from '../../../../src/domain/session/schema.ts'
import { Button } from '../../../ui/button.tsx'
import { Dialog, DialogActions } from '../../../ui/dialog.tsx'
import { useSessionAction } from '../session-hooks.ts'

export const modeLabels: readonly { value: OperationalMode; label: string; about: string }[] = [
  { value: 'remote', label: 'Remote', about: 'Inbox, notifications and chats.' },
  { value: 'local', label: 'Local', about: 'Only inbox and command line: no notification, no chat.' },
  { value: 'hybrid', label: 'Hybrid', about: 'Locally and in chat.' },
]

/** Where asks of a session are announced. */
export function ModeDialog({ session: { id, mode }, close }: { session: SessionDetail; close: () => void }) {
  const set = useSessionAction<OperationalMode>(id, {
    failed: 'Not changed',
    run: (client, next) => client.setOperationalMode({ params: { id }, body: { mode: next } }),
    foresee: (_session, next) => ({ mode: next }),
  })
  return (
    <Dialog open close={close} title="Notification routing">
      <fieldset className="flex flex-col gap-2">
        <legend className="sr-only">Mode</legend>
        {modeLabels.map(({ value, label, about }) => (
          <label
            key={value}
            className="flex min-h-11 cursor-pointer items-start gap-3 rounded-lg border border-line p-3"
          >
            <input
              type="radio"
              name="mode"
              checked={mode === value}
              onChange={() => set.mutate(value)}
              className="mt-1 size-4 accent-accent"
            />
            <span>
              <span className="font-medium">{label}</span>
              <span className="block text-sm text-soft">{about}</span>
            </span>
          </label>
        ))}
      </fieldset>
      <DialogActions>
        <Button tone="main" onClick={close}>
          Done
        </Button>
      </DialogActions>
    </Dialog>
  )
}
