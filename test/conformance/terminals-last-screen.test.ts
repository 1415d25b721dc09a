import { expect, it } from 'vitest'
import { openTerminalHarness } from '../support/terminal-harness.ts'

it.each([
  ['at once', 'printf "Continue? [Y/n] "; read a; echo "got $a"'],
  ['and said more', 'printf "Continue? [Y/n] "; read a; seq 1 5; echo "got $a"; exit 3'],
])('T9 the screen after an answer is what the program left if it ended %s', async (_when, script) => {
  await using harness = await openTerminalHarness()
  for (let n = 0; n < 5; n += 1) {
    const { sessionId: id } = await harness.run(script)
    const { status, screenAfter } = await harness.answer(id, /Continue/, 'y')
    expect(status).toBe('delivered')
    expect(screenAfter).toContain('Continue? [Y/n] y')
    expect(screenAfter).toContain('got y')
  }
})

it('T4 detection while a program ends says what it does, or that it has ended', async () => {
  await using harness = await openTerminalHarness()
  for (let n = 0; n < 5; n += 1) {
    const { sessionId: id } = await harness.run('sleep 0.2; echo over')
    let state = ''
    while (state !== 'exited') {
      const asked = await Promise.all(
        Array.from({ length: 8 }, () => harness.owner.get<{ state: string }>(`/api/terminals/${id}/detection`)),
      )
      state = asked.at(-1)?.state ?? ''
      expect(asked.map((each) => each.state)).toEqual(asked.map(() => expect.stringMatching(/^(?:working|exited)$/)))
    }
  }
})

it('T11 the screen can be read while a program ends', async () => {
  await using harness = await openTerminalHarness()
  for (let n = 0; n < 5; n += 1) {
    const { sessionId: id } = await harness.run('echo first; sleep 0.2; echo over')
    const ended = new AbortController()
    const over = harness.ended(id).finally(() => ended.abort())
    over.catch(() => {})
    while (!ended.signal.aborted) {
      const paths = ['updates?format=screen&cursor=0:0', 'screen', 'screen?format=scrollback']
      const all = [...paths, ...paths].map((path) => harness.owner.send('GET', `/api/terminals/${id}/${path}`))
      const seen = await Promise.all(all)
      expect(seen.map(({ status, body }) => (status === 200 ? 200 : body))).toEqual(seen.map(() => 200))
    }
    await over
  }
})
