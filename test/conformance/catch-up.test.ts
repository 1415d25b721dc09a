import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { openTerminalHarness, type TerminalHarness } from '../support/terminal-harness.ts'

type Event = { severity: string; kind: string; text: string; sessionId: string | null }
type CaughtUp = { events: Event[]; summary: string; cursor: string }

describe('catching up over the API', () => {
  let harness: TerminalHarness
  beforeAll(async () => {
    harness = await openTerminalHarness()
  })
  afterAll(() => harness?.[Symbol.asyncDispose]())

  const look = (query = '') => harness.owner.get<CaughtUp>(`/api/catch-up?tokenBudget=8000${query}`)

  it('B9 T11 a cursor past the end of the log is refused, and hides nothing', async () => {
    await look()
    for (const since of ['zzzz.zzzz', '0.zzzz']) {
      const refused = await harness.owner.refused('GET', `/api/catch-up?since=${since}`)
      expect(refused).toMatchObject({ status: 400, code: 'bad_cursor', hint: expect.stringMatching(/\w/) })
    }
    const { sessionId: id } = await harness.run('echo "ERROR: it broke"; exit 3')
    await harness.ended(id)
    const { events } = await look()
    expect(events.filter(({ sessionId }) => sessionId === id)).toEqual(
      expect.arrayContaining([expect.objectContaining({ kind: 'error', text: 'ERROR: it broke' })]),
    )
  })

  it('B9 T11 an error after a hundred thousand lines is reported at once, and their output just as briefly', async () => {
    const flood = 'i=0; seq 1 50000 | sed "s/^/compiling /"'
    const script = `${flood}; echo "ERROR: out of inodes"; ${flood}; echo; echo "ERROR: linker failed"; echo; printf "Retry? [y/n] "; read a`
    const { sessionId: id } = await harness.run(script)
    await harness.waits(id, /Retry/)
    const first = await look(`&sessionId=${id}`)
    const texts = first.events.map(({ text }) => text)
    expect(texts).toContain('ERROR: out of inodes')
    expect(texts).toContain('ERROR: linker failed')
    expect(first.events.some(({ kind, text }) => kind === 'prompt' && text.includes('Retry?'))).toBe(true)
    expect(first.events.filter(({ kind }) => kind === 'output').length).toBeLessThanOrEqual(4)
    expect(first.summary).not.toContain('(More')
    expect((await look(`&sessionId=${id}`)).events).toEqual([])
  })

  it('B9 the minimum budget is the same everywhere', async () => {
    expect(await harness.owner.refused('GET', '/api/catch-up?tokenBudget=99')).toMatchObject({ status: 400 })
  })
})
