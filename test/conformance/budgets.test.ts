import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { databases } from '../support/server.ts'
import { until } from '../support/until.ts'
import { git, openAgentsHarness, type AgentSession, type AgentsHarness } from './agents-harness.ts'
import { lookInto, type Look } from './look.ts'
import { newPerson, type Person } from './people.ts'

type Amounts = { costUsd: number | null; tokens: number | null }
type Budget = Amounts & {
  id: string
  scope: string
  label: string
  period: string
  since: string
  spent: { costUsd: number; tokens: number }
  allowed: Amounts
  usedUp: boolean
  askId: string | null
}
type Ask = { id: string; title: string; status: string; answerers: string[]; sessionId: string | null }

describe.each(databases)('budgets on %s', (database) => {
  let harness: AgentsHarness
  let look: Look
  beforeAll(async () => {
    harness = await openAgentsHarness({
      database,
      config: '[acp]\nmax_sessions = 1000\n[budgets]\ntime_zone = "Asia/Kathmandu"\n',
    })
    look = await lookInto(harness.server)
  })
  afterAll(async () => {
    await look?.[Symbol.asyncDispose]()
    await harness?.[Symbol.asyncDispose]()
  })

  const list = async (api = harness.api) => (await api.get<{ budgets: Budget[] }>('/api/budgets')).budgets
  const set = async (body: object) => {
    const { status, body: said } = await harness.api.send('PUT', '/api/budgets', { body })
    expect(status).toBe(200)
    return said as Budget
  }
  const one = async (id: string) => (await list()).find((budget) => budget.id === id)!
  const remove = (id: string) => harness.api.delete(`/api/budgets/${id}`)
  const status = async ({ id }: { id: string }) => (await harness.detail({ id })).status
  const becomes = (session: { id: string }, wanted: string) =>
    until(async () => (await status(session)) === wanted, { what: `a session that is ${wanted}` })
  const openAsks = async (budget: { id: string }) => {
    const { asks } = await harness.api.get<{ asks: (Ask & { description: string | null })[] }>(
      '/api/asks?status=open&limit=100',
    )
    return asks.filter(({ description }) => description?.includes(budget.id))
  }
  const answer = (ask: { id: string }, body: object) => harness.api.post(`/api/asks/${ask.id}/answer`, body)
  async function newRepo(): Promise<{ id: string; path: string }> {
    const path = await harness.workspace()
    git(path, 'init', '--quiet')
    git(path, 'commit', '--quiet', '--allow-empty', '--message=first')
    return harness.api.post('/api/repos', { path })
  }
  const spend = (session: AgentSession, used: number, cost: number) => harness.prompt(session, `/usage ${used} ${cost}`)

  it('B6 a repo: its sessions pause when they have spent too much together, one ask continues all of them', async () => {
    const repo = await newRepo()
    const budget = await set({ scope: 'repo', repoId: repo.id, costUsd: 1 })
    const [first, second] = [await harness.start({ repoId: repo.id }), await harness.start({ repoId: repo.id })]
    const elsewhere = await harness.start()
    await harness.say(first, '/usage 10 0.60')
    await harness.say(elsewhere, '/usage 10 5')
    expect(await status(first)).toBe('active')
    expect(await one(budget.id)).toMatchObject({ spent: { costUsd: 0.6, tokens: 10 }, usedUp: false })
    await spend(second, 20, 0.4)
    await becomes(second, 'paused')
    const reason = (await harness.detail(second)).metadata['reason']
    expect(reason).toMatch(/^the budget of the repo .* is used up: \$1\.00 of \$1\.00 today$/)
    const [ask, ...more] = await openAsks(budget)
    expect(more).toEqual([])
    expect(ask).toMatchObject({ sessionId: null })
    expect(await one(budget.id)).toMatchObject({ usedUp: true, askId: ask!.id })
    await spend(first, 11, 0.61)
    await becomes(first, 'paused')
    expect(await openAsks(budget)).toHaveLength(1)
    expect(await status(elsewhere)).toBe('active')
    // A session that starts now pauses at once.
    const third = await harness.start({ repoId: repo.id })
    await becomes(third, 'paused')
    await harness.server.restart()
    await answer(ask!, { outcome: 'refine', instruction: '/say on' })
    for (const session of [first, second, third]) await becomes(session, 'active')
    expect(await one(budget.id)).toMatchObject({ usedUp: false, allowed: { costUsd: 2 }, askId: null })
    // The next one is asked again, and stopping ends them.
    await spend(second, 30, 1.5)
    await becomes(second, 'paused')
    const [again] = await openAsks(budget)
    expect(again!.id).not.toBe(ask!.id)
    await answer(again!, { outcome: 'stop' })
    await becomes(second, 'completed')
  })

  it('B6 exact when many sessions report at once: one ask, and the sum of all reports', async () => {
    const repo = await newRepo()
    const budget = await set({ scope: 'repo', repoId: repo.id, costUsd: 0.79, tokens: 1_000_000 })
    const sessions = await Promise.all(Array.from({ length: 8 }, () => harness.start({ repoId: repo.id })))
    await Promise.all(sessions.map((session) => spend(session, 1000, 0.1)))
    await until(async () => (await one(budget.id)).spent.tokens === 8000, { what: 'all reports' })
    expect((await one(budget.id)).spent.costUsd).toBeCloseTo(0.8, 9)
    await until(async () => (await openAsks(budget)).length > 0, { what: 'the ask' })
    expect(await openAsks(budget)).toHaveLength(1)
    // A report that is repeated, or read again after a crash, counts once.
    await harness.server.kill()
    await harness.server.restart()
    expect((await one(budget.id)).spent).toMatchObject({ tokens: 8000 })
    // A higher limit answers the ask.
    await set({ scope: 'repo', repoId: repo.id, costUsd: 100 })
    await until(async () => (await openAsks(budget)).length === 0, { what: 'the end of the ask' })
    for (const session of sessions) await becomes(session, 'active')
  })

  it('B6 a person, by tokens; removing the budget lets sessions continue', async () => {
    const ola: Person = await newPerson(harness.server, `Ola ${database}`)
    await harness.api.post(`/api/users/${ola.id}/roles`, { role: 'machine' })
    const budget = await set({ scope: 'person', userId: ola.id, period: 'month', tokens: 500 })
    const workspaceRoot = await harness.workspace()
    const start = { agent: 'practice', isolation: 'none', workspaceRoot, prompt: '/usage 500 0.01' }
    const session = await ola.api.post<AgentSession>('/api/sessions', start)
    await becomes(session, 'paused')
    expect(await one(budget.id)).toMatchObject({ usedUp: true, spent: { tokens: 500 }, label: `Ola ${database}` })
    // They see it, and can't change it, nor answer.
    expect((await list(ola.api)).map(({ id }) => id)).toContain(budget.id)
    const refusal = await ola.api.refused('PUT', '/api/budgets', { scope: 'person', userId: ola.id, costUsd: 1000 })
    expect(refusal).toMatchObject({ status: 403, code: 'needs_role' })
    const [ask] = await openAsks(budget)
    expect((await ola.api.refused('POST', `/api/asks/${ask!.id}/answer`, { outcome: 'continue' })).status).toBe(404)
    await remove(budget.id)
    await becomes(session, 'active')
  })

  it('B6 all sessions by day: what was spent before the day began, in the configured zone, does not count', async () => {
    const budget = await set({ scope: 'server', costUsd: 1_000 })
    // Kathmandu is a quarter of an hour off the full hour.
    expect(budget.since).toMatch(/T18:15:00\.000Z$/)
    const session = await harness.start()
    await harness.say(session, '/usage 7 3')
    const before = (await one(budget.id)).spent.costUsd
    const quarter = new Date(Date.parse(budget.since) - 900_000).toISOString()
    await look.change('update session_spending set quarter = ? where session_id = ?', quarter, session.id)
    expect((await one(budget.id)).spent.costUsd).toBeCloseTo(before - 3, 9)
    await remove(budget.id)
  })

  it('B6 one budget for the same sessions and period; wrong ones are refused', async () => {
    const repo = await newRepo()
    const done = await Promise.all([1, 2, 3].map((costUsd) => set({ scope: 'repo', repoId: repo.id, costUsd })))
    expect(new Set(done.map(({ id }) => id)).size).toBe(1)
    const code = async (body: object) => (await harness.api.refused('PUT', '/api/budgets', body)).code
    expect(await code({ scope: 'repo', costUsd: 1 })).toBe('budget_target')
    expect(await code({ scope: 'server', repoId: repo.id, costUsd: 1 })).toBe('budget_target')
    expect(await code({ scope: 'server' })).toBe('no_limit')
    expect(await code({ scope: 'server', costUsd: -1 })).toBe('invalid_request')
    expect(await code({ scope: 'person', userId: repo.id, costUsd: 1 })).toBe('user_not_found')
    await remove(done[0]!.id)
  })

  it('B6 on the command line: set, shown, removed', async () => {
    const repo = await newRepo()
    const cli = async (...words: string[]) => {
      const ran = await harness.server.cli(...words)
      expect(ran, ran.stderr).toMatchObject({ code: 0 })
      return ran.stdout
    }
    expect(await cli('budgets', 'set', '--repo', repo.id, '--usd', '2.50')).toContain('Spent: $0.00 of $2.50.')
    expect(await cli('budgets')).toMatch(/repo place-\d+ +day +\$0\.00 of \$2\.50/)
    const budget = (await list()).find(({ scope }) => scope === 'repo')!
    expect((await harness.server.cli('budgets', 'set', '--all')).code).toBe(2)
    expect((await harness.server.cli('budgets', 'remove', budget.id)).code).toBe(2)
    expect(await cli('budgets', 'remove', budget.id, '--yes')).toContain('was removed')
  })
})
