import { join } from 'node:path'
import { expect, it } from 'vitest'
import { startServer } from '../support/server.ts'
import { until } from '../support/until.ts'
import { newRepo, openAgentsHarness } from './agents-harness.ts'
import { create, over, runsOf, soon } from './schedules-harness.ts'
import type { SessionPage } from './shapes.ts'
import { exportLog } from './work.ts'

const config = '[acp]\nmax_sessions = 1000\n'

it(
  'C8 of two servers on one PostgreSQL, one starts each due run; when it is killed, the other continues',
  { timeout: 180_000 },
  async () => {
    await using harness = await openAgentsHarness({ database: 'postgres', config })
    const { id: repoId } = await newRepo(harness)
    const env = { SIGNALBOX_DATABASE__URL: harness.server.databaseUrl ?? '', HOME: join(harness.home) }
    await using other = await startServer({ config, env })
    const at = soon(5000)
    const together = await Promise.all(Array.from({ length: 6 }, () => create(harness.api, { at, repoId })))
    for (const one of together) expect(await over(other.api(), one, 1, 60)).toMatchObject([{ status: 'completed' }])
    const started = async () => (await exportLog(other.api())).filter(({ type }) => type === 'schedule.run_started')
    expect(await started()).toHaveLength(6)
    expect((await other.api().get<SessionPage>('/api/sessions')).total).toBe(6)

    // The lease of a killed server moves to the other one.
    const later = await create(harness.api, { every: '1h', repoId })
    await harness.server.kill()
    await other.api().post(`/api/schedules/${later.id}/run`)
    await until(async () => (await runsOf(other.api(), later))[0]?.status === 'completed', {
      what: 'a run on the other server',
      seconds: 60,
    })
    expect((await other.api().get<SessionPage>('/api/sessions')).total).toBe(7)
  },
)
