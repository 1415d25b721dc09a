import type { ReactNode } from 'react'
import type { Key } from '../../api/freshness.ts'
import { useAct } from '../../api/use-act.ts'
import { Badge } from '../../ui/badge.tsx'
import { Button } from '../../ui/button.tsx'
import { Row } from '../../ui/rows.tsx'

type Deed = 'confirm' | 'dismiss' | 'revoke'

type Proposal = {
  title: ReactNode
  about: ReactNode
  status: string
  /** What takes it out of force again: "Ask again". */
  revoke: string
  acts: Readonly<Record<Deed, () => Promise<unknown>>>
  stale: readonly Key[]
}

/** Something that would answer by itself: to be confirmed or turned down, and later to be taken back. */
export function ProposalRow({ title, about, status, revoke, acts, stale }: Proposal) {
  const act = useAct((deed: Deed) => acts[deed](), { failed: 'Nothing changed', stale })
  const does = (deed: Deed) => ({ disabled: act.isPending, onClick: () => act.mutate(deed) })
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
