import type { OverviewBy, OverviewRow } from '../../domain/session/overview.ts'
import { overviewOf, type Span } from '../../domain/session/store-overview.ts'
import { listNames } from '../../domain/user/query.ts'
import { listRepos } from '../../domain/workspace/store.ts'
import { ok } from '../../lib/result.ts'
import type { ReadContext } from './context.ts'

const mostRows = 4000
const figures = ['sessions', 'costUsd', 'asks', 'answered', 'automatic', 'waitedSeconds'] as const
const none = { sessions: 0, costUsd: 0, asks: 0, answered: 0, automatic: 0, waitedSeconds: 0 }

/** B19: what ran, what it cost and what waited. */
export function createOverviewReads({ database, behind }: ReadContext) {
  const { read: db } = database

  /** Names of the keys, which are ids of repos or people. */
  async function names(by: OverviewBy): Promise<ReadonlyMap<string, string>> {
    if (by === 'repo') return new Map((await listRepos(db, { removed: true })).map(({ id, name }) => [id, name]))
    if (by === 'person') return new Map((await listNames(db)).map(({ id, displayName }) => [id, displayName]))
    return new Map()
  }

  return {
    overview: behind('person', async (viewer, _who, span: Span, by: OverviewBy) => {
      const found = await overviewOf(db, viewer, span, by)
      const named = await names(by)
      const totals = { ...none }
      for (const row of found) for (const name of figures) totals[name] += row[name]
      totals.costUsd = Math.round(totals.costUsd * 1e6) / 1e6
      const rows = found.toSorted(orderOf(by)).slice(0, mostRows)
      return ok({
        ...span,
        by,
        totals,
        rows: rows.map((row) => Object.assign(row, { label: named.get(row.key) ?? row.key })),
      })
    }),
  }
}

const orderOf = (by: OverviewBy) => (a: OverviewRow, b: OverviewRow) =>
  (by === 'day' ? 0 : b.sessions - a.sessions) || (a.key < b.key ? -1 : 1)
