import { sql } from 'kysely'
import { expect, it } from 'vitest'
import { identityOf } from '../../src/app/chat/identities.ts'
import type { AskId } from '../../src/domain/ask/schema.ts'
import { countMessages } from '../../src/domain/message/store.ts'
import { partsAt } from '../../src/domain/chat-post/store.ts'
import { iso } from '../../src/lib/clock.ts'
import { newId } from '../../src/lib/id.ts'
import { scale } from '../support/scale.ts'
import { describeBoth, type World } from '../world.ts'
import { chatHarness } from './chat-harness.ts'

const many = scale({ test: 20_000, long: 100_000 })
/** What a read of all of them takes far longer for. */
const soonMs = 1000

async function fill(world: World, table: string, row: (at: number) => Record<string, unknown>): Promise<void> {
  const size = 1000
  await world.database.write.transaction().execute(async (tx) => {
    for (let from = 0; from < many; from += size) {
      const rows = Array.from({ length: size }, (_, at) => row(from + at))
      await (tx as never as { insertInto(name: string): { values(rows: unknown): { execute(): Promise<void> } } })
        .insertInto(table)
        .values(rows)
        .execute()
    }
  })
}
const timed = async <T>(work: () => Promise<T>): Promise<[T, number]> => {
  const start = performance.now()
  const result = await work()
  return [result, performance.now() - start]
}

describeBoth('with very many rows', (open) => {
  it('C4 the summary counts, cards find their reader, and posts their parts, without reading them all', async () => {
    await using world = await open()
    const on = await chatHarness(world)
    const group = await on.group('Dev')
    const chatId = await on.chat('C1')
    await on.wire(chatId, group)
    const ann = await on.member(group)
    await on.say('go', { messageId: '1.0' })
    const sessionId = (await on.sessions())[0]!.id
    const at = iso(world.clock.now())
    const content = JSON.stringify({ type: 'text', text: 'x'.repeat(200) })
    await fill(world, 'messages', () => ({ id: newId(), session_id: sessionId, role: 'agent', content, timestamp: at }))
    await fill(world, 'users', (n) => ({ id: `p${n}`, display_name: `P${n}`, created_at: at }))
    await fill(world, 'user_identities', (n) => ({ identity: `slack:P${n}`, user_id: `p${n}`, linked_at: at }))
    const post = { instance_id: on.instanceId, messaging_group_id: chatId, subject_kind: 'ask', subject_id: 'one' }
    await fill(world, 'chat_posts', (n) => ({
      ...post,
      id: newId(),
      thread_id: `t${n}`,
      part: 0,
      content: '{}',
      created_at: at,
      updated_at: at,
    }))
    if (world.database.flavor.oneWriter) await sql`analyze`.execute(world.database.write)
    else await sql`vacuum analyze messages`.execute(world.database.write)

    const instance = { name: 'slack', platform: 'slack' }
    const people = { instance, idPrefix: 'slack', ids: 'local' as const }
    const subject = { kind: 'ask', id: 'one' }
    const ask = { id: newId<AskId>(), sessionId, answerers: null, kind: 'diff' as const }
    const [found, ms] = await timed(async () => [
      await countMessages(world.database.read, sessionId),
      await world.app.chat.reachable(people, await world.app.recipients.candidates(ask as never)),
      await partsAt(world.database.read, { subject, chatId, thread: 't77' }),
    ])
    expect(found).toEqual([many, [{ userId: ann.userId, handle: 'U1' }], 1])
    expect(identityOf(people, 'U1')).toBe('slack:U1')
    expect(ms).toBeLessThan(soonMs)
  }, 120_000)
})
