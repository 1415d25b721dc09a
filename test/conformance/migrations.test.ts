import { existsSync, readdirSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { cleanEnv, databases, freshHome, runCli, startServer } from '../support/server.ts'
import { scale } from '../support/scale.ts'
import { freshPostgres } from '../support/postgres.ts'
import { lookInto } from './look.ts'
import type { SessionPage } from './shapes.ts'
import { newAgent, startSession } from './work.ts'

type Status = {
  current: number
  newest: number
  applied: { version: number; name: string; applied: string }[]
  pending: object[]
}

/** An empty database with the command line, and no server. */
async function emptyPlace(database: string) {
  const home = await freshHome()
  const postgres = database === 'postgres' ? await freshPostgres() : null
  const env = cleanEnv({ SIGNALBOX_HOME: home, ...(postgres && { SIGNALBOX_DATABASE__URL: postgres.url }) })
  const run = (...args: string[]) => runCli(args, env)
  return {
    home,
    databaseUrl: postgres?.url ?? null,
    run,
    status: async () => JSON.parse((await run('db', 'status', '--json')).stdout) as Status,
    async [Symbol.asyncDispose]() {
      rmSync(home, { recursive: true, force: true })
      await postgres?.[Symbol.asyncDispose]()
    },
  }
}

describe.each(databases)('migrations on %s', (database) => {
  it('X12 run twice, rolled back completely, and run again', async () => {
    await using place = await emptyPlace(database)
    expect((await place.run('db', 'migrate')).code).toBe(0)
    const first = await place.status()
    expect(first).toMatchObject({ current: first.newest, pending: [] })
    await using look = await lookInto(place)
    const tables = (await look.tables()).toSorted()
    const again = await place.run('db', 'migrate')
    expect(again).toMatchObject({ code: 0, stdout: expect.stringMatching(/up to date/) })
    expect(await place.status()).toEqual(first)
    expect(await place.run('db', 'rollback', '--to', '0')).toMatchObject({
      code: 2,
      stderr: expect.stringMatching(/ [^]*Nothing was changed[^]*db rollback --to 0 --yes/),
    })
    const down = await place.run('db', 'rollback', '--to', '0', '--yes')
    expect([down.code, down.stderr]).toEqual([0, ''])
    expect(await place.status()).toMatchObject({ current: 0 })
    expect(await look.tables()).toEqual(['schema_version'])
    const functions = "select proname from pg_proc where pronamespace = 'public'::regnamespace"
    expect(place.databaseUrl ? await look.rows(functions) : []).toEqual([])
    expect((await place.run('db', 'migrate')).code).toBe(0)
    expect((await look.tables()).toSorted()).toEqual(tables)
  })

  // src/db/migrate.test.ts compares the schema before and after every single step.
  it('X12 each step works forward and back on its own', async () => {
    await using place = await emptyPlace(database)
    await place.run('db', 'migrate')
    const { newest } = await place.status()
    const last = scale({ test: newest - 3, long: 0 })
    for (let version = newest; version > last; version -= 1) {
      expect((await place.run('db', 'rollback', '--yes')).code).toBe(0)
      expect((await place.status()).current).toBe(version - 1)
    }
    expect((await place.run('db', 'rollback', '--to', '0', '--yes')).code).toBe(0)
    expect((await place.run('db', 'rollback', '--yes')).code).toBe(0)
    await place.run('db', 'migrate')
    expect((await place.status()).current).toBe(newest)
  })

  it('X12 several at once migrate once', async () => {
    await using place = await emptyPlace(database)
    const runs = await Promise.all([1, 2, 3].map(() => place.run('db', 'migrate')))
    expect(runs.map(({ code, stderr }) => [code, stderr])).toEqual([
      [0, ''],
      [0, ''],
      [0, ''],
    ])
    const { newest, applied } = await place.status()
    expect(applied).toHaveLength(newest)
  })

  it('C1 the ledger is schema_version(version, name, applied)', async () => {
    await using place = await emptyPlace(database)
    await place.run('db', 'migrate')
    await using look = await lookInto(place)
    const rows = await look.rows<Record<string, unknown>>('select * from schema_version order by version')
    expect(Object.keys(rows[0]!).toSorted()).toEqual(['applied', 'name', 'version'])
    expect(rows.map((row) => Number(row['version']))).toEqual(rows.map((_, n) => n + 1))
  })

  it('X12 a newer schema is left alone with a clear message', async () => {
    await using place = await emptyPlace(database)
    await place.run('db', 'migrate')
    await using look = await lookInto(place)
    await look.change(
      "insert into schema_version (version, name, applied) values (999, 'tomorrow', '2030-01-01T00:00:00.000Z')",
    )
    for (const args of [
      ['serve', '--port', '0'],
      ['db', 'migrate'],
      ['db', 'rollback', '--yes'],
    ]) {
      const { code, stdout, stderr } = await place.run(...args)
      expect([args, code]).not.toEqual([args, 0])
      expect(stdout + stderr).toMatch(/schema 999/i)
    }
    expect((await look.rows('select * from schema_version')).length).toBeGreaterThan(1)
  })

  it('X12 data survives a migration of a server’s own database, and rollback is refused while it runs', async () => {
    await using server = await startServer({ database })
    const session = await startSession(await newAgent(server))
    const refused = await server.cli('db', 'rollback')
    expect(refused.code).not.toBe(0)
    expect(refused.stderr).toMatch(/running/)
    expect((await server.cli('db', 'migrate')).code).toBe(0)
    await server.restart()
    expect(await server.api().get<SessionPage>('/api/sessions')).toMatchObject({ sessions: [{ id: session.id }] })
  })

  it('B19 what there was before the overview is summed up, and a rollback takes only the sums', async () => {
    await using place = await emptyPlace(database)
    await place.run('db', 'migrate')
    expect((await place.run('db', 'rollback', '--to', '30', '--yes')).code).toBe(0)
    await using look = await lookInto(place)
    const at = '2026-03-02T10:00:00.000Z'
    await look.change(`insert into users (id, display_name, created_at) values ('ann', 'Ann', ?)`, at)
    await look.change(
      `insert into sessions (id, owner_user_id, protocol_mode, status, workspace_root, agent, created_at, updated_at)
       values ('s1', 'ann', 'acp', 'completed', '/srv/a', 'codex', ?, ?), ('s2', 'ann', 'mcp', 'completed', '/srv/a', null, ?, ?)`,
      at,
      at,
      at,
      at,
    )
    await look.change(
      `insert into asks (id, session_id, kind, origin, title, status, subject, answer, answered_by, answered_at, created_at)
       values ('a1', 's1', 'question', 'acp', 'Which one', 'answered', '{}', '{}', 'ann', '2026-03-02T10:00:02.500Z', ?)`,
      at,
    )
    await look.change(
      `insert into agents (session_id, node_id, state, updated_at) values ('s1', 'n', '{"usage":{"costUsd":0.5}}', ?)`,
      '2026-03-04T09:00:00.000Z',
    )
    expect((await place.run('db', 'migrate')).code).toBe(0)
    const sums = await look.rows<Record<string, unknown>>(
      'select day, agent, sessions, cost_usd, asks, answered, waited_ms from overview_days order by day, agent',
    )
    expect(
      sums.map((row) => Object.values(row).map((value) => (/^[\d.]+$/.test(String(value)) ? Number(value) : value))),
    ).toEqual([
      ['2026-03-02', '', 1, 0, 0, 0, 0],
      ['2026-03-02', 'codex', 1, 0, 1, 1, 2500],
      ['2026-03-04', 'codex', 0, 0.5, 0, 0, 0],
    ])
    expect((await place.run('db', 'rollback', '--to', '30', '--yes')).code).toBe(0)
    expect(await look.tables()).not.toContain('overview_days')
    await look.change(`update asks set answered_at = ? where id = 'a1'`, at)
    expect(await look.rows('select id from sessions')).toHaveLength(2)
  })

  it('X12 sessions have indexes on (channel_id, status) and (channel_id, thread_ts)', async () => {
    await using place = await emptyPlace(database)
    await place.run('db', 'migrate')
    await using look = await lookInto(place)
    expect(await look.indexes('sessions')).toEqual(
      expect.arrayContaining(['channel_id, status', 'channel_id, thread_ts']),
    )
  })

  it('A8 there are indexes on session, repo, status and timestamp, and foreign keys', async () => {
    await using place = await emptyPlace(database)
    await place.run('db', 'migrate')
    await using look = await lookInto(place)
    const leading = async (table: string) => (await look.indexes(table)).map((columns) => columns.split(', ')[0])
    expect(await leading('sessions')).toEqual(
      expect.arrayContaining(['repo_id', 'status', 'created_at', 'owner_user_id']),
    )
    expect(await leading('messages')).toEqual(expect.arrayContaining(['session_id', 'timestamp']))
    expect(await leading('asks')).toEqual(expect.arrayContaining(['session_id', 'status']))
    expect(await look.references('messages')).toContain('session_id → sessions')
    expect(await look.references('asks')).toContain('session_id → sessions')
    expect(await look.references('tokens')).toEqual(
      expect.arrayContaining(['user_id → users', 'session_id → sessions']),
    )
    expect((await look.references('sessions')).toSorted()).toEqual([
      'agent_group_id → agent_groups',
      'messaging_group_id → messaging_groups',
      'owner_user_id → users',
      'recovered_as → sessions',
      'repo_id → repos',
      'restart_of → sessions',
    ])
  })
})

describe('the SQLite file', () => {
  it('X12 is copied before a step runs, and the copy opens', async () => {
    await using place = await emptyPlace('sqlite')
    await place.run('db', 'migrate')
    await place.run('db', 'rollback', '--yes')
    const folder = join(place.home, 'backups')
    expect(existsSync(folder)).toBe(true)
    const before = readdirSync(folder).length
    await place.run('db', 'migrate')
    expect(readdirSync(folder).length).toBeGreaterThan(before)
  })
})
