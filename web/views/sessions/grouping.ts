import { useState } from 'react'
import type { ListedSession } from '../../../src/client/contract/sessions.ts'
import { browserStorage } from '../../app/browser-storage.ts'
import { folderName } from './session-labels.ts'

export const groupings = { day: 'By day', project: 'By project', none: 'Not grouped' } as const
export type Grouping = keyof typeof groupings

const stored = 'signalbox.sessions.group'
const isGrouping = (value: unknown): value is Grouping => typeof value === 'string' && Object.hasOwn(groupings, value)

/** How this browser groups the list. */
export function useGrouping(): [Grouping, (next: Grouping) => void] {
  const [grouping, set] = useState<Grouping>(() => {
    const before = browserStorage.getItem(stored)
    return isGrouping(before) ? before : 'day'
  })
  return [
    grouping,
    (next) => {
      browserStorage.setItem(stored, next)
      set(next)
    },
  ]
}

type Grouped = Pick<ListedSession, 'createdAt' | 'pinnedAt' | 'repoName' | 'workspaceRoot'>

const projectOf = ({ repoName, workspaceRoot }: Grouped): string => repoName ?? folderName(workspaceRoot)

/** The list in its groups: pinned ones first, and a heading before the first of each group. */
export function grouped<T extends Grouped>(
  sessions: readonly T[],
  by: Grouping,
  now: Date,
): { session: T; head: string | null }[] {
  const headOf = (session: T) =>
    by === 'none'
      ? ''
      : session.pinnedAt !== null
        ? 'Pinned'
        : by === 'day'
          ? dayOf(session.createdAt, now)
          : projectOf(session)
  const pinned = sessions.filter(({ pinnedAt }) => pinnedAt !== null)
  const others = sessions.filter(({ pinnedAt }) => pinnedAt === null)
  // Within a project the newest stay first: sorting keeps the order of equals.
  const sorted = by === 'project' ? others.toSorted((a, b) => projectOf(a).localeCompare(projectOf(b))) : others
  let last = ''
  return [...pinned, ...sorted].map((session) => {
    const head = headOf(session)
    const isNew = head !== last
    last = head
    return { session, head: isNew && head !== '' ? head : null }
  })
}

/** `Today`, `Yesterday`, `Monday, March 2`, with the year if it is another. */
export function dayOf(at: string, now: Date): string {
  const day = new Date(at)
  const start = (date: Date) => new Date(date.getFullYear(), date.getMonth(), date.getDate()).getTime()
  const ago = Math.round((start(now) - start(day)) / 86_400_000)
  if (ago <= 0) return 'Today'
  if (ago === 1) return 'Yesterday'
  const isThisYear = day.getFullYear() === now.getFullYear()
  return day.toLocaleDateString('en', {
    weekday: 'long',
    month: 'long',
    day: 'numeric',
    ...(!isThisYear && { year: 'numeric' }),
  })
}
