import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { openTerminalHarness, type TerminalHarness } from '../support/terminal-harness.ts'
import { until } from '../support/until.ts'
import { openRunHarness } from './terminals-run-harness.ts'

const asks = `printf 'Send statistics? [y/n] '; read a; echo "you said $a"`

describe('an answer that Signalbox types because a person confirmed it', () => {
  let harness: TerminalHarness
  beforeAll(async () => {
    harness = await openTerminalHarness()
  })
  afterAll(() => harness?.[Symbol.asyncDispose]())

  async function confirmRule(): Promise<void> {
    for (let n = 1; n <= 5; n += 1) {
      const { sessionId: id } = await harness.run(asks, { cwd: harness.base })
      await harness.answer(id, /Send statistics/, 'n')
      await until(async () => (await harness.inputs(id)).some(({ success }) => success === true))
    }
    const [rule] = await until(async () => {
      const found = await harness.proposals('proposed')
      return found.length > 0 ? found : null
    })
    await harness.owner.post(`/api/patterns/proposals/${rule?.id}/confirm`)
  }

  it(
    'B3 T9 waits for a person who sits at the terminal, and is not typed if they begin to',
    { timeout: 60_000 },
    async () => {
      await confirmRule()
      await using runner = await openRunHarness({ home: harness.server.home })
      const { sessionId: id } = await harness.run(`echo ready; read go; ${asks}; ${asks}; sleep 600`, {
        cwd: harness.base,
      })
      const terminal = runner.openTerminal('attach', id.slice(0, 8))
      await terminal.until('ready')
      terminal.type('\r')
      await terminal.until('Send statistics?')
      // Nobody types.
      await harness.prints(id, /you said n\s/)
      const { promptId } = await harness.waits(id, /Send statistics/)
      terminal.type('y')
      const since = Date.now()
      await until(() => Date.now() - since > 4000)
      expect(await harness.detect(id)).toMatchObject({ waiting: true, promptId })
      terminal.type('\r')
      await harness.prints(id, /you said y\s/)
      const inputs = await until(async () => {
        const found = await harness.inputs(id)
        return found.some(({ inputText }) => inputText === 'y') ? found : null
      })
      const typed = inputs.filter(({ promptText }) => promptText.includes('statistics'))
      expect(typed.map(({ inputText, inputSource }) => [inputText, inputSource])).toEqual([
        ['y', 'user_typed'],
        ['n', 'auto_injected'],
      ])
    },
  )
})
