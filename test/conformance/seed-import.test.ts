import { describe, expect, it } from 'vitest'
import { nanoclaw } from '../support/nanoclaw.ts'
import { databases, startServer } from '../support/server.ts'
import { lookInto } from './look.ts'
import type { SessionPage } from './shapes.ts'

type Report = {
  tables: { table: string; imported: number; unchanged: number; leftOut: number }[]
  leftOut: { table: string; id: string; reason: string }[]
}
type Person = { displayName: string; identities: { identity: string }[]; roles: { role: string }[] }
type Asks = { asks: { kind: string; status: string }[] }

const sum = ({ tables }: Report, field: 'imported' | 'unchanged' | 'leftOut') =>
  tables.reduce((total, row) => total + row[field], 0)

describe.each(databases)('data of the central database on %s', (database) => {
  it('C1 is imported by db import, once, while the server is stopped, and the server shows it', async () => {
    await using server = await startServer({ database })
    using from = nanoclaw()
    await using look = await lookInto(server)
    const refused = await server.cli('db', 'import', from.file)
    expect([refused.code, refused.stderr]).toEqual([6, expect.stringMatching(/running/)])
    await server.kill('SIGTERM')

    const before = await look.everything()
    const tried = await server.cli('db', 'import', from.file, '--dry-run')
    expect(tried).toMatchObject({
      code: 0,
      stdout: expect.stringMatching(/messaging_groups +4[^]*Nothing was changed/),
    })
    expect(await look.everything()).toBe(before)

    const first = JSON.parse((await server.cli('db', 'import', from.file, '--json')).stdout) as Report
    expect([sum(first, 'imported'), sum(first, 'leftOut')]).toEqual([40, 5])
    const after = await look.everything()
    const again = JSON.parse((await server.cli('db', 'import', from.file, '--json')).stdout) as Report
    expect([sum(again, 'imported'), sum(again, 'unchanged')]).toEqual([0, 41])
    expect(await look.everything()).toBe(after)

    await server.restart()
    const users = await server.api().list<Person>('/api/users')
    expect(users.find(({ displayName }) => displayName === 'Ann')).toMatchObject({
      identities: [{ identity: 'tg:123' }],
      roles: [{ role: 'owner' }],
    })
    const { sessions } = await server.api().get<SessionPage>('/api/sessions')
    expect(sessions.map(({ status }) => status).toSorted()).toEqual(['completed', 'interrupted', 'interrupted'])
    const { asks } = await server.api().get<Asks>('/api/asks')
    expect(asks.map(({ kind, status }) => `${kind} ${status}`).toSorted()).toEqual([
      'credential expired',
      'mcp_server consumed',
      'packages interrupted',
      'question interrupted',
    ])
    const wired = await look.rows(
      `select platform_id, engage_mode, local_name from messaging_group_agents as w
         join messaging_groups as c on c.id = w.messaging_group_id
         join agent_destinations as d on d.wiring_id = w.id order by platform_id, local_name`,
    )
    expect(wired).toHaveLength(5)
    expect(wired).toContainEqual({ platform_id: 'C100', engage_mode: 'pattern', local_name: 'dev-channel' })
  })

  it('C1 a file that is something else is refused, and a dry run needs a database', async () => {
    await using server = await startServer({ database })
    await server.kill('SIGTERM')
    using from = nanoclaw('drop table messaging_group_agents')
    const { code, stderr } = await server.cli('db', 'import', from.file)
    expect([code, stderr]).toEqual([
      1,
      expect.stringMatching(/not a NanoClaw database: it has no table messaging_group_agents/),
    ])
    const missing = await server.cli('db', 'import', `${from.file}.none`)
    expect(missing.stderr).toMatch(/was not found/)
    expect((await server.cli('db', 'rollback', '--to', '0', '--yes')).code).toBe(0)
    const tried = await server.cli('db', 'import', from.file, '--dry-run')
    expect([tried.code, tried.stderr]).toEqual([1, expect.stringMatching(/db migrate/)])
  })
})
