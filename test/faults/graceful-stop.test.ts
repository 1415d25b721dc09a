import { readdirSync } from 'node:fs'
import { request as send } from 'node:http'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { createKillHarness, missedEvents } from '../support/kill-harness.ts'
import { post } from '../support/kill-harness-http.ts'
import { postgresRows, sqliteRows } from '../support/kill-harness-rows.ts'
import { freshHome } from '../support/kill-harness-server.ts'
import { freshPostgres } from '../support/postgres.ts'
import { until, within } from '../support/until.ts'

describe.each(['sqlite', 'postgres'] as const)('a normal stop under load, on %s', (kind) => {
  it('keeps every acknowledged write, answers or closes, exits 0 within seconds and leaves no socket', async () => {
    using home = freshHome()
    await using database = kind === 'postgres' ? await freshPostgres() : null
    const harness = createKillHarness({
      home: home.path,
      env: database ? { SIGNALBOX_DATABASE__URL: database.url } : {},
      rows: async () => (database ? postgresRows(database.url) : sqliteRows(join(home.path, 'signalbox.db'))),
      writers: 20,
      seed: 7,
    })
    for (const writes of [1, 30, 80]) {
      await using life = await harness.start()
      const waiting = await longPoll(life.socketPath)
      const before = harness.journal.acknowledged.length
      await harness.loadUntil(life, async () => {
        await until(() => harness.journal.acknowledged.length >= before + writes)
        expect(await within(life.kill('SIGTERM'), 'the end of the server', 8)).toEqual({ code: 0, signal: null })
      })
      // Answered or closed, but never left hanging.
      await within(waiting.over, 'the end of the long poll', 1)
      expect(life.printed()).toContain('Stopped.')
      expect(readdirSync(join(home.path, 'run')).filter((file) => file.endsWith('.sock'))).toEqual([])
      expect(await harness.problems()).toEqual([])
    }
    await using last = await harness.start()
    await harness.settle(last)
    expect(await harness.problems()).toEqual([])
    const rows = database ? await postgresRows(database.url) : sqliteRows(join(home.path, 'signalbox.db'))
    await within(harness.reader.until(String(rows.events.at(-1)?.['id'])), 'the last event')
    expect(await last.kill('SIGTERM')).toEqual({ code: 0, signal: null })
    expect(missedEvents(harness, rows)).toEqual({ outside: [], inside: [] })
    expect(harness.errors).toEqual([])
  })
})

/** Waits for an answer that nobody gives; resolves when the server releases it. */
async function longPoll(socketPath: string): Promise<{ over: Promise<unknown> }> {
  const session = await post(socketPath, '/api/sessions', { protocolMode: 'mcp' })
  const ask = await post(socketPath, `/api/sessions/${String(session.body['id'])}/asks`, {
    title: 'nobody answers',
    subject: { kind: 'question', question: 'Anyone?' },
  })
  const over = new Promise((resolve) => {
    const path = `/api/asks/${String(ask.body['id'])}?wait=60`
    send({ socketPath, path, agent: false, headers: { host: 'localhost' } }, (response) => {
      response.resume().on('close', resolve)
    })
      .on('error', resolve)
      .end()
  })
  return { over }
}
