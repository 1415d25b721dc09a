import { useLocation, useNavigate } from '@tanstack/react-router'
import { type UseQueryResult, useQuery } from '@tanstack/react-query'
import { useEffect, type ReactNode, useSyncExternalStore } from 'react'
import { paths } from '../../app/paths.ts'
import { useShortcuts } from '../../app/shortcuts.ts'
import { ButtonLink } from '../../ui/button.tsx'
import { PageHead } from '../../ui/page.tsx'
import { Failed, Loading, Empty } from '../../ui/states.tsx'
import { useClient } from '../../api/backend.tsx'
import { useUndoLast } from '../asks/use-undo.ts'
import { HistoryLink, InboxList, useInView } from './inbox-list.tsx'
import { addressOf, keyAt, partsOf } from './item-address.ts'
import { afterAnswer, neighbour, type ListedItem } from './rows.ts'
import { useBulkSelection, type BulkSelection } from './use-bulk-selection.ts'
import { useRows, useSelected } from './use-rows.ts'
import { AlertPane } from './alert-pane.tsx'
import { AskPane } from './ask-pane.tsx'

/** The inbox. On a desktop, list and item side by side; on a phone, one at a time. */
export function InboxView() {
  const { inbox, rows } = useRows()
  const chosen = useBulkSelection(rows)
  const isWide = useWideScreen()
  const address = keyAt(useLocation().pathname)
  const shown = address?.startsWith('ask:') ? partsOf(address).id : null
  useShortcuts({ u: useUndoLast(shown) })
  const view = { rows, total: inbox.data?.total ?? null, chosen, address, inbox }
  return isWide ? <WideInbox {...view} /> : <NarrowInbox {...view} />
}

type InboxState = {
  rows: readonly ListedItem[]
  /** Null while unknown. */
  total: number | null
  chosen: BulkSelection
  address: string | null
  inbox: Pick<UseQueryResult, 'data' | 'error' | 'refetch'>
}

const keysOf = (rows: readonly ListedItem[]): string[] =>
  [...rows.filter(({ item }) => item.mine), ...rows.filter(({ item }) => !item.mine)].map(({ item }) => item.key)

function WideInbox({ rows, total, chosen, address, inbox }: InboxState) {
  const navigate = useNavigate()
  const keys = keysOf(rows)
  const { selected, resting, rest } = useSelected(address, keys)
  const list = useInView(selected, rows)
  const go = (key: string | null, replace = true) =>
    void navigate(key === null ? { to: paths.inbox, replace } : { ...addressOf(key), replace })
  const move = (step: 1 | -1) => () => go(neighbour(keys, selected, step))
  useShortcuts({
    j: move(1),
    k: move(-1),
    Enter: selected === null ? undefined : () => document.getElementById('item')?.focus(),
    x: selected === null ? undefined : () => chosen.toggle(selected),
    Escape: chosen.selecting ? () => chosen.setSelecting(false) : address === null ? undefined : () => go(null, false),
  })
  const sent = () => {
    rest()
    if (address !== null) go(afterAnswer(keys, address))
  }
  const unread = inbox.error ? <Failed error={inbox.error} retry={() => void inbox.refetch()} /> : <Loading />
  if (selected === null) return inbox.data ? <Nothing /> : unread
  return (
    <div className="grid min-h-full grid-cols-[24rem_minmax(0,1fr)] 2xl:grid-cols-[28rem_minmax(0,1fr)]">
      <div
        ref={list}
        className="sticky top-0 flex h-dvh scroll-py-16 flex-col overflow-y-auto border-r border-line bg-panel *:shrink-0"
      >
        <InboxList
          rows={rows}
          total={total}
          here={selected}
          chosen={chosen}
          barClass="sticky bottom-0 mt-auto border-t border-line bg-raised p-3"
        />
        {!inbox.data && unread}
      </div>
      <div id="item" tabIndex={-1} className="flex min-h-dvh flex-col outline-none">
        <ItemPane key={selected} selected={selected} rows={rows} resting={resting} sent={sent} after={null} />
      </div>
    </div>
  )
}

const Nothing = () => (
  <>
    <PageHead title="Inbox" about="Nothing is waiting for you">
      <HistoryLink />
    </PageHead>
    <AllClear />
  </>
)

function NarrowInbox({ rows, total, chosen, address, inbox }: InboxState) {
  const navigate = useNavigate()
  const keys = keysOf(rows)
  const move = (step: 1 | -1) => () => {
    const next = neighbour(keys, address ?? focusedKey(), step)
    if (next === null) return
    if (address !== null) void navigate({ ...addressOf(next), replace: true })
    else document.querySelector<HTMLElement>(`[data-key="${CSS.escape(next)}"] a`)?.focus()
  }
  useShortcuts({
    j: move(1),
    k: move(-1),
    x: () => {
      const key = address ?? focusedKey()
      if (key !== null) chosen.toggle(key)
    },
    Escape:
      address === null
        ? chosen.selecting
          ? () => chosen.setSelecting(false)
          : undefined
        : () => void navigate({ to: paths.inbox }),
  })
  if (address !== null) return <ItemPage key={address} selected={address} rows={rows} keys={inbox.data ? keys : null} />
  if (!inbox.data)
    return inbox.error ? (
      <Failed error={inbox.error} retry={() => void inbox.refetch()} />
    ) : (
      <Loading what="Loading the inbox…" />
    )
  return (
    <div className="flex min-h-[calc(100dvh-4rem)] flex-col md:min-h-dvh">
      <InboxList
        rows={rows}
        total={total}
        here={null}
        chosen={chosen}
        barClass="sticky bottom-[calc(3.4rem+env(safe-area-inset-bottom))] md:bottom-0 z-10 mt-auto border-t border-line bg-raised px-4 py-3"
      />
      {rows.length === 0 && <AllClear />}
    </div>
  )
}

const focusedKey = (): string | null =>
  document.activeElement?.closest<HTMLElement>('[data-key]')?.dataset['key'] ?? null

/** A single item. It stays after it is answered, so that a second tap does not answer the next. */
function ItemPage({
  selected,
  rows,
  keys,
}: {
  selected: string
  rows: readonly ListedItem[]
  keys: readonly string[] | null
}) {
  const waiting = rows.filter(({ item, gone }) => item.mine && !gone && item.key !== selected)
  const [next] = waiting
  useEffect(() => {
    window.scrollTo(0, 0)
  }, [])
  const isAlert = selected.startsWith('alert:')
  return (
    <div className="flex min-h-[calc(100dvh-4rem)] flex-col [--diff-top:3.5rem] md:min-h-dvh">
      <PageHead title={isAlert ? 'Alert' : 'Ask'} back={paths.inbox} about={placeWords(keys, selected)} />
      <ItemPane
        selected={selected}
        rows={rows}
        resting={false}
        sent={() => undefined}
        after={
          <div className="flex gap-2 *:flex-1 sm:justify-end sm:*:flex-none">
            <ButtonLink to={paths.inbox} icon="inbox">
              Inbox
            </ButtonLink>
            {next && (
              <ButtonLink {...addressOf(next.item.key)} tone="main" icon="next">
                Next ({waiting.length})
              </ButtonLink>
            )}
          </div>
        }
      />
    </div>
  )
}

function placeWords(keys: readonly string[] | null, key: string): string {
  const at = keys?.indexOf(key) ?? -1
  if (keys === null) return '…'
  return at === -1 ? 'No longer waiting' : `${at + 1} of ${keys.length}`
}

/** Nothing waits. If no session ever ran, offers the first one. */
function AllClear() {
  const client = useClient()
  const { data } = useQuery({
    queryKey: ['sessions', 'any'],
    queryFn: () => client.listSessions({ query: { limit: 1 } }),
  })
  const isNew = data?.total === 0
  return (
    <Empty icon="check" title="All clear">
      <p>
        {isNew
          ? 'No agent has asked for anything yet.'
          : 'No agent is waiting for you. New asks appear here automatically.'}
      </p>
      <div className="flex min-h-11 flex-wrap justify-center gap-2">
        {isNew && (
          <ButtonLink to={paths.welcome} tone="main" icon="flag">
            Take the tour
          </ButtonLink>
        )}
        <ButtonLink to={paths.newSession} icon="plus">
          Start a session
        </ButtonLink>
      </div>
    </Empty>
  )
}

type ItemPaneProps = {
  selected: string
  rows: readonly ListedItem[]
  resting: boolean
  sent: () => void
  after: ReactNode
}

/** The item at an address, open or not. */
function ItemPane({ selected, rows, resting, sent, after }: ItemPaneProps) {
  const { kind, id } = partsOf(selected)
  const item = rows.find((row) => row.item.key === selected)?.item ?? null
  return kind === 'alert' ? (
    <AlertPane id={id} item={item?.kind === 'alert' ? item : null} resting={resting} after={after} />
  ) : (
    <AskPane id={id} item={item?.kind === 'ask' ? item : null} resting={resting} sent={sent} after={after} />
  )
}

const wide = '(min-width: 1024px)'

function subscribe(changed: () => void): () => void {
  const query = matchMedia(wide)
  query.addEventListener('change', changed)
  return () => query.removeEventListener('change', changed)
}

/** Wide enough for list and item side by side. */
const useWideScreen = (): boolean => useSyncExternalStore(subscribe, () => matchMedia(wide).matches)
