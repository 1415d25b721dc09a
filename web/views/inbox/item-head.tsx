import { Link } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import { paths } from '../../app/paths.ts'
import { Icon, type IconName } from '../../ui/icon.tsx'
import { clip, safeText } from '../../ui/safe-text.ts'
import { AskSource, type SourceSession } from './ask-source.tsx'

export type AskerSession = SourceSession & { id: string; title: string }

type Head = {
  icon: IconName
  iconLook?: string
  kind: string
  /** Severity colour. */
  badge: ReactNode
  title: string
  session: AskerSession | null
  /** Further badges. */
  children?: ReactNode
}

/** Title, severity and session. */
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
        <AskSource session={session} />
        {session && (
          <>
            {' · '}
            <Link
              to={session.protocolMode === 'terminal' ? paths.terminal : paths.session}
              params={{ id: session.id }}
              className="text-link underline underline-offset-2"
            >
              {clip(safeText(session.title), 80) || 'session'}
            </Link>
          </>
        )}
      </p>
      {children}
    </div>
  </header>
)
