import { useQuery } from '@tanstack/react-query'
import type { PolicyInForce } from '../../../../src/domain/policy/schema.ts'
import { useClient } from '../../../api/backend.tsx'
import { useAction } from '../../../api/use-action.ts'
import { Button } from '../../../ui/button.tsx'
import { clip, safeText } from '../../../ui/safe-text.ts'
import { Time } from '../../../ui/time.tsx'
import { useActorName } from '../../asks/use-names.ts'

/** Whether the policy applies here, and what waits for an admin. */
export function PolicyStatus({ root, policy }: { root: string; policy: PolicyInForce }) {
  return (
    <>
      <Trust root={root} policy={policy} />
      {policy.pending && <Pending root={root} policy={policy} pending={policy.pending} />}
    </>
  )
}

function Trust({ root, policy }: { root: string; policy: PolicyInForce }) {
  const client = useClient()
  const who = useActorName()
  const { trust } = policy
  const stale = [['policy', root], ['trusted']] as const
  const trusting = useAction(() => client.trustPolicy({ body: { workspaceRoot: root, hash: policy.hash } }), {
    failed: 'Not trusted',
    done: 'Trusted',
    stale,
  })
  const untrusting = useAction(() => client.untrustPolicy({ body: { workspaceRoot: root } }), {
    failed: 'Still trusted',
    done: 'No longer trusted',
    stale,
  })
  if (trust === null)
    return (
      <div role="alert" className="flex flex-col items-start gap-2 rounded-lg bg-wait-soft p-3 text-wait">
        <p>
          <strong>Not trusted.</strong> This directory is not trusted, so its policy does not apply and everything is
          asked.
        </p>
        <Button disabled={trusting.isPending} onClick={() => trusting.mutate(undefined)}>
          Trust this directory
        </Button>
      </div>
    )
  if (trust.kind !== 'person') return null
  return (
    <div className="flex flex-wrap items-center gap-x-3 gap-y-2 text-sm text-soft">
      <span>
        Trusted{trust.by !== null && ` by ${who(trust.by)}`}
        {trust.at !== null && (
          <>
            {' '}
            <Time at={trust.at} />
          </>
        )}
      </span>
      <Button disabled={untrusting.isPending} onClick={() => untrusting.mutate(undefined)}>
        Stop trusting
      </Button>
    </div>
  )
}

type PendingPolicy = NonNullable<PolicyInForce['pending']>

function Pending({ root, policy, pending }: { root: string; policy: PolicyInForce; pending: PendingPolicy }) {
  const client = useClient()
  const { settings } = policy
  const past = useQuery({
    queryKey: ['policy', root, 'pending', pending.hash],
    queryFn: () => client.testPolicy({ body: { workspaceRoot: root, ...(settings !== null && { settings }) } }),
  })
  const confirm = useAction(() => client.confirmPolicy({ body: { workspaceRoot: root, hash: pending.hash } }), {
    failed: 'Not confirmed',
    done: 'Confirmed and in force',
    stale: [['policy', root]],
  })
  return (
    <div role="alert" className="flex min-w-0 flex-col items-start gap-2 rounded-lg bg-wait-soft p-3 text-wait">
      <p>
        <strong>Waiting for an admin.</strong> The file was widened while an agent was working here{' '}
        {pending.since !== null && (
          <>
            {' ('}
            <Time at={pending.since} />
            {')'}
          </>
        )}{' '}
        . Until it is confirmed, only what it allowed before applies. It adds:
      </p>
      <ul className="max-w-full list-disc pl-5">
        {pending.wider.map((entry) => (
          <li key={entry} className="[overflow-wrap:anywhere]">
            <code className="font-mono text-sm">{clip(safeText(entry), 300)}</code>
          </li>
        ))}
      </ul>
      {past.data && (
        <p>
          Back-test: it would have answered {past.data.answered} of {past.data.asks} past asks;{' '}
          {past.data.differ.length === 0 ? 'none differ' : `${past.data.differ.length} differ`} from what people chose.
        </p>
      )}
      <Button tone="main" disabled={confirm.isPending} onClick={() => confirm.mutate(undefined)}>
        Confirm this policy
      </Button>
    </div>
  )
}
