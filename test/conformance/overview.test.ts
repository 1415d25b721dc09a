import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { Api } from '../support/api.ts'
import { databases, startServer, type Server } from '../support/server.ts'
import { lookInto, type Look } from './look.ts'
import { me, newPerson, type Person } from './people.ts'
import { roomy } from './work.ts'

type Figures = {
  sessions: number
  costUsd: number
  asks: number
  answered: number
  automatic: number
  waitedSeconds: number
}
type Overview = {
  from: string
  to: string
  by: string
  totals: Figures
  rows: (Figures & { key: string; label: string })[]
}

const span = 'from=2026-03-01&to=2026-03-31'
const nothing = { sessions: 0, costUsd: 0, asks: 0, answered: 0, automatic: 0, waitedSeconds: 0 }

describe.each(databases)('the overview on %s', (database) => {
  let server: Server
  let look: Look
  let owner: Api
  let ownerId: string
  let ann: Person
  let bob: Person
  const overview = (api: Api, by: string, within = span) => api.get<Overview>(`/api/overview?${within}&by=${by}`)
  let count = 0
  const id = () => {
    count += 1
    return `01900000-0000-7000-8000-${String(count).padStart(12, '0')}`
  }
  const session = async (of: string, day: string, agent: string | null, repo: string | null = null) => {
    const one = id()
    const at = `2026-03-${day}T10:00:00.000Z`
    await look.change(
      `insert into sessions (id, owner_user_id, protocol_mode, status, workspace_root, repo_id, agent, created_at, updated_at)
       values (?, ?, 'mcp', 'completed', '/srv/place', ?, ?, ?, ?)`,
      one,
      of,
      repo,
      agent,
      at,
      at,
    )
    return one
  }
  const ask = async (sessionId: string, day: string) => {
    const one = id()
    await look.change(
      `insert into asks (id, session_id, kind, origin, title, status, subject, created_at)
       values (?, ?, 'question', 'acp', 'Which one', 'open', '{}', ?)`,
      one,
      sessionId,
      `2026-03-${day}T10:00:00.000Z`,
    )
    return one
  }
  const answer = (askId: string, by: string, at: string, automatic = 0) =>
    look.change(
      `update asks set status = 'answered', answer = '{"outcome":"approve"}', answered_by = ?, answered_at = ?, automatic = ? where id = ?`,
      by,
      `2026-03-${at}.000Z`,
      automatic,
      askId,
    )

  let repoId: string
  let lent: string
  beforeAll(async () => {
    server = await startServer({ database, config: roomy })
    owner = server.api()
    look = await lookInto(server)
    ownerId = await me(owner)
    ann = await newPerson(server, 'Ann')
    bob = await newPerson(server, '=Bob, "B"')
    repoId = id()
    await look.change(
      `insert into repos (id, name, path, created_at) values (?, 'shop', '/srv/shop', '2026-01-01T00:00:00.000Z')`,
      repoId,
    )
    const first = await session(ann.id, '02', 'codex', repoId)
    lent = await session(ann.id, '02', 'claude')
    const third = await session(bob.id, '03', 'codex', repoId)
    await session(ownerId, '03', null)
    await answer(await ask(first, '02'), bob.id, '02T10:01:30')
    await answer(await ask(first, '03'), ann.id, '03T10:00:30')
    await answer(await ask(lent, '03'), 'policy', '03T10:00:00', 1)
    await answer(await ask(third, '31'), ann.id, '31T11:00:00')
    await ask(third, '31')
    await look.change(
      `insert into session_days (session_id, day, person, cost_usd) values (?, '2026-03-05', ?, 1.25)`,
      third,
      bob.id,
    )
  })
  afterAll(async () => {
    await look?.[Symbol.asyncDispose]()
    await server?.[Symbol.asyncDispose]()
  })

  it('B19 sums up what ran, cost and waited, by day, agent, repo and person', async () => {
    const days = await overview(owner, 'day')
    expect(days.totals).toEqual({
      sessions: 4,
      costUsd: 1.25,
      asks: 5,
      answered: 3,
      automatic: 1,
      waitedSeconds: 90 + 30 + 3600,
    })
    expect(days.rows).toEqual([
      { ...nothing, key: '2026-03-02', label: '2026-03-02', sessions: 2, asks: 1, answered: 1, waitedSeconds: 90 },
      {
        ...nothing,
        key: '2026-03-03',
        label: '2026-03-03',
        sessions: 2,
        asks: 2,
        answered: 1,
        automatic: 1,
        waitedSeconds: 30,
      },
      { ...nothing, key: '2026-03-05', label: '2026-03-05', costUsd: 1.25 },
      { ...nothing, key: '2026-03-31', label: '2026-03-31', asks: 2, answered: 1, waitedSeconds: 3600 },
    ])
    const named = async (by: string) =>
      Object.fromEntries((await overview(owner, by)).rows.map(({ key: _key, label, ...figures }) => [label, figures]))
    expect(await named('agent')).toMatchObject({
      codex: { sessions: 2, costUsd: 1.25, asks: 4, answered: 3, waitedSeconds: 3720 },
      claude: { sessions: 1, asks: 1, automatic: 1, waitedSeconds: 0 },
      '': { sessions: 1 },
    })
    expect(await named('repo')).toMatchObject({ shop: { sessions: 2, asks: 4 }, '': { sessions: 2, asks: 1 } })
    // Sessions and cost of those who own them, answers of those who gave them.
    expect(await named('person')).toMatchObject({
      Ann: { sessions: 2, answered: 2, waitedSeconds: 30 + 3600, automatic: 1 },
      '=Bob, "B"': { sessions: 1, costUsd: 1.25, answered: 1, waitedSeconds: 90, asks: 2 },
    })
  })

  it('B19 its figures are those of the rows themselves', async () => {
    const [counted] = await look.rows<Record<string, number | string>>(
      `select count(*) as asks, sum(case when automatic = 0 and answer is not null then 1 else 0 end) as answered from asks`,
    )
    const [started] = await look.rows<Record<string, number | string>>('select count(*) as n from sessions')
    const { totals } = await overview(owner, 'repo')
    expect(totals.asks).toBe(Number(counted?.['asks']))
    expect(totals.answered).toBe(Number(counted?.['answered']))
    expect(totals.sessions).toBe(Number(started?.['n']))
    const by = await Promise.all(['day', 'agent', 'person'].map(async (one) => (await overview(owner, one)).totals))
    expect(by).toEqual([totals, totals, totals])
  })

  it('B19 everyone gets only what they may see, delegated sessions included', async () => {
    expect((await overview(ann.api, 'day')).totals).toMatchObject({ sessions: 2, asks: 3, costUsd: 0 })
    expect((await overview(bob.api, 'day')).totals).toMatchObject({ sessions: 1, asks: 2, costUsd: 1.25 })
    await look.change(
      `insert into session_delegates (session_id, user_id, granted_at) values (?, ?, '2026-03-04T00:00:00.000Z')`,
      lent,
      bob.id,
    )
    const seen = await overview(bob.api, 'agent')
    expect(seen.rows.map(({ key, sessions, asks }) => ({ key, sessions, asks }))).toEqual([
      { key: 'claude', sessions: 1, asks: 1 },
      { key: 'codex', sessions: 1, asks: 2 },
    ])
    await look.change('delete from session_delegates where session_id = ?', lent)
    expect((await overview(bob.api, 'agent')).totals.sessions).toBe(1)
  })

  it('B19 a session that moves to another repo and an answer that changes move their figures', async () => {
    const moving = await session(bob.id, '20', 'kimi')
    const one = await ask(moving, '20')
    await answer(one, ann.id, '20T10:00:10')
    await look.change('update sessions set repo_id = ? where id = ?', repoId, moving)
    const within = 'from=2026-03-20&to=2026-03-20'
    expect((await overview(owner, 'repo', within)).rows).toMatchObject([{ label: 'shop', sessions: 1, asks: 1 }])
    await look.change(
      `update asks set answer = null, answered_by = null, answered_at = null, status = 'open' where id = ?`,
      one,
    )
    const people = (await overview(owner, 'person', within)).rows
    expect(people).toEqual([{ ...nothing, key: bob.id, label: '=Bob, "B"', sessions: 1, asks: 1 }])
    await look.change(`update asks set status = 'cancelled' where id = ?`, one)
  })

  it('B19 CSV that no spreadsheet runs, by API and command line', async () => {
    const reply = await owner.send('GET', `/api/overview?${span}&by=person&format=csv`)
    expect(reply.headers['content-type']).toContain('text/csv')
    const lines = reply.text.split('\r\n')
    expect(lines[0]).toBe('key,label,sessions,costUsd,asks,answered,automatic,waitedSeconds')
    expect(reply.text).toContain(`${bob.id},"'=Bob, ""B""",`)
    const run = await server.cli('overview', '--by', 'agent', '--from', '2026-03-01', '--to', '2026-03-19', '--csv')
    expect(run.stdout).toContain('codex,codex,2,1.25,2,2,0,120')
    const table = await server.cli('overview', '--by', 'agent', '--from', '2026-03-01', '--to', '2026-03-19')
    expect(table.stdout).toMatch(/AGENT +SESSIONS +COST/)
    expect(table.stdout).toMatch(/codex +2 +\$1\.25/)
  })

  it('B19 an impossible span is refused', async () => {
    expect(await owner.send('GET', '/api/overview?from=2026-02-30')).toMatchObject({ status: 400 })
    const reply = await owner.send('GET', '/api/overview?from=2026-02-02&to=2026-02-01')
    expect(reply).toMatchObject({ status: 400, body: { error: { code: 'empty_span' } } })
  })
})
