import { readFileSync } from 'node:fs'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { openTerminalHarness, type TerminalHarness } from '../support/terminal-harness.ts'
import { until } from '../support/until.ts'

describe('a terminal that floods', () => {
  let harness: TerminalHarness
  beforeAll(async () => {
    harness = await openTerminalHarness()
  })
  afterAll(() => harness?.[Symbol.asyncDispose]())

  const megabytes = () =>
    Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${harness.server.pid}/status`, 'utf8'))?.[1]) / 1024

  it('T5 does not delay what another terminal asks: 300,000 switches of the screen', async () => {
    const toggles = `yes "$(printf '\\033[?1049h\\033[?1049l\\033[?1049h\\033[?1049l')" | head -n 150000`
    const { sessionId: flood } = await harness.run(`echo begin; ${toggles}; echo over; read a`)
    await harness.prints(flood, /begin/)
    for (let turn = 0; turn < 3; turn += 1) {
      const before = performance.now()
      const { sessionId: id } = await harness.run('printf "Continue? [y/n] "; read a')
      await harness.waits(id, /Continue/)
      expect(performance.now() - before).toBeLessThan(5000)
      expect((await harness.get(flood)).detection?.waiting ?? false).toBe(false)
    }
    await harness.owner.post(`/api/terminals/${flood}/end`)
  })

  it('T5 does not fill the memory: one sequence of 60 MB', async () => {
    const before = megabytes()
    let most = before
    const { sessionId: id } = await harness.run(
      `printf '\\033]0;'; yes aaaaaaaaaaaaaaaa | tr -d '\\n' | head -c 60000000; printf '\\007'; printf 'Go on? [y/n] '; read a`,
    )
    await until(
      async () => {
        most = Math.max(most, megabytes())
        return (await harness.get(id)).detection?.waiting === true
      },
      { seconds: 60, what: 'the question after it' },
    )
    expect(most - before).toBeLessThan(150)
    await harness.owner.post(`/api/terminals/${id}/end`)
  })
})
