import Database from 'better-sqlite3'
import { join } from 'node:path'
import type { Api } from '../support/api.ts'
import type { Server } from '../support/server.ts'
import { until } from '../support/until.ts'

export type Run = {
  id: string
  dueAt: string
  trigger: string
  status: string
  reason: string | null
  missed: number
  sessionId: string | null
  startedAt: string | null
  endedAt: string | null
  costUsd: number | null
}
export type Schedule = {
  id: string
  name: string
  ownerUserId: string
  status: string
  nextAt: string | null
  upcoming?: string[]
  timing: Record<string, unknown>
  lastRun: Run | null
  failuresInARow: number
}

export const create = (api: Api, more: Record<string, unknown>): Promise<Schedule> =>
  api.post('/api/schedules', { prompt: '/say Done.', agent: 'practice', ...more })

export const soon = (ms: number): string => new Date(Date.now() + ms).toISOString()

export const runsOf = (api: Api, { id }: { id: string }): Promise<Run[]> => api.list(`/api/schedules/${id}/runs`)

/** Its runs, once there are so many and all of them are over. */
export const over = (api: Api, schedule: { id: string }, count: number, seconds = 30): Promise<Run[]> =>
  until(
    async () => {
      const runs = await runsOf(api, schedule)
      return runs.length === count && runs.every(({ endedAt }) => endedAt !== null) ? runs : null
    },
    { what: `the end of ${count} runs`, seconds },
  )

/** As if the server had been down for a while: its due time passed. The server must not be running. */
export function passed({ home }: Server, { id }: { id: string }, ms: number): void {
  const db = new Database(join(home, 'signalbox.db'))
  const at = new Date(Date.now() - ms).toISOString()
  db.prepare('update schedules set next_at = ? where id = ?').run(at, id)
  db.prepare(`update deadlines set due_at = ? where subject_id = ? and kind = 'schedule'`).run(at, id)
  db.close()
}
