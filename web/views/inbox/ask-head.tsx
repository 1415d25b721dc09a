import type { Ask } from '../../../src/domain/ask/schema.ts'
import { isGrave } from '../../../src/domain/ask/about.ts'
import { Badge } from '../../ui/badge.tsx'
import { clip, safeText } from '../../ui/safe-text.ts'
import { Time } from '../../ui/time.tsx'
import { useActorName } from '../asks/use-names.ts'
import { kindIcon, kindLabels } from '../asks/ask-labels.ts'
import { RiskNote } from '../asks/risk-note.tsx'
import { Expiry } from './expiry.tsx'
import { ItemHead, type AskerSession } from './item-head.tsx'

/** Who asks what, the risk, and the time left. */
export function AskHead({ ask, session }: { ask: Ask; session: AskerSession | null }) {
  const who = useActorName()
  const consents = ask.votes.map(({ userId }) => who(`user:${userId}`)).join(', ')
  return (
    <ItemHead
      icon={kindIcon(ask.kind)}
      kind={kindLabels(ask)}
      badge={<Risk ask={ask} />}
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

function Risk({ ask }: { ask: Ask }) {
  if (isGrave(ask)) return <Badge signal="stop">{ask.riskLevel === 'critical' ? 'Critical' : 'Dangerous'}</Badge>
  return ask.riskLevel === 'high' ? <Badge signal="wait">High risk</Badge> : <Badge>Low risk</Badge>
}
