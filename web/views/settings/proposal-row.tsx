import type { ReactNode } from 'react'
import type { CacheKey } from '../../api/freshness.ts'
import { useAction } from '../../api/use-action.ts'
import { Badge } from '../../ui/badge.tsx'
import { Button } from '../../ui/button.tsx'
import { Row } from '../../ui/rows.tsx'

type ProposalAction = 'confirm' | 'dismiss' | 'revoke'

type Proposal = {
  title: ReactNode
  about: ReactNode
  status: string
  /** Label of the action that revokes it: "Ask again". */
  revoke: string
  acts: Readonly<Record<ProposalAction, () => Promise<unknown>>>
  stale: readonly CacheKey[]
}

/** A proposed automatic answer: confirm or dismiss it, and revoke it later. */
export function ProposalRow({ title, about, status, revoke, acts, stale }: Proposal) {
  const act = useAction((deed: ProposalAction) => acts[deed](), { failed: 'Nothing changed', stale })
  const does = (deed: ProposalAction) => ({ disabled: act.isPending, onClick: () => act.mutate(deed) })
  return (
    <Row
      title={
        <span className="flex flex-wrap items-center gap-2">
          {title}
          {status === 'confirmed' && <Badge signal="clear">in force</Badge>}
        </span>
      }
      about={about}
    >
      {status === 'proposed' ? (
        <>
          <Button tone="main" {...does('confirm')}>
            Confirm
          </Button>
          <Button {...does('dismiss')}>Dismiss</Button>
        </>
      ) : (
        <Button {...does('revoke')}>{revoke}</Button>
      )}
    </Row>
  )
}
