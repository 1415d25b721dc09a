import { rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { smallDisk } from '../support/broken-disk.ts'
import { errorOf, get, post } from '../support/kill-harness-http.ts'
import { brokenInvariants } from '../support/kill-harness-invariants.ts'
import { sqliteRows } from '../support/kill-harness-rows.ts'
import { startReady, type ServerLife } from '../support/kill-harness-server.ts'
import { until } from '../support/until.ts'

const megabyte = 1024 * 1024

describe('a full disk', () => {
  it('refuses writes with a hint, still serves reads, and continues when there is room again', async (context) => {
    using disk = smallDisk(12, context)
    const filler = join(disk.path, 'filler')
    writeFileSync(filler, Buffer.alloc(4 * megabyte))
    await using life = await startReady({ home: disk.path })
    const session = String((await post(life.socketPath, '/api/sessions', { protocolMode: 'mcp' })).body['id'])
    const kept: string[] = []
    const refused = await fillUp(life, session, kept)
    expect([refused.status, errorOf(refused).code]).toEqual([503, 'database_full'])
    expect(errorOf(refused).hint).toMatch(/space/)
    expect(kept.length).toBeGreaterThan(10)

    const stored = async () => (await get(life.socketPath, `/api/sessions/${session}/messages`)).text
    expect(kept).toEqual(idsIn(await stored()))
    const many = await Promise.all(Array.from({ length: 20 }, () => say(life, session, 'still full')))
    // One that fits into the remaining space may be accepted; the others are refused, and nothing of them is stored.
    const taken = many.filter(({ status }) => status === 201).map(({ body }) => String(body['id']))
    expect(taken.length).toBeLessThan(many.length / 2)
    const refusals = many.filter(({ status }) => status !== 201)
    expect(new Set(refusals.map((reply) => errorOf(reply).code))).toEqual(new Set(['database_full']))
    kept.push(...taken)
    expect(kept.toSorted()).toEqual(idsIn(await stored()).toSorted())

    rmSync(filler)
    const after = await say(life, session, 'room again')
    expect(after.status).toBe(201)
    kept.push(String(after.body['id']))
    expect(kept.toSorted()).toEqual(idsIn(await stored()).toSorted())
    // The follower that could not save its place continues too.
    const last = sqliteRows(join(disk.path, 'signalbox.db')).events.at(-1)
    await until(() => life.log.some((line) => line['id'] === last?.['id']), { what: 'the last event in the log' })
    expect(await life.kill('SIGTERM')).toEqual({ code: 0, signal: null })
    expect(brokenInvariants(sqliteRows(join(disk.path, 'signalbox.db')))).toEqual([])
  })
})

const say = (life: ServerLife, session: string, text: string) =>
  post(life.socketPath, `/api/sessions/${session}/messages`, { role: 'agent', content: { type: 'text', text } })

/** Writes until refused. */
async function fillUp(life: ServerLife, session: string, kept: string[]) {
  // Large ones first, then small ones into the remaining space.
  for (const size of [64_000, 4000, 100]) {
    for (let n = 0; n < 2000; n += 1) {
      const reply = await say(life, session, 'x'.repeat(size))
      if (reply.status !== 201) {
        if (size === 100) return reply
        break
      }
      kept.push(String(reply.body['id']))
    }
  }
  throw new Error('the disk did not fill up')
}

function idsIn(text: string): string[] {
  const messages: { id: string }[] = JSON.parse(text)
  return messages.map(({ id }) => id)
}
