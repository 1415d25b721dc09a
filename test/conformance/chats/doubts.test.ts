import { expect, describe, it } from 'vitest'
import { until } from '../../support/until.ts'
import { openChatsHarness, type ChatsHarness } from './harness.ts'
import { openTelegramDriver } from './telegram-driver.ts'

type Telegram = Awaited<ReturnType<typeof openTelegramDriver>>

/** The server dies after Telegram has a message, before we know it. */
async function dieInDoubt({ driver, server }: ChatsHarness<Telegram>, sendSomething: () => unknown): Promise<void> {
  const held = Promise.withResolvers<void>()
  const arrived = driver.answerLate(held.promise)
  await sendSomething()
  await arrived
  await server.kill('SIGKILL')
  held.resolve()
}

describe('a message of which nobody knows whether it arrived', () => {
  it('C4 is found in a supergroup, however much people wrote after it', async () => {
    await using harness = await openChatsHarness(openTelegramDriver)
    const { driver, server } = harness
    const ann = await harness.member('Ann')
    const root = ann.mentions('/say first')
    await harness.shown(root, ({ text }) => text.startsWith('first\n'), 'the first reply')
    // In a topic that is not the session's; more than Telegram hands out at once.
    const elsewhere = driver.telegram.topic(driver.chat)
    const bob = driver.telegram.person('bob')
    const chatter = () => {
      for (let count = 0; count < 150; count += 1) bob.writes(driver.chat, `chatter ${count}`, { thread: elsewhere })
    }
    await dieInDoubt(harness, () => {
      chatter()
      ann.says('/say second', root)
    })
    chatter()
    await server.restart()
    ann.says('/say third', root)
    // A search that needs more than thirty calls continues some seconds later.
    await until(() => driver.posted(root).some(({ text }) => text.startsWith('third\n')), {
      what: 'a later reply',
      seconds: 90,
    })
    expect(driver.posted(root).filter(({ text }) => text.startsWith('second\n'))).toHaveLength(1)
    expect(driver.telegram.ours(driver.chat).every(({ edits = 0 }) => edits <= 1)).toBe(true)
  }, 120_000)

  it('C4 is sent again at most once if the platform can not tell, and is a dead letter then', async () => {
    await using harness = await openChatsHarness(openTelegramDriver)
    const { driver, server } = harness
    const api = harness.api
    // A small group: its ids say nothing.
    const small = driver.telegram.group('small', 'group')
    const chat = await api.post<{ id: string }>('/api/chats', {
      channelType: 'telegram',
      platformId: small,
      name: 'small',
      isGroup: true,
      instanceId: harness.instanceId,
    })
    const copies = () => driver.telegram.ours(small).filter(({ text }) => text?.includes('test message')).length
    await dieInDoubt(harness, () => api.post(`/api/chats/${chat.id}/test`))
    for (let kill = 0; kill < 3; kill += 1) {
      const held = Promise.withResolvers<void>()
      const before = copies()
      driver.telegram.fail({ method: 'sendMessage', hold: held.promise })
      await server.restart()
      await until(async () => copies() > before || (await api.list<unknown>('/api/dead-letters')).length > 0, {
        what: 'another copy, or a dead letter',
        seconds: 60,
      })
      await server.kill('SIGKILL')
      held.resolve()
    }
    expect(copies()).toBe(2)
    await server.restart()
    const [letter] = await api.list<{ id: string; error: string }>('/api/dead-letters')
    expect(letter?.error).toContain('may have arrived')
    // Whoever looks into the chat can decide.
    await api.post(`/api/dead-letters/${letter?.id}/retry`)
    await until(() => copies() === 3, { what: 'a third copy, on demand' })
  }, 180_000)
})
