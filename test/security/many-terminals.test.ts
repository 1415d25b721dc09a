import { randomUUID } from 'node:crypto'
import { appendFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import SqliteDatabase from 'better-sqlite3'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { newMachineUser, newPerson, type Person } from '../conformance/people.ts'
import { roomy } from '../conformance/work.ts'
import { startServer, type Server } from '../support/server.ts'
import { until } from '../support/until.ts'
import { openTestDirectories, type TestDirectories } from './test-directories.ts'

type Terminal = { sessionId: string; state: string }

/** Ended terminals, as from a person who starts many. */
function manyOf(server: Server, ownerId: string): void {
  const db = new SqliteDatabase(join(server.home, 'signalbox.db'))
  db.pragma('busy_timeout = 30000')
  const at = new Date(Date.now() + 1000).toISOString()
  const session = db.prepare(
    `insert into sessions (id, owner_user_id, status, protocol_mode, workspace_root, created_at, updated_at)
     values (?, ?, 'completed', 'terminal', '/srv/place', ?, ?)`,
  )
  const terminal = db.prepare(
    `insert into terminals (session_id, session_type, node_id, columns_wide, rows_high, closed_at)
     values (?, 'file', 'elsewhere', 80, 24, ?)`,
  )
  db.exec('begin immediate')
  for (let n = 0; n < 1100; n += 1) {
    const id = randomUUID()
    session.run(id, ownerId, at, at)
    terminal.run(id, at)
  }
  db.exec('commit')
  db.close()
}

describe('a person with a thousand terminals', () => {
  let server: Server
  let directories: TestDirectories
  let ann: Person
  let eve: Person
  beforeAll(async () => {
    directories = await openTestDirectories()
    const logs = await directories.directory('logs')
    server = await startServer({ config: `${roomy}[terminal]\nwatch_roots = ["${logs}"]\n` })
    ann = await newPerson(server, 'Ann')
    eve = await newMachineUser(server, 'Eve')
  })
  afterAll(async () => {
    await server?.[Symbol.asyncDispose]()
    await directories?.[Symbol.asyncDispose]()
  })

  const follow = async (person: Person, logFile: string): Promise<Terminal> => {
    await writeFile(logFile, '')
    return person.api.post<Terminal>('/api/terminals', { sessionType: 'file', logFile })
  }

  it('S8 does not push other people’s terminals out of their lists', async () => {
    const anns = await follow(ann, join(directories.path, 'logs', 'a.log'))
    manyOf(server, eve.id)
    const { terminals } = await ann.api.get<{ terminals: Terminal[] }>('/api/terminals')
    expect(terminals.map(({ sessionId }) => sessionId)).toEqual([anns.sessionId])
  })

  it('S9 can’t read a followed log once the machine right is revoked', async () => {
    const secret = join(directories.path, 'secret.log')
    const { sessionId } = await follow(eve, secret)
    const text = async () => (await server.api().get<{ text: string }>(`/api/terminals/${sessionId}/updates`)).text
    await appendFile(secret, 'first\n')
    await until(async () => (await text()).includes('first'))
    manyOf(server, eve.id)
    await server.api().delete(`/api/users/${eve.id}/roles/machine`)
    const state = async () => (await server.api().get<Terminal>(`/api/terminals/${sessionId}`)).state
    await until(async () => (await state()) === 'stopped', { what: 'the end of what she follows' })
    await appendFile(secret, 'second\n')
    expect(await text()).not.toContain('second')
  })
})
