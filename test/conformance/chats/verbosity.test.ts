import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { until } from '../../support/until.ts'
import { chatDrivers } from './drivers.ts'
import { openChatsHarness, type ChatsHarness } from './harness.ts'

/** One word every tenth of a second, for some times as long as texts wait between two edits. */
const words = 60

describe.each(chatDrivers)('%s', (_name, open) => {
  let harness: ChatsHarness
  beforeAll(async () => {
    harness = await openChatsHarness(open)
    await writeFile(join(harness.workspace, 'notes.txt'), 'Trains rest here.\n')
  })
  afterAll(() => harness?.[Symbol.asyncDispose]())

  /** A chat where the agent is as talkative as this. */
  async function chatThatIs(verbosity: string): Promise<string> {
    const { api, driver, groupId } = harness
    const place = driver.another(verbosity)
    const chat = await api.post<{ id: string }>('/api/chats', {
      channelType: driver.platform,
      platformId: place,
      name: verbosity,
      isGroup: true,
      instanceId: harness.instanceId,
    })
    await api.post('/api/wirings', { chatId: chat.id, agentGroupId: groupId, verbosity, engageMode: 'mention-sticky' })
    return place
  }

  it.each([
    ['verbose', 'a text is shown while it grows, in one message; what tools do is shown'],
    ['quiet', 'a text is shown when it is whole; what tools do is not'],
  ])('X11 in a %s chat %s', async (verbosity) => {
    const { driver } = harness
    const place = await chatThatIs(verbosity)
    const tom = await harness.member(`Tom-${verbosity}`)
    const root = tom.mentions(`/slow ${words} 100`, undefined, place)
    const versions = new Map<string, string[]>()
    const whole = () => {
      for (const { id, text } of driver.posted(root, place)) {
        const seen = versions.get(id) ?? []
        if (seen.at(-1) !== text) versions.set(id, [...seen, text])
      }
      return driver.posted(root, place).some(({ text }) => new RegExp(`word-${words}(?!\\d| …)`).test(text))
    }
    await until(whole, { what: 'the whole text', seconds: 60 })
    const said = [...versions.values()].filter((seen) => seen.at(-1)?.includes('word-1 word-2'))
    expect(said).toHaveLength(1)
    const growing = said[0]?.filter((text) => text.includes('…')) ?? []
    expect([growing.length > 1, growing.length === 0]).toEqual(verbosity === 'verbose' ? [true, false] : [false, true])

    tom.mentions('/read notes.txt', root, place)
    tom.mentions('/say the end', root, place)
    await until(() => driver.posted(root, place).some(({ text }) => text.startsWith('the end')), { what: 'the end' })
    const tools = driver.posted(root, place).filter(({ text }) => text.includes('⚙️'))
    expect(tools.length > 0).toBe(verbosity === 'verbose')
  })
})
