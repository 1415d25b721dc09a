import { useEffect, useState, type ReactNode } from 'react'
import { Link } from '@tanstack/react-router'
import { paths } from '../../app/paths.ts'
import { ButtonLink } from '../../ui/button.tsx'
import { Empty } from '../../ui/states.tsx'
import { Icon, type IconName } from '../../ui/icon.tsx'
import { clip, listTitle } from '../../ui/safe-text.ts'
import { AskSource, type SourceSession } from './ask-facts.tsx'

/** In reach of the thumb on a phone, at the bottom of the window on a desktop. */
export const stickyBar =
  'sticky bottom-[calc(3.4rem+env(safe-area-inset-bottom))] md:bottom-0 z-10 mt-auto -mx-4 md:-mx-6 border-t ' +
  'border-line bg-ground/95 px-4 py-3 backdrop-blur md:px-6'

/** The last known data of an item that left the list. */
export function useLastKnown<T>(item: T | null): T | null {
  const [seen, setSeen] = useState(item)
  if (item !== null && item !== seen) setSeen(item)
  return item ?? seen
}

/** Sets the tab title while an item is shown, and restores it afterwards. */
export function useTitle(title: string): void {
  useEffect(() => {
    const before = document.title
    document.title = `${title} · Signalbox`
    return () => {
      document.title = before
    }
  }, [title])
}

export const ItemNotFound = ({ what }: { what: 'ask' | 'alert' }) => (
  <Empty icon="search" title={what === 'ask' ? 'Ask not found' : 'Alert not found'}>
    <p>The address may be mistyped, or you can’t see its session.</p>
    <ButtonLink to={paths.inbox} icon="inbox">
      Go to the inbox
    </ButtonLink>
  </Empty>
)

export type AskerSession = SourceSession & { id: string; title: string }

type PaneHead = {
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
export const ItemHead = ({ icon, iconLook = '', kind, badge, title, session, children }: PaneHead) => (
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
              {clip(listTitle(session.title), 80) || 'session'}
            </Link>
          </>
        )}
      </p>
      {children}
    </div>
  </header>
)
