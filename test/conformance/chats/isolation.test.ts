import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { figure, scale } from '../../support/scale.ts'
import { until } from '../../support/until.ts'
import { signIn } from '../people.ts'
import type { Trouble } from './driver.ts'
import { chatDrivers } from './drivers.ts'
import { openChatsHarness, type ChatsHarness } from './harness.ts'

const kinds: Trouble[] = ['hangs', 'waits', 'breaks']
/** The platforms share the outbox, so each has one kind of trouble in `npm test`, and every kind in the long run. */
const kindsOf = (name: string): Trouble[] =>
  scale({
    test: kinds.filter((_, at) => at === chatDrivers.findIndex(([driver]) => driver === name) % kinds.length),
    long: kinds,
  })
/** More threads than there are calls at once to one chat. */
const threads = scale({ test: 4, long: 12 })
/** Beside eight other test files; the quiet figure is far below. */
const soonMs = 10_000

describe.each(chatDrivers)('%s', (name, open) => {
  let harness: ChatsHarness
  beforeAll(async () => {
    harness = await openChatsHarness(open)
  })
  afterAll(() => harness?.[Symbol.asyncDispose]())

  it.each(kindsOf(name))(
    'C4 R16 a chat that %s delays no other chat, no approval and no page, and gets everything once it is well',
    async (how) => {
      const { api, driver } = harness
      const ann = await harness.member(`Ann-${how}`)
      const hers = (await signIn(harness.server, ann.userId)).api
      const slow = driver.another(`slow-${how}`)
      const chat = await api.post<{ id: string }>('/api/chats', {
        channelType: driver.platform,
        platformId: slow,
        name: `slow-${how}`,
        isGroup: true,
        instanceId: harness.instanceId,
      })
      await api.post('/api/wirings', { chatId: chat.id, agentGroupId: harness.groupId, engageMode: 'mention-sticky' })
      const heal = driver.trouble(slow, how)
      const before = (await harness.sessions()).length
      const stuck = Array.from({ length: threads }, (_, at) => ann.mentions(`/say slow${at}`, undefined, slow))
      await until(async () => (await harness.sessions()).length >= before + threads, { what: 'the sessions' })

      const times: number[] = []
      const timed = async <T>(work: () => Promise<T>): Promise<T> => {
        const start = performance.now()
        const result = await work()
        times.push(performance.now() - start)
        return result
      }
      for (let count = 0; count < 3; count += 1)
        await timed(async () => {
          const root = ann.mentions(`/say well${count}`)
          await harness.shown(root, ({ text }) => text.startsWith(`well${count}`), 'a reply in the other chat')
        })
      const file = `${how}.txt`
      const { root, card } = await timed(async () => {
        const asked = ann.mentions(`/write ${file} Hello there.`)
        return { root: asked, card: await harness.card(asked) }
      })
      await timed(async () => {
        const { asks } = await hers.get<{ asks: { id: string }[] }>('/api/asks?status=open')
        await hers.post(`/api/asks/${asks[0]?.id}/answer`, { outcome: 'approve' })
        await until(() => readFile(join(harness.workspace, file), 'utf8').catch(() => undefined), { what: 'the file' })
        await harness.shown(root, ({ id, buttons }) => id === card.id && buttons.length === 0, 'the answered card')
      })
      await timed(() => harness.sessions())
      await timed(() => harness.server.tcp().send('GET', '/'))
      figure(
        `${name}: while another chat ${how}, the slowest of replies, approval and page`,
        `${Math.round(Math.max(...times))} ms`,
      )
      expect(Math.max(...times)).toBeLessThan(soonMs)
      // Nothing of the other chat came through yet.
      const came = stuck.flatMap((one) => driver.posted(one, slow)).length
      expect(how === 'hangs' ? 0 : came).toBe(0)

      heal()
      for (const [at, one] of stuck.entries())
        await until(() => driver.posted(one, slow).some(({ text }) => text.startsWith(`slow${at}`)), {
          what: 'what waited',
          seconds: 60,
        })
      for (const [at, one] of stuck.entries())
        expect(driver.posted(one, slow).filter(({ text }) => text.startsWith(`slow${at}`))).toHaveLength(1)
    },
    150_000,
  )
})
