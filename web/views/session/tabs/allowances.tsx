import { useQuery } from '@tanstack/react-query'
import type { AskId } from '../../../../src/domain/ask/id.ts'
import type { SessionId } from '../../../../src/domain/session/id.ts'
import { useClient } from '../../../api/backend.tsx'
import { Button } from '../../../ui/button.tsx'
import { safeText } from '../../../ui/safe-text.ts'
import { useSessionAction } from '../session-hooks.ts'

/** What was allowed for the whole session, to be asked again. */
export function Allowances({ id, mayRevoke }: { id: SessionId; mayRevoke: boolean }) {
  const client = useClient()
  const { data } = useQuery({
    queryKey: ['session', id, 'allowances'],
    queryFn: () => client.listAllowances({ params: { id } }),
  })
  const revoke = useSessionAction<AskId>(id, {
    failed: 'Not changed',
    run: (api, allowanceId) => api.revokeAllowance({ params: { id, allowanceId } }),
  })
  const inForce = data?.allowances.filter(({ revokedAt }) => revokedAt === null) ?? []
  if (inForce.length === 0) return <>Nothing</>
  return (
    <ul className="flex flex-col gap-2">
      {inForce.map((one) => (
        <li key={one.id} className="flex flex-wrap items-center justify-between gap-2">
          <span className="min-w-0 break-words">{safeText(one.what)}</span>
          {mayRevoke && <Button onClick={() => revoke.mutate(one.id)}>Ask again</Button>}
        </li>
      ))}
    </ul>
  )
}
