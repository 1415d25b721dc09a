import type { ReactNode } from 'react'
import type { Ask } from '../../../src/domain/ask/schema.ts'
import { isGone } from '../../api/transport.ts'
import { clip, safeText } from '../../ui/safe-text.ts'
import { barAttribute } from '../../ui/use-clear-of-bars.ts'
import { Failed, Loading } from '../../ui/states.tsx'
import { Time } from '../../ui/time.tsx'
import { AskActions } from '../asks/ask-actions.tsx'
import { AskBody } from '../asks/ask-body.tsx'
import { BeforePart } from '../asks/review/before-part.tsx'
import { AskOutcome } from '../asks/ask-outcome.tsx'
import { useExpectedAsk } from '../asks/use-answer.ts'
import type { AskItem } from '../asks/use-inbox-item.ts'
import { useActorName } from '../asks/use-names.ts'
import { kindIcon, kindLabels } from '../asks/ask-labels.ts'
import { RiskBadge, RiskNote } from '../asks/risk.tsx'
import { ItemNotFound, stickyBar, useLastKnown, useTitle, ItemHead, type AskerSession } from './pane-parts.tsx'
import { useAsk, usePastSession } from './use-ask.ts'
import { Expiry } from './ask-facts.tsx'

type AskPaneProps = {
  id: string
  item: AskItem | null
  resting: boolean
  sent: () => void
  /** Called once it is answered. */
  after: ReactNode
}

/** One ask with the controls to answer it, then its outcome. */
export function AskPane({ id, item, resting, sent, after }: AskPaneProps) {
  const { data, error, refetch } = useAsk(id, item)
  if (data) return <Shown ask={data} item={item} resting={resting} sent={sent} after={after} />
  if (!error) return <Loading what="Loading…" />
  return isGone(error) ? <ItemNotFound what="ask" /> : <Failed error={error} retry={() => void refetch()} />
}

function Shown({ ask: known, item: listed, resting, sent, after }: Omit<AskPaneProps, 'id'> & { ask: Ask }) {
  const item = useLastKnown(listed)
  const ask = useExpectedAsk(known)
  const past = usePastSession(item ? null : ask.sessionId)
  const session = item?.session ?? past
  useTitle(clip(safeText(ask.title), 80))
  return (
    <article aria-label="Ask" className="flex flex-1 flex-col gap-5 px-4 pt-4 md:px-6 md:pt-6">
      <AskHead ask={ask} session={session} />
      <AskOutcome ask={ask} />
      <BeforePart ask={ask} />
      <AskBody ask={ask} screen={item?.screen ?? null} root={session?.workspaceRoot ?? null} />
      <AskActions ask={ask} session={item?.session ?? null} keys resting={resting} sent={sent} bar={stickyBar} />
      {ask.status !== 'open' && after && (
        <div {...barAttribute} className={stickyBar}>
          {after}
        </div>
      )}
    </article>
  )
}

/** Who asks what, the risk, and the time left. */
function AskHead({ ask, session }: { ask: Ask; session: AskerSession | null }) {
  const who = useActorName()
  const consents = ask.votes.map(({ userId }) => who(`user:${userId}`)).join(', ')
  return (
    <ItemHead
      icon={kindIcon(ask.kind)}
      kind={kindLabels(ask)}
      badge={<RiskBadge ask={ask} />}
      title={clip(safeText(ask.title), 1000)}
      session={session}
    >
      <p>
        asked <Time at={ask.createdAt} />
        {ask.status === 'open' && ask.expiresAt !== null && (
          <>
            {' · '}
            <Expiry kind={ask.kind} at={ask.expiresAt} />
          </>
        )}
        {ask.needed > 1 && ` · ${ask.votes.length} of ${ask.needed} approved${consents === '' ? '' : `: ${consents}`}`}
      </p>
      <RiskNote ask={ask} />
    </ItemHead>
  )
}
