import { useNavigate } from '@tanstack/react-router'
import { useWindowVirtualizer } from '@tanstack/react-virtual'
import { useEffect, useLayoutEffect, useRef, useState } from 'react'
import type { ListedSession } from '../../../src/client/contract/sessions.ts'
import { paths } from '../../app/paths.ts'
import { useShortcuts } from '../../app/shortcuts.ts'
import { SessionRow, columns } from './session-row.tsx'

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
