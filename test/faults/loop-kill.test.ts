import { once } from 'node:events'
import { mkdirSync, readdirSync, watch } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { holdDatabase } from '../support/held-database.ts'
import { differs, diffTo, treeOf } from '../support/loop-files.ts'
import { openLoopHarness } from '../support/loop-harness.ts'
import { until } from '../support/until.ts'
import { freshPostgres } from '../support/postgres.ts'
import { runLoops, type LoopReport, type LoopTrial } from '../support/loop-trial.ts'
import { campaignSeed, figure, scale } from '../support/scale.ts'

const seed = campaignSeed()

const inWords = (counts: ReadonlyMap<string, number>): string =>
  [...counts].map(([what, times]) => `${what} ${times}`).join(', ')

async function trial(name: string, how: Omit<LoopTrial, 'seed'>): Promise<LoopReport> {
  const report = await runLoops({ ...how, seed })
  const { points, kills, rounds, phases, tally } = report
  figure(`MCP loops on ${name}`, `${points} kill points in ${kills} kills and ${rounds} rounds, seed ${seed}`)
  console.log(`  at: ${inWords(phases)}\n  accept_diff and breaks: ${inWords(tally)}`)
  // One text: for a list the message would show only its length.
  expect(report.problems.join('\n'), `seed ${seed}`).toBe('')
  return report
}

it(
  'killed at any point on SQLite: no ask and no answer is lost, every change is written once and whole',
  { timeout: 400_000 },
  async () => {
    const ways = ['http', 'http', 'http', 'http', 'http-2026', 'http-2026', 'stdio', 'stdio'] as const
    const { points } = await trial('SQLite', { ways, moments: scale({ test: 12, long: 36 }) })
    expect(points).toBeGreaterThanOrEqual(scale({ test: 40, long: 200 }))
  },
)

it('the same on PostgreSQL', { timeout: 200_000 }, async () => {
  await using database = await freshPostgres()
  const ways = ['http', 'http', 'http', 'http-2026', 'stdio'] as const
  const { points } = await trial('PostgreSQL', {
    ways,
    moments: scale({ test: 3, long: 9 }),
    env: { SIGNALBOX_DATABASE__URL: database.url },
  })
  expect(points).toBeGreaterThanOrEqual(scale({ test: 6, long: 30 }))
})

it('killed after all files are written but before `consumed`: the next start says consumed, and writes nothing again', async () => {
  await using harness = await openLoopHarness({ places: 1 })
  const { server } = harness
  const { path } = harness.spot(0)
  const journals = join(server.home, 'journal')
  mkdirSync(journals)
  const agent = await harness.connect(0)
  for (let version = 1; version <= 5; version += 1) {
    const title = `version ${version}`
    const asked = agent.call('ask_approval', { title, diff: diffTo('w0', version), file_path: 'a.txt' })
    const ask = await harness.openAsk(title)
    await harness.answer(ask, { outcome: 'approve' })
    await asked
    const begun = once(watch(journals), 'change')
    const accepting = agent.call('accept_diff', { request_id: ask.id })
    await begun
    {
      using _held = holdDatabase(server.home)
      await until(() => differs(path, treeOf('w0', version)) === null, {
        what: 'files that are written while the database is held',
      })
      await server.kill()
    }
    await server.start()
    const { status } = await server.owner.get<{ status: string }>(`/api/asks/${ask.id}`)
    expect(status, title).toBe('consumed')
    expect(readdirSync(journals), title).toEqual([])
    // A call made just before the end is unknown afterwards: its caller is told to call again.
    const said = await accepting.catch(() => agent.call('accept_diff', { request_id: ask.id }))
    expect(['applied', 'already_consumed'], JSON.stringify(said)).toContain(said['error_code'] ?? said['status'])
    expect(differs(path, treeOf('w0', version)), title).toBeNull()
  }
  await agent.kill()
})
