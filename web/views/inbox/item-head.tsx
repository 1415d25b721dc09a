import { Link } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import { paths } from '../../app/paths.ts'
import { Icon, type IconName } from '../../ui/icon.tsx'
import { clip, safeText } from '../../ui/safe-text.ts'
import { WhoAsks, type Asker } from './who-asks.tsx'

export type AskerSession = Asker & { id: string; title: string }

type Head = {
  icon: IconName
  iconLook?: string
  kind: string
  /** How grave it is. */
  badge: ReactNode
  title: string
  session: AskerSession | null
  /** What more there is to know at a glance. */
  children?: ReactNode
}

/** What it is, how grave, and from which session. */
export const ItemHead = ({ icon, iconLook = '', kind, badge, title, session, children }: Head) => (
  <header className="flex flex-col gap-2">
    <div className="flex flex-wrap items-center gap-2 text-sm text-soft">
      <Icon name={icon} className={`size-4.5 ${iconLook}`} />
      <span>{kind}</span>
      {badge}
    </div>
    <h2 className="text-xl leading-snug font-semibold break-words">{title}</h2>
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
      {children}
    </div>
  </header>
)
