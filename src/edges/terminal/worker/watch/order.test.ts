import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { openWatchHarness, type WatchHarness } from '../../../../../test/support/watch-harness.ts'

type Event =
  | { do: 'print'; text: string }
  | { do: 'type'; text: string }
  | { do: 'kernel'; reading: 'read' | 'poll' | 'no' | null }
  | { do: 'mode'; echo: boolean; canonical: boolean }
  | { do: 'says'; says: 'waiting' | 'working' | 'unknown' }
  | { do: 'resize' }
  | { do: 'pass'; ms: number }
  | { do: 'now' }

const texts = ['Name: ', 'Password: ', '$ ', 'ok\n', '\n', '\r', 'Error: no\n', '⠋ ', 'x'.repeat(200)]
const keys = [
  'a',
  'yes',
  '\r',
  'zq7\r',
  '\u0003',
  '\u0004',
  '\u007F',
  '\u001B[A',
  '\u001B[200~p\u001B[201~',
  '\u001B[3;4R',
]
const event: fc.Arbitrary<Event> = fc.oneof(
  fc.record({ do: fc.constant('print' as const), text: fc.constantFrom(...texts) }),
  fc.record({ do: fc.constant('type' as const), text: fc.constantFrom(...keys) }),
  fc.record({ do: fc.constant('kernel' as const), reading: fc.constantFrom('read', 'poll', 'no', null) }),
  fc.record({ do: fc.constant('mode' as const), echo: fc.boolean(), canonical: fc.boolean() }),
  fc.record({ do: fc.constant('says' as const), says: fc.constantFrom('waiting', 'working', 'unknown') }),
  fc.constant({ do: 'resize' as const }),
  fc.record({ do: fc.constant('pass' as const), ms: fc.constantFrom(5, 15, 30, 100, 300, 1500) }),
  fc.constant({ do: 'now' as const }),
)
const life = fc.tuple(fc.array(event, { maxLength: 40 }), fc.array(event, { maxLength: 5 }))

async function act(harness: WatchHarness, event: Event): Promise<void> {
  if (event.do === 'print') harness.print(event.text)
  else if (event.do === 'type') harness.type(event.text)
  else if (event.do === 'mode') harness.mode(event.echo, event.canonical)
  else if (event.do === 'says') harness.scene.says = event.says
  else if (event.do === 'resize') harness.watch.resized()
  else if (event.do === 'pass') await harness.pass(event.ms)
  else if (event.do === 'now') await harness.watch.now()
  else if (event.reading === null) harness.scene.fg = null
  else harness[event.reading === 'read' ? 'reads' : event.reading === 'poll' ? 'polls' : 'works']()
}

describe('in any order of events', () => {
  it('at most one prompt is open, ids never come back, an answer belongs to one prompt, and an end is final', async () => {
    await fc.assert(
      fc.asyncProperty(life, fc.boolean(), fc.constantFrom(0, 1, null), async ([events, after], remote, code) => {
        const harness = openWatchHarness({}, remote)
        for (const event of events) await act(harness, event)
        harness.watch.exited(code)
        const end = harness.reports.length
        for (const event of after) await act(harness, event)
        await harness.pass(50)

        const order: (string | null)[] = []
        for (const { state, prompt } of harness.reports) {
          expect(prompt !== null).toBe(state === 'waiting')
          if (order.at(-1) !== (prompt?.id ?? null)) order.push(prompt?.id ?? null)
        }
        const ids = order.filter((id) => id !== null)
        expect(new Set(ids).size).toBe(ids.length)
        expect(harness.reports).toHaveLength(end)
        expect(harness.reports.at(-1)?.state).toBe('exited')
        const answered = harness.entered.map(({ prompt }) => prompt.id)
        expect(new Set(answered).size).toBe(answered.length)
        expect(answered.every((id) => ids.includes(id))).toBe(true)
        for (const { secret, text } of harness.entered) expect(secret).toBe(text === null)
        const judged = harness.outcomes.map(({ promptId }) => promptId)
        expect(new Set(judged).size).toBe(judged.length)
        harness.watch[Symbol.dispose]()
        expect(harness.clock.timers()).toEqual([])
      }),
      { numRuns: 200 },
    )
  })

  it('nothing typed at a secret prompt is ever reported', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(event, { maxLength: 20 }), async (events) => {
        const harness = openWatchHarness({ mode: { echo: false, canonical: true } })
        harness.print('Enter it: ')
        harness.reads()
        await harness.pass(50)
        harness.type('zq7hunter2')
        const harmless = events.filter((event) => event.do !== 'mode' && event.do !== 'type')
        for (const event of harmless) await act(harness, event)
        harness.type('\r')
        await harness.pass(1500)
        expect(JSON.stringify([harness.reports, harness.entered, harness.outcomes])).not.toContain('zq7')
        harness.watch[Symbol.dispose]()
      }),
      { numRuns: 100 },
    )
  })
})
