import type { Ask } from '../../../src/domain/ask/schema.ts'
import { isGrave } from '../../../src/domain/ask/about.ts'
import { Badge } from '../../ui/badge.tsx'
import { clip, safeText } from '../../ui/safe-text.ts'
import { Time } from '../../ui/time.tsx'
import { useWho } from '../asks/use-names.ts'
import { kindIcon, kindWords } from '../asks/words.ts'
import { RiskWords } from '../asks/risk-words.tsx'
import { Expiry } from './expiry.tsx'
import { ItemHead, type AskerSession } from './item-head.tsx'

/** Who asks what, how risky it is, and how long there is. */
export function AskHead({ ask, session }: { ask: Ask; session: AskerSession | null }) {
  const who = useWho()
  const consents = ask.votes.map(({ userId }) => who(`user:${userId}`)).join(', ')
  return (
    <ItemHead
      icon={kindIcon(ask.kind)}
      kind={kindWords(ask)}
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
        {ask.needed > 1 && ` · ${ask.votes.length} of ${ask.needed} consented${consents === '' ? '' : `: ${consents}`}`}
      </p>
      <RiskWords ask={ask} />
    </ItemHead>
  )
}

function Risk({ ask }: { ask: Ask }) {
  if (isGrave(ask)) return <Badge signal="stop">{ask.riskLevel === 'critical' ? 'Critical' : 'Dangerous'}</Badge>
  return ask.riskLevel === 'high' ? <Badge signal="wait">High risk</Badge> : <Badge>Low risk</Badge>
}
