import { Link, Outlet, useLocation, useNavigate } from '@tanstack/react-router'
import { useEffect, useState } from 'react'
import { useQuery } from '@tanstack/react-query'
import { useClient, useConnection, useBackend } from '../api/backend.tsx'
import { inboxQuery, meQuery } from '../api/queries.ts'
import { webChatsQuery } from '../views/chat/queries.ts'
import { onOpen, registerWorker, setBadge } from '../push/subscribe.ts'
import { Icon } from '../ui/icon.tsx'
import { safeText } from '../ui/safe-text.ts'
import { SignedOutView } from './fallbacks.tsx'
import { keys } from './keys.ts'
import { PaletteHost, paletteKeys } from './palette/palette-host.tsx'
import { openPalette } from './palette/palette-switch.ts'
import { paths } from './paths.ts'
import { chatPlace, places, type NavigationEntry } from './places.ts'
import { useShortcuts } from './shortcuts.ts'
import { Dialog } from '../ui/dialog.tsx'

/** How many items wait for this person. */
function useWaiting(): number {
  const { data } = useQuery(inboxQuery(useClient()))
  return data?.items.filter(({ mine }) => mine).length ?? 0
}

/** The chat is for people with an agent to talk to. */
function useOffered(): readonly NavigationEntry[] {
  const { data } = useQuery(webChatsQuery(useClient()))
  return data && data.length > 0 ? places.toSpliced(3, 0, chatPlace) : places
}

function SignedIn() {
  const { data: me } = useQuery(meQuery(useClient()))
  return (
    <Link
      to={paths.settings}
      className="mt-auto hidden items-center gap-2 rounded-lg px-3 py-2 text-sm text-soft hover:bg-sunken md:flex"
    >
      <Icon name="person" className="size-4" />
      <span className="truncate">
        <span className="sr-only">Signed in as </span>
        {safeText(me?.user.displayName ?? '')}
      </span>
    </Link>
  )
}

/** Where Esc leads from here. The inbox handles Esc itself. */
function placeAbove(pathname: string): string | null {
  const [, place = '', part, more] = pathname.replace(/\/$/, '').split('/')
  if (place === 'catch-up') return paths.search
  if (part === undefined || !['sessions', 'terminals', 'schedules', 'chat', 'settings'].includes(place)) return null
  return place === 'settings' && more !== undefined ? pathname.replace(/\/[^/]*\/?$/, '') : `/${place}`
}

/** The frame of every view: navigation, the count of waiting items, the connection state. */
export function Shell() {
  const { pathname } = useLocation()
  const navigate = useNavigate()
  const waiting = useWaiting()
  const offered = useOffered()
  const isSignedOut = useConnection() === 'signed-out'
  const [help, setHelp] = useState(false)
  useBadge(waiting)
  useEffect(() => {
    void registerWorker()
    return onOpen((to) => void navigate({ to }))
  }, [navigate])
  const go = (to: string) => () => void navigate({ to })
  const above = placeAbove(pathname)
  useShortcuts({
    '?': () => setHelp(true),
    '/': go(paths.search),
    n: go(paths.newSession),
    'g i': go(paths.inbox),
    'g h': go(paths.history),
    'g s': go(paths.sessions),
    'g t': go(paths.terminals),
    'g d': go(paths.schedules),
    'g o': go(paths.overview),
    'g m': go(paths.webChats),
    'g c': go(paths.catchUp),
    'g ,': go(paths.settings),
    Escape: above === null ? undefined : go(above),
  })
  return (
    <div className="flex min-h-dvh flex-col md:flex-row">
      <a href="#main" className="sr-only focus:not-sr-only focus:fixed focus:z-50 focus:bg-panel focus:p-3">
        Skip to content
      </a>
      <nav
        aria-label="Places"
        className="order-last fixed inset-x-0 bottom-0 z-30 flex border-t border-line bg-panel pb-[env(safe-area-inset-bottom)] md:sticky md:top-0 md:order-first md:h-dvh md:w-52 md:shrink-0 md:flex-col md:gap-1 md:border-t-0 md:border-r md:p-3"
      >
        <Link to={paths.inbox} className="hidden items-center gap-2.5 px-2 pt-1 pb-4 text-lg font-semibold md:flex">
          <img src="/icon.svg" alt="" className="size-7" />
          Signalbox
        </Link>
        {offered.map(({ to, label, icon, within, wide }) => (
          <Link
            key={to}
            to={to}
            aria-current={within.test(pathname) ? 'page' : undefined}
            className={`relative ${wide ? 'hidden md:flex' : 'flex'} flex-1 flex-col items-center gap-0.5 py-2 text-[0.7rem] font-medium md:flex-none md:flex-row md:gap-3 md:rounded-lg md:px-3 md:text-[0.94rem] ${within.test(pathname) ? 'text-accent md:bg-accent-soft' : 'text-soft hover:text-text md:hover:bg-sunken'}`}
          >
            <Icon name={icon} />
            <span>{label}</span>
            {to === paths.inbox && waiting > 0 && (
              <span className="absolute top-1 left-1/2 ml-2 rounded-full bg-stop px-1.5 text-[0.68rem] leading-4.5 font-bold text-on-stop md:static md:ml-auto md:text-xs">
                {waiting > 99 ? '99+' : waiting}
                <span className="sr-only"> waiting for you</span>
              </span>
            )}
          </Link>
        ))}
        <SignedIn />
        <button
          type="button"
          onClick={openPalette}
          aria-keyshortcuts="Control+K Meta+K"
          className="hidden rounded-lg px-3 py-2 text-left text-sm text-soft hover:bg-sunken md:block"
        >
          Go to or do <kbd className="font-mono">{paletteKeys}</kbd>
        </button>
        <button
          type="button"
          onClick={() => setHelp(true)}
          className="hidden rounded-lg px-3 py-2 text-left text-sm text-soft hover:bg-sunken md:block"
        >
          Keyboard <kbd className="font-mono">?</kbd>
        </button>
      </nav>
      <main
        id="main"
        tabIndex={-1}
        className="min-w-0 flex-1 pb-[calc(4rem+env(safe-area-inset-bottom))] outline-none md:pb-0"
      >
        <ConnectionBar />
        {isSignedOut ? <SignedOutView /> : <Outlet />}
      </main>
      {!isSignedOut && <PaletteHost />}
      <Help open={help} close={() => setHelp(false)} />
    </div>
  )
}

/** Says that the data may be outdated, why, and what happens next. */
function ConnectionBar() {
  const state = useConnection()
  const { retry } = useBackend()
  if (state !== 'lost') return null
  return (
    <div role="status" className="flex flex-wrap items-center gap-x-3 bg-wait-soft px-4 py-2 text-sm text-wait md:px-6">
      Can’t reach the server. Showing earlier data; reconnecting…
      <button type="button" onClick={retry} className="min-h-8 font-semibold underline">
        Retry now
      </button>
    </div>
  )
}

const Help = ({ open, close }: { open: boolean; close: () => void }) => (
  <Dialog open={open} close={close} title="Keyboard">
    <dl className="grid grid-cols-[max-content_1fr] gap-x-5 gap-y-1.5">
      {keys.map(({ keys: names, what }) => (
        <div key={what} className="contents">
          <dt className="font-mono text-sm font-semibold whitespace-pre">{names.join('  ')}</dt>
          <dd className="text-soft">{what}</dd>
        </div>
      ))}
    </dl>
  </Dialog>
)

/** Shows the count on the app icon and in the tab title. */
function useBadge(count: number): void {
  useEffect(() => {
    setBadge(count)
    const mark = () => {
      const bare = document.title.replace(/^\(\d+\) /, '')
      const wanted = count === 0 ? bare : `(${count}) ${bare}`
      if (document.title !== wanted) document.title = wanted
    }
    mark()
    const title = document.querySelector('title')
    if (!title) return undefined
    const observer = new MutationObserver(mark)
    observer.observe(title, { childList: true })
    return () => observer.disconnect()
  }, [count])
}
