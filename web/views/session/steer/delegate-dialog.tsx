import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import type { SessionDetail } from '../../../../src/client/contract/sessions.ts'
import type { UserId } from '../../../../src/domain/user/id.ts'
import { useClient } from '../../../api/backend.tsx'
import { namesQuery } from '../../../api/queries.ts'
import { Button } from '../../../ui/button.tsx'
import { Dialog, DialogActions } from '../../../ui/dialog.tsx'
import { SelectField } from '../../../ui/field.tsx'
import { safeText } from '../../../ui/safe-text.ts'
import { useSessionAction } from '../session-query.ts'

/** Adds and removes delegates of the session. */
export function DelegateDialog({ session, close }: { session: SessionDetail; close: () => void }) {
  const { id, delegates, ownerUserId } = session
  const { data } = useQuery(namesQuery(useClient()))
  const [chosen, setChosen] = useState('')
  const give = useSessionAction<UserId>(id, {
    failed: 'Not delegated',
    run: (client, userId) => client.delegateSession({ params: { id, userId } }),
    foresee: (before, userId) => ({ delegates: [...before.delegates, userId] }),
  })
  const takeBack = useSessionAction<UserId>(id, {
    failed: 'Not removed',
    run: (client, userId) => client.undelegateSession({ params: { id, userId } }),
    foresee: (before, userId) => ({ delegates: before.delegates.filter((one) => one !== userId) }),
  })
  const people = data?.people ?? []
  const others = people.filter((person) => person.id !== ownerUserId && !delegates.includes(person.id))
  const target = others.find((person) => person.id === chosen)
  return (
    <Dialog open close={close} title="Delegate">
      <p className="text-soft">Delegates can answer, message and stop this agent like you.</p>
      {delegates.length > 0 && (
        <ul className="divide-y divide-line rounded-lg border border-line">
          {delegates.map((userId) => (
            <li key={userId} className="flex items-center gap-2 px-3 py-1.5">
              <span className="min-w-0 flex-1 truncate">
                {safeText(people.find((person) => person.id === userId)?.displayName ?? userId.slice(0, 8))}
              </span>
              <Button tone="quiet" onClick={() => takeBack.mutate(userId)}>
                Remove
              </Button>
            </li>
          ))}
        </ul>
      )}
      {others.length === 0 ? (
        <p className="text-soft">No one else to delegate to. Add people in Settings.</p>
      ) : (
        <SelectField label="Person" value={chosen} onChange={({ target: { value } }) => setChosen(value)}>
          <option value="">Choose…</option>
          {others.map((person) => (
            <option key={person.id} value={person.id}>
              {safeText(person.displayName)}
            </option>
          ))}
        </SelectField>
      )}
      <DialogActions>
        <Button onClick={close}>Done</Button>
        {others.length > 0 && (
          <Button tone="main" disabled={!target} onClick={() => target && give.mutate(target.id)}>
            Delegate
          </Button>
        )}
      </DialogActions>
    </Dialog>
  )
}
