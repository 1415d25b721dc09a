import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { compareWithJournal } from '../support/kill-harness-compare.ts'
import { errorOf, get, post, request } from '../support/kill-harness-http.ts'
import { brokenInvariants } from '../support/kill-harness-invariants.ts'
import { newJournal } from '../support/kill-harness-journal.ts'
import { createEventReader } from '../support/kill-harness-reader.ts'
import { postgresRows } from '../support/kill-harness-rows.ts'
import { freshHome, startLife, startReady } from '../support/kill-harness-server.ts'
import { until, within } from '../support/until.ts'
import { freePort, ownPostgres, type OwnPostgres } from './own-postgres.ts'

let postgres: OwnPostgres
beforeAll(async () => {
  postgres = await ownPostgres()
  await postgres.start()
})
afterAll(() => postgres[Symbol.asyncDispose]())

describe('an unusable PostgreSQL', () => {
  it.each([
    ['is unreachable', async () => `postgres://postgres:hidden-word@127.0.0.1:${await freePort()}/postgres`],
    ['has another password', async () => postgres.urlWith('hidden-word')],
    ['has no such database', async () => postgres.url.replace(/\/postgres$/, '/nowhere')],
  ])('is refused at startup with a clear message if it %s', async (_what, url) => {
    using home = freshHome()
    await using life = await startLife({ home: home.path, env: { SIGNALBOX_DATABASE__URL: await url() } })
    expect(await within(life.exited, 'the end of the server')).toEqual({ code: 1, signal: null })
    expect(life.printed()).toMatch(/PostgreSQL/)
    expect(life.printed()).not.toMatch(/^\s+at /m)
    expect(life.printed()).not.toMatch(/hidden-word|correct-horse/)
  })

  it('gives 503 while it is down, and everything continues automatically when it is back', async () => {
    using home = freshHome()
    const env = { SIGNALBOX_DATABASE__URL: postgres.url, SIGNALBOX_MAX_CONCURRENT_SESSIONS: '1000' }
    await using life = await startReady({ home: home.path, env })
    const reader = createEventReader()
    reader.connect(life.socketPath)
    const journal = newJournal()
    /** Starts a session and records the responses. */
    async function write(mark: string): Promise<[number, string | undefined]> {
      const body = { protocolMode: 'mcp', prompt: mark, metadata: { mark } }
      const path = '/api/sessions'
      const headers = { 'idempotency-key': mark }
      const reply = await request(life.socketPath, { method: 'POST', path, body, headers })
      const operation = { kind: 'session' as const, mark, path, body, key: mark, target: null }
      if (reply.status === 201) journal.acknowledged.push({ operation, body: reply.body })
      return [reply.status, errorOf(reply).code]
    }

    expect(await write('before')).toEqual([201, undefined])
    for (const round of [1, 2]) {
      await postgres.crash()
      const away = await within(
        Promise.all(Array.from({ length: 10 }, (_, n) => write(`away-${round}-${n}`))),
        'answers while PostgreSQL is away',
        20,
      )
      expect(new Set(away.map(([status, code]) => `${status} ${code}`))).toEqual(new Set(['503 database_unavailable']))
      const read = await within(get(life.socketPath, '/api/sessions'), 'an answer to a read', 20)
      expect([read.status, errorOf(read).code]).toEqual([503, 'database_unavailable'])
      expect((await get(life.socketPath, '/healthz')).status).toBe(200)
      expect((await get(life.socketPath, '/readyz')).status).toBe(503)

      await postgres.start()
      await until(async () => (await get(life.socketPath, '/readyz')).status === 200, { what: 'readiness' })
      // The same request again: what was refused is done now, what was done is not repeated.
      for (let n = 0; n < 10; n += 1) expect(await write(`away-${round}-${n}`)).toEqual([201, undefined])
    }

    const last = await post(life.socketPath, '/api/sessions', { protocolMode: 'mcp', prompt: 'last' })
    expect(last.status).toBe(201)
    const rows = await postgresRows(postgres.url)
    const lastEvent = String(rows.events.at(-1)?.['id'])
    await within(reader.until(lastEvent), 'the last event, on the connection opened before', 20)
    reader.close()
    await until(() => life.log.some((line) => line['id'] === lastEvent), { what: 'the last event in the log' })
    expect(reader.faults).toEqual([])
    expect(reader.seen).toEqual(rows.events.map((row) => row['id']))
    expect([...compareWithJournal(journal, rows), ...brokenInvariants(rows)]).toEqual([])
    expect(life.log.filter((line) => line['msg'] === 'request failed')).toEqual([])
    expect(await life.kill('SIGTERM')).toEqual({ code: 0, signal: null })
  })
})
