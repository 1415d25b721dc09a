import { expect, describe, it } from 'vitest'
import { figure, scale } from '../../support/scale.ts'
import { until } from '../../support/until.ts'
import { chatDrivers } from './drivers.ts'
import { openChatsHarness } from './harness.ts'

const threads = scale({ test: 3, long: 10 })
const perThread = scale({ test: 12, long: 100 })
const kills = scale({ test: 3, long: 20 })

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
      let betweenAnswerAndCommit = 0
      for (let kill = 0; kill < kills; kill += 1) {
        const upTo = Math.ceil(((kill + 1) * (perThread - 1)) / kills) + 1
        const held = Promise.withResolvers<void>()
        // Every other time the server dies after the platform has the message, before we know it.
        const arrived = kill % 2 === 0 ? driver.answerLate(held.promise) : null
        for (; said < upTo; said += 1) for (const [at, root] of roots.entries()) ann.says(`/say t${at}n${said}`, root)
        if (arrived) {
          await arrived
          betweenAnswerAndCommit += 1
        }
        await server.kill('SIGKILL')
        held.resolve()
        await server.restart()
      }
      const replies = (root: string) =>
        driver
          .posted(root)
          .filter(isReply)
          .flatMap(({ text }) => wordsIn(text))
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
      figure(
        `${name}: messages in and out, kills, of them between answer and commit`,
        [threads * perThread, kills, betweenAnswerAndCommit].join(', '),
      )
      expect(betweenAnswerAndCommit).toBeGreaterThanOrEqual(Math.floor(kills / 4))
    },
    scale({ test: 180_000, long: 1_800_000 }),
  )
})
