import { expect, describe, it } from 'vitest'
import { figure, scale } from '../../support/scale.ts'
import { until } from '../../support/until.ts'
import { chatDrivers } from './drivers.ts'
import { openChatsHarness } from './harness.ts'

const threads = scale({ test: 3, long: 10 })
const perThread = scale({ test: 12, long: 100 })
const kills = scale({ test: 6, long: 20 })

/**
 * When the server dies. `answered`: the platform has our message, and we do not know it yet. `handled`: what people wrote
 * is with its session, and our acknowledgement got lost. `unread`: it was only just sent. `acknowledged`: all of it is.
 */
const moments = ['answered', 'handled', 'answered', 'unread', 'answered', 'acknowledged'] as const

/** The words of this campaign that a text contains, in order. */
const wordsIn = (text: string): string[] => [...new Set(text.match(/\bt\d+n\d+\b/g))]
/** What the agent says is the word alone; the card of the session shows its prompt too. */
const isReply = ({ text }: { text: string }): boolean => /^t\d+n\d+\s/.test(text)

describe.each(chatDrivers)('%s', (name, open) => {
  it(
    'C4 R23 everything said reaches its session once and in order, and every reply arrives once and in order, however often the server is killed',
    async () => {
      await using harness = await openChatsHarness(open)
      const { driver, server } = harness
      const ann = await harness.member('Ann')
      const roots = Array.from({ length: threads }, (_, at) => ann.mentions(`/say t${at}n0`))
      for (const root of roots) await harness.shown(root, ({ text }) => text.includes('n0'), 'the first reply')

      let said = 1
      const comesAgain: number[] = []
      const counts = { answered: 0, handled: 0, unread: 0, acknowledged: 0 }
      const replies = (root: string) =>
        driver
          .posted(root)
          .filter(isReply)
          .flatMap(({ text }) => wordsIn(text))
      for (let kill = 0; kill < kills; kill += 1) {
        const upTo = Math.ceil(((kill + 1) * (perThread - 1)) / kills) + 1
        const held = Promise.withResolvers<void>()
        const moment = moments[kill % moments.length] ?? 'answered'
        const arrived = moment === 'answered' ? driver.answerLate(held.promise) : null
        const hearAgain = moment === 'handled' || moment === 'unread' ? driver.loseAcknowledgements() : null
        const first = said
        for (; said < upTo; said += 1) for (const [at, root] of roots.entries()) ann.says(`/say t${at}n${said}`, root)
        await arrived
        if (moment === 'handled')
          await until(() => roots.some((root) => replies(root).some((word) => word.endsWith(`n${first}`))), {
            what: 'a reply to a message that the platform will send again',
            seconds: 60,
          })
        if (moment === 'acknowledged')
          await until(() => driver.unacknowledged() === 0, { what: 'all acknowledgements', seconds: 60 })
        if (hearAgain) comesAgain.push(driver.unacknowledged())
        counts[moment] += 1
        await server.kill('SIGKILL')
        held.resolve()
        hearAgain?.()
        await server.restart()
      }
      const expected = (at: number) => Array.from({ length: perThread }, (_, n) => `t${at}n${n}`)
      await until(() => roots.every((root) => replies(root).length >= perThread), {
        what: `all replies (${roots.map((root) => replies(root).length).join()})`,
        seconds: scale({ test: 60, long: 600 }),
      })
      for (const [at, root] of roots.entries()) {
        expect(replies(root)).toEqual(expected(at))
        const session = (await harness.sessions()).find(({ threadId }) => threadId === root)
        const { messages } = await harness.api.get<{ messages: { role: string; content: { text?: string } }[] }>(
          `/api/sessions/${session?.id}`,
        )
        const heard = messages
          .filter(({ role }) => role === 'user')
          .flatMap(({ content }) => wordsIn(content.text ?? ''))
        expect(heard).toEqual(expected(at))
      }
      const { answered, handled, unread, acknowledged } = counts
      figure(`${name}: messages in and out`, `${threads * perThread}`)
      figure(`${name}: kills between the platform's answer and our commit`, `${answered}`)
      figure(`${name}: kills before our acknowledgement, after it`, `${handled + unread}, ${acknowledged}`)
      expect(Math.min(...comesAgain)).toBeGreaterThan(0)
      expect(answered).toBeGreaterThanOrEqual(Math.floor(kills / 4))
      expect(Math.min(handled, unread, acknowledged)).toBeGreaterThan(0)
    },
    scale({ test: 180_000, long: 1_800_000 }),
  )
})
