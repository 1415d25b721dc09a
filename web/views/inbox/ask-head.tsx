import { Link } from '@tanstack/react-router'
import type { Ask } from '../../../src/domain/ask/schema.ts'
import { paths } from '../../app/paths.ts'
import { Badge } from '../../ui/badge.tsx'
import { Icon } from '../../ui/icon.tsx'
import { clip, safeText } from '../../ui/safe-text.ts'
import { Time } from '../../ui/time.tsx'
import { isGrave } from '../asks/grave.ts'
import { useWho } from '../asks/use-names.ts'
import { kindIcon, kindWords } from '../asks/words.ts'
import { Expiry } from './expiry.tsx'
import { WhoAsks, type Asker } from './who-asks.tsx'

export type AskerSession = Asker & { id: string; title: string }

/** Who asks what, how risky it is, and how long there is. */
export function AskHead({ ask, session }: { ask: Ask; session: AskerSession | null }) {
  const who = useWho()
  const consents = ask.votes.map(({ userId }) => who(`user:${userId}`)).join(', ')
  return (
    <header className="flex flex-col gap-2">
      <div className="flex flex-wrap items-center gap-2 text-sm text-soft">
        <Icon name={kindIcon(ask.kind)} className="size-4.5" />
        <span>{kindWords(ask)}</span>
        <Risk ask={ask} />
      </div>
      <h2 className="text-xl leading-snug font-semibold break-words">{clip(safeText(ask.title), 1000)}</h2>
      <div className="flex flex-col gap-0.5 text-sm text-soft">
        <p className="break-words">
          <WhoAsks session={session} />
          {session && (
            <>
              {' · '}
              <Link
                to={session.protocolMode === 'terminal' ? paths.terminal : paths.session}
                params={{ id: session.id }}
                className="text-link underline underline-offset-2"
              >
                {clip(safeText(session.title), 80) || 'its session'}
              </Link>
            </>
          )}
        </p>
        <p>
          asked <Time at={ask.createdAt} />
          {ask.status === 'open' && ask.expiresAt !== null && (
            <>
              {' · '}
              <Expiry kind={ask.kind} at={ask.expiresAt} />
            </>
          )}
          {ask.needed > 1 &&
            ` · ${ask.votes.length} of ${ask.needed} consented${consents === '' ? '' : `: ${consents}`}`}
        </p>
      </div>
    </header>
  )
}

function Risk({ ask }: { ask: Ask }) {
  if (isGrave(ask)) return <Badge signal="stop">{ask.riskLevel === 'critical' ? 'Critical' : 'Dangerous'}</Badge>
  return ask.riskLevel === 'high' ? <Badge signal="wait">High risk</Badge> : <Badge>Low risk</Badge>
}
