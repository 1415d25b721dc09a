import { useNavigate, Link } from '@tanstack/react-router'
import { useWindowVirtualizer } from '@tanstack/react-virtual'
import { useEffect, useLayoutEffect, useMemo, useRef, useState, memo } from 'react'
import type { ListedSession } from '../../../src/client/contract/sessions.ts'
import { paths } from '../../app/paths.ts'
import { useShortcuts } from '../../app/shortcuts.ts'
import { Icon } from '../../ui/icon.tsx'
import { safeText } from '../../ui/safe-text.ts'
import { Time, useNow } from '../../ui/time.tsx'
import { AgentMark } from './agent-mark.tsx'
import { grouped, type Grouping } from './grouping.ts'
import { ConnectivityBadge, StatusBadge, WaitingBadge } from './session-badges.tsx'
import { costText, folderName, protocolLabels, titleOf } from './session-labels.ts'

/** Rows before the end at which the next page is requested. */
const ahead = 30
/** What may cover the ends of the window. */
const covered = 80

type Props = { sessions: readonly ListedSession[]; grouping: Grouping; more: boolean; loadMore: () => void }

/** Only visible rows are rendered; the page scrolls as if all were. */
export function SessionList({ sessions: listed, grouping, more, loadMore }: Props) {
  const today = new Date(useNow()).toDateString()
  const entries = useMemo(() => grouped(listed, grouping, new Date(today)), [listed, grouping, today])
  const sessions = useMemo(() => entries.map(({ session }) => session), [entries])
  const frame = useRef<HTMLDivElement>(null)
  const [margin, setMargin] = useState(0)
  const navigate = useNavigate()
  const [chosen, setChosen] = useState<string | null>(null)
  // Elements above may grow.
  useLayoutEffect(() => setMargin(frame.current?.offsetTop ?? 0))
  const rows = useWindowVirtualizer({
    count: sessions.length,
    estimateSize: () => rowHeight,
    overscan: 12,
    scrollMargin: margin,
    // The header above, and on phones the navigation below.
    scrollPaddingStart: covered,
    scrollPaddingEnd: covered,
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
      <div ref={frame} role="list" aria-label="Sessions" className="relative" style={{ height: rows.getTotalSize() }}>
        {shown.map((row) => {
          const entry = entries[row.index]
          return (
            entry && (
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
                {entry.head !== null && (
                  <h2 className="truncate border-b border-line bg-ground px-4 pt-4 pb-1.5 text-xs font-semibold text-soft md:px-6">
                    {safeText(entry.head)}
                  </h2>
                )}
                <SessionRow
                  session={entry.session}
                  current={entry.session.id === chosen}
                  marksPin={grouping === 'none'}
                />
              </div>
            )
          )
        })}
      </div>
    </>
  )
}

/** Of most rows; each is measured once it is there. */
const rowHeight = 61

const PinnedMark = () => (
  <span className="text-accent">
    <Icon name="pin" className="size-3.5" />
    <span className="sr-only">Pinned</span>
  </span>
)

/** One session in two lines: what it is and how it stands; who works where, and since when. The whole row is a link. */
const SessionRow = memo(function SessionRow({
  session,
  current,
  marksPin,
}: {
  session: ListedSession
  current: boolean
  /** Otherwise a heading says so. */
  marksPin: boolean
}) {
  const { id, protocolMode, openAsks = 0, repoName, workspaceRoot, usage, ownerName } = session
  const place = safeText(repoName ?? folderName(workspaceRoot))
  const agent = safeText(session.agent ?? protocolLabels[protocolMode].label)
  const cost = costText(usage?.costUsd)
  return (
    <Link
      to={protocolMode === 'terminal' ? paths.terminal : paths.session}
      params={{ id }}
      data-row={id}
      className={`flex items-center gap-3 border-b border-line bg-panel px-4 py-2 hover:bg-sunken focus-visible:-outline-offset-2 md:px-6 ${current ? 'bg-accent-soft!' : ''}`}
    >
      <AgentMark agent={agent} />
      <span className="min-w-0 flex-1">
        <span className="flex min-w-0 items-center gap-2">
          <span className="line-clamp-2 min-w-0 flex-1 font-medium break-words md:line-clamp-1">
            {titleOf(session, session.title)}
          </span>
          <span className="flex shrink-0 items-center gap-1.5">
            <WaitingBadge count={openAsks} />
            <StatusBadge session={session} />
            <span className="hidden sm:contents">
              <ConnectivityBadge session={session} />
            </span>
          </span>
        </span>
        <span className="flex min-w-0 items-center gap-x-1.5 text-sm text-soft">
          {marksPin && session.pinnedAt !== null && <PinnedMark />}
          {protocolMode === 'terminal' && <Icon name="terminal" className="size-4" />}
          <span className="max-w-1/2 shrink-0 truncate text-text" title={agent}>
            {agent}
          </span>
          <span className="min-w-0 truncate" title={safeText(workspaceRoot)}>
            in {place}
            {ownerName !== undefined && <span className="hidden md:inline"> · of {safeText(ownerName)}</span>}
          </span>
          <span className="ml-auto shrink-0 tabular-nums">
            {cost && `${cost} · `}
            <Time at={session.createdAt} />
          </span>
        </span>
      </span>
    </Link>
  )
})
