import { useNavigate, Link } from '@tanstack/react-router'
import { useWindowVirtualizer } from '@tanstack/react-virtual'
import { useEffect, useLayoutEffect, useRef, useState, memo } from 'react'
import type { ListedSession } from '../../../src/client/contract/sessions.ts'
import { paths } from '../../app/paths.ts'
import { useShortcuts } from '../../app/shortcuts.ts'
import { Icon } from '../../ui/icon.tsx'
import { safeText } from '../../ui/safe-text.ts'
import { Time } from '../../ui/time.tsx'
import { ConnectivityBadge, StatusBadge, WaitingBadge } from './session-badges.tsx'
import { costText, folderName, protocolLabels, titleOf } from './session-labels.ts'

/** Rows before the end at which the next page is requested. */
const ahead = 30

type Props = { sessions: readonly ListedSession[]; more: boolean; loadMore: () => void }

/** Only visible rows are rendered; the page scrolls as if all were. */
export function SessionList({ sessions, more, loadMore }: Props) {
  const frame = useRef<HTMLDivElement>(null)
  const [margin, setMargin] = useState(0)
  const navigate = useNavigate()
  const [chosen, setChosen] = useState<string | null>(null)
  // Elements above may grow.
  useLayoutEffect(() => setMargin(frame.current?.offsetTop ?? 0))
  const rows = useWindowVirtualizer({
    count: sessions.length,
    estimateSize: () => (window.innerWidth < 768 ? 84 : 61),
    overscan: 12,
    scrollMargin: margin,
    getItemKey: (index) => sessions[index]?.id ?? index,
  })
  const shown = rows.getVirtualItems()
  const last = shown.at(-1)?.index ?? 0
  useEffect(() => {
    if (more && last >= sessions.length - ahead) loadMore()
  }, [more, last, sessions.length, loadMore])

  const move = (by: number) => {
    const at = sessions.findIndex(({ id }) => id === chosen)
    const to = at === -1 ? (shown.find(({ end }) => end > window.scrollY)?.index ?? 0) : at + by
    const next = Math.max(0, Math.min(sessions.length - 1, to))
    const id = sessions[next]?.id
    if (id === undefined) return
    setChosen(id)
    rows.scrollToIndex(next, { align: 'auto' })
    // Focus it once it is rendered.
    requestAnimationFrame(() =>
      requestAnimationFrame(() =>
        frame.current?.querySelector<HTMLElement>(`[data-row="${id}"]`)?.focus({ preventScroll: true }),
      ),
    )
  }
  const open = () => {
    const session = sessions.find(({ id }) => id === chosen)
    if (!session) return
    const to = session.protocolMode === 'terminal' ? paths.terminal : paths.session
    void navigate({ to, params: { id: session.id } })
  }
  useShortcuts({ j: () => move(1), k: () => move(-1), Enter: open })

  return (
    <>
      <div
        aria-hidden="true"
        className={`hidden border-b border-line px-6 py-1.5 text-xs font-semibold text-soft ${columns}`}
      >
        <span>What</span>
        <span>Status</span>
        <span>Agent, location</span>
        <span className="text-right">Cost</span>
        <span className="text-right">Started</span>
      </div>
      <div ref={frame} role="list" aria-label="Sessions" className="relative" style={{ height: rows.getTotalSize() }}>
        {shown.map((row) => {
          const session = sessions[row.index]
          return (
            session && (
              <div
                key={row.key}
                role="listitem"
                aria-setsize={more ? -1 : sessions.length}
                aria-posinset={row.index + 1}
                ref={rows.measureElement}
                data-index={row.index}
                className="absolute inset-x-0 top-0"
                style={{ transform: `translateY(${row.start - margin}px)` }}
              >
                <SessionRow session={session} current={session.id === chosen} />
              </div>
            )
          )
        })}
      </div>
    </>
  )
}

/** Columns on a desktop; a phone stacks them. */
const columns = 'md:grid md:grid-cols-[minmax(0,1fr)_8.5rem_10.5rem_4.5rem_5.5rem] md:items-center md:gap-x-4'

/** One session: a table row on a desktop, a card on a phone. The whole row is a link. */
const SessionRow = memo(function SessionRow({ session, current }: { session: ListedSession; current: boolean }) {
  const { id, protocolMode, openAsks = 0, repoName, workspaceRoot, usage, ownerName } = session
  const place = safeText(repoName ?? folderName(workspaceRoot))
  const agent = safeText(session.agent ?? protocolLabels[protocolMode].label)
  const cost = costText(usage?.costUsd)
  return (
    <Link
      to={protocolMode === 'terminal' ? paths.terminal : paths.session}
      params={{ id }}
      data-row={id}
      className={`block border-b border-line bg-panel px-4 py-3 hover:bg-sunken focus-visible:-outline-offset-2 md:px-6 md:py-2.5 ${columns} ${current ? 'bg-accent-soft!' : ''}`}
    >
      <span className="flex min-w-0 items-start gap-2 md:items-center">
        <span className="line-clamp-2 min-w-0 flex-1 font-medium break-words md:line-clamp-1">
          {titleOf(session, session.title)}
        </span>
        <WaitingBadge count={openAsks} />
      </span>
      <span className="mt-1.5 flex min-w-0 items-center gap-2 md:contents">
        <span className="flex shrink-0 flex-wrap items-center gap-1.5">
          <StatusBadge session={session} />
          <ConnectivityBadge session={session} />
        </span>
        <span className="flex min-w-0 flex-1 items-center gap-x-1.5 text-sm text-soft md:flex-col md:items-start">
          <span className="flex min-w-0 items-center gap-1.5 md:max-w-full">
            {protocolMode === 'terminal' && <Icon name="terminal" className="size-4" />}
            <span className="truncate text-text" title={agent}>
              {agent}
            </span>
          </span>
          <span className="min-w-0 truncate md:max-w-full" title={safeText(workspaceRoot)}>
            <span className="md:hidden">in </span>
            {place}
          </span>
          <span className="ml-auto shrink-0 md:hidden">
            {cost && `${cost} · `}
            <Time at={session.createdAt} />
          </span>
        </span>
      </span>
      <span className="hidden text-right text-sm text-soft tabular-nums md:block">{cost ?? '–'}</span>
      <span
        className="hidden text-right text-sm text-soft md:block"
        title={ownerName === undefined ? undefined : `of ${safeText(ownerName)}`}
      >
        <Time at={session.createdAt} />
      </span>
    </Link>
  )
})
