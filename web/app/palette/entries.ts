import { useQuery } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { useDeferredValue, useState } from 'react'
import { useClient } from '../../api/backend.tsx'
import { inboxQuery } from '../../api/queries.ts'
import { alertTitle } from '../../views/inbox/alert-text.ts'
import { addressOf } from '../../views/inbox/item-address.ts'
import { folderName, protocolLabels, stateLabel, titleOf } from '../../views/sessions/session-labels.ts'
import { sections } from '../../views/settings/settings-page.tsx'
import type { IconName } from '../../ui/icon.tsx'
import { listTitle, safeText } from '../../ui/safe-text.ts'
import { keys } from '../keys.ts'
import { paths } from '../paths.ts'
import { places } from '../places.ts'
import { viewActions } from '../view-actions.ts'
import { bestOf } from './fuzzy.ts'

export type Entry = {
  readonly id: string
  readonly label: string
  readonly detail: string
  readonly icon: IconName
  /** That do the same; empty if there are none. */
  readonly keys: string
  readonly run: () => void
}
export type EntryGroup = { readonly label: string; readonly items: readonly Entry[] }

type Kind = { readonly label: string; readonly entries: readonly Entry[]; readonly most: number }

/** Everything the palette knows that fits what was typed, the best group first. */
export function useEntries(typed: string): { groups: EntryGroup[]; searching: boolean } {
  const sessions = useSessions(typed)
  // What the view can do as the palette opens; it does not change under the pointer.
  const [actions] = useState(actionsHere)
  const kinds: Kind[] = [
    { label: 'On this page', entries: actions, most: 20 },
    { label: 'Waiting', entries: useWaiting(), most: 6 },
    { label: 'Sessions', entries: sessions.entries, most: 8 },
    { label: 'Places', entries: usePlaces(), most: 12 },
    { label: 'Settings', entries: useSettings(), most: 20 },
  ]
  const found = kinds.map(({ label, entries, most }) => {
    const best = bestOf(typed, entries, ({ label: name, detail }) => `${name} ${detail}`, most)
    return { label, items: best.map(({ item }) => item), score: best[0]?.score ?? 0 }
  })
  return {
    groups: found.filter(({ items }) => items.length > 0).toSorted((a, b) => b.score - a.score),
    searching: sessions.searching,
  }
}

/** Answers first; what every view can do last. */
const rank = (name: string | undefined): number => {
  const at = keys.findIndex((one) => one.keys[0] === name)
  return at === -1 ? keys.findIndex((one) => one.keys[0] === '/') : at
}

const actionsHere = (): Entry[] =>
  viewActions()
    .toSorted((a, b) => rank(a.keys) - rank(b.keys))
    .map(({ label, run, keys: names = '' }, index) => ({
      id: `action:${index}`,
      label,
      detail: '',
      icon: 'play',
      keys: names,
      run,
    }))

function useWaiting(): Entry[] {
  const navigate = useNavigate()
  const { data } = useQuery(inboxQuery(useClient()))
  const [now] = useState(() => Date.now())
  return (data?.items ?? []).map((item) => ({
    id: item.key,
    label: item.kind === 'ask' ? listTitle(item.ask.title) : alertTitle(item.alert, now),
    detail: safeText(
      [item.session?.agent, item.session?.repoName, item.session?.title].filter(Boolean).join(' · ').slice(0, 200),
    ),
    icon: item.kind === 'ask' ? 'inbox' : 'alert',
    keys: '',
    run: () => void navigate(addressOf(item.key)),
  }))
}

/** The newest sessions, and those the server finds. */
function useSessions(typed: string): { entries: Entry[]; searching: boolean } {
  const navigate = useNavigate()
  const client = useClient()
  const q = useDeferredValue(typed.trim().slice(0, 200))
  const newest = useQuery({
    queryKey: ['sessions', 'palette', ''],
    queryFn: () => client.listSessions({ query: { limit: 100, view: 'full' } }),
  })
  const found = useQuery({
    queryKey: ['sessions', 'palette', q],
    queryFn: () => client.listSessions({ query: { limit: 20, view: 'full', q } }),
    enabled: q.length > 1,
  })
  const all = [...(newest.data?.sessions ?? []), ...(found.data?.sessions ?? [])]
  const entries = [...new Map(all.map((session) => [session.id, session])).values()].map((session): Entry => {
    const { id, protocolMode, agent, repoName, workspaceRoot } = session
    const place = repoName ?? folderName(workspaceRoot)
    return {
      id: `session:${id}`,
      label: titleOf(session, session.title),
      detail: safeText(`${agent ?? protocolLabels[protocolMode].label} · ${place} · ${stateLabel(session).label}`),
      icon: protocolMode === 'terminal' ? 'terminal' : 'sessions',
      keys: '',
      run: () => void navigate({ to: protocolMode === 'terminal' ? paths.terminal : paths.session, params: { id } }),
    }
  })
  return { entries, searching: newest.isLoading || (found.isFetching && !found.data) }
}

type Place = { to: string; label: string; icon: IconName; keys?: string }

function usePlaces(): Entry[] {
  const navigate = useNavigate()
  const others = [
    { to: paths.history, label: 'History', icon: 'clock', keys: 'g h' },
    { to: paths.catchUp, label: 'Catch up', icon: 'clock', keys: 'g c' },
    { to: paths.newTerminal, label: 'New terminal', icon: 'plus' },
    { to: paths.newSchedule, label: 'New schedule', icon: 'plus' },
    { to: paths.welcome, label: 'Tour', icon: 'flag' },
  ] as const
  return [...places, ...others].map(({ to, label, icon, keys: names = '' }: Place) => ({
    id: to,
    label,
    detail: '',
    icon,
    keys: names,
    run: () => void navigate({ to }),
  }))
}

function useSettings(): Entry[] {
  const navigate = useNavigate()
  return sections.map(({ to, label, about, icon }) => ({
    id: to,
    label,
    detail: about,
    icon,
    keys: '',
    run: () => void navigate({ to }),
  }))
}
