import { expect, it } from 'vitest'
import type { FetchFile } from '../../src/app/chat/receive-files.ts'
import { iso } from '../../src/lib/clock.ts'
import { describeBoth } from '../world.ts'
import { chatHarness, sender } from './chat-harness.ts'

const notes = { id: 'F1', name: 'notes.txt', mime: 'text/plain', bytes: 5 }

describeBoth('C3 files in a chat', (open) => {
  async function wired(fetchFile: FetchFile, more: object = {}) {
    const world = await open()
    const on = await chatHarness(world)
    const group = await on.group('Dev')
    const chatId = await on.chat('C1', { unknownSenderPolicy: 'public' })
    await on.wire(chatId, group, more)
    await on.member(group)
    /** Takes all that is due once. */
    async function take(): Promise<void> {
      const at = { instances: [on.instanceId], busy: [], limit: 10 }
      for (const row of await world.app.chat.inbox.due(iso(world.clock.now()), at))
        if (row.event.kind === 'message') await on.take(row, row.event, { ...on.inlet, fetchFile })
    }
    return { on, take, world, [Symbol.asyncDispose]: () => world[Symbol.asyncDispose]() }
  }

  it('come with the first prompt of a session, also if the server dies while they are fetched', async () => {
    let fetched = 0
    await using scene = await wired(async () => {
      fetched += 1
      if (fetched === 1) throw new Error('the server died')
      return { kind: 'file', bytes: Buffer.from('notes') }
    })
    const { on, world, take } = scene
    await on.arrive('look', { messageId: '1.0', files: [notes] })
    await take()
    expect([await on.told(), on.starts()]).toEqual([[], 1])
    world.clock.advance(60_000)
    await take()
    expect(await on.told()).toEqual([
      expect.stringMatching(
        /^Ann: look\n {2}\[file: notes\.txt, text\/plain, 5 bytes, saved as \.chat-files\/[0-9a-f]{12}\/1-notes\.txt\]$/,
      ),
    ])
    await world.database.write.updateTable('chat_inbox').set({ status: 'waiting' }).execute()
    await world.database.write.deleteFrom('chat_deliveries').execute()
    await take()
    expect([(await on.told()).length, on.starts()]).toEqual([1, 1])
  })

  it('of what was said before go along; those of people who are not members are only named', async () => {
    const asked: string[] = []
    await using scene = await wired(
      async ({ id }) => {
        asked.push(id)
        return { kind: 'transient', error: 'not now' }
      },
      { ignoredMessagePolicy: 'accumulate', sessionMode: 'shared', engageMode: 'mention' },
    )
    const { on, take } = scene
    await on.arrive('my notes', { mention: false, thread: '1.0', files: [notes] })
    await take()
    expect(asked).toEqual([])
    await on.arrive('look', { thread: '1.0' })
    await take()
    expect(asked).toEqual(['F1'])
    expect((await on.told()).join()).toContain('not available: it could not be fetched]')
    await on.arrive('and mine', { thread: '1.0', from: sender('U9', 'Eve'), files: [{ ...notes, id: 'F9' }] })
    await take()
    expect(asked).toEqual(['F1'])
  })
})
