import { randomUUID } from 'node:crypto'
import { request } from 'node:http'
import { join } from 'node:path'
import SqliteDatabase from 'better-sqlite3'
import { expect, it } from 'vitest'
import { newPerson } from '../conformance/people.ts'
import { newToken } from '../conformance/work.ts'
import { optionsOf } from '../support/api.ts'
import { startServer } from '../support/server.ts'
import { until, within } from '../support/until.ts'

it('S9 a right that a newer version revoked is gone, even if its event can’t be read', async () => {
  await using server = await startServer()
  const eve = await newPerson(server, 'Eve')
  await server.api().post(`/api/users/${eve.id}/roles`, { role: 'admin' })
  expect((await eve.api.send('GET', '/api/users')).status).toBe(200)
  const ended = Promise.withResolvers<void>()
  let heard = ''
  const call = request({ ...optionsOf(eve.api.place), path: '/api/events', headers: eve.api.headers, agent: false })
  call.on('response', (response) => {
    response.on('data', (chunk: Buffer) => (heard += chunk.toString()))
    response.on('close', () => ended.resolve())
  })
  call.end()
  await until(() => heard.includes('retry'))

  // As another node of the same database would leave it.
  const db = new SqliteDatabase(join(server.home, 'signalbox.db'))
  db.pragma('busy_timeout = 30000')
  db.prepare('delete from user_roles where user_id = ?').run(eve.id)
  db.prepare(
    `insert into events (id, at, type, actor, stream, owner_user_id, visibility, data)
     values (?, ?, 'role.revoked', 'system:test', ?, ?, 'owner', '{"inAnotherShape":true}')`,
  ).run(randomUUID(), new Date().toISOString(), eve.id, eve.id)
  db.close()
  // Another event, so that the log is read.
  const mark = 'of the owner alone'
  await newToken(server.api(), { name: mark })

  await within(ended.promise, 'the end of the stream', 5)
  await until(async () => (await eve.api.send('GET', '/api/users')).status === 403)
  expect((await eve.api.send('GET', '/api/tokens?all=true')).status).toBe(403)
  expect(heard).not.toContain('"type":"token.created"')
})
