import { readFile } from 'node:fs/promises'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { openTerminalHarness, type TerminalHarness } from '../support/terminal-harness.ts'
import { until } from '../support/until.ts'

describe('terminals on PostgreSQL', () => {
  let harness: TerminalHarness
  beforeAll(async () => {
    harness = await openTerminalHarness({ database: 'postgres', config: '[terminal]\nask_after_seconds = 0\n' })
  })
  afterAll(() => harness?.[Symbol.asyncDispose]())

  it('T1 T5 T10 an ask survives a server crash, its answer is typed, and the terminal ends with its program', async () => {
    const script = `printf "Go on? [y/n] "; read a; echo "got $a" > ${harness.at('got')}; echo "got $a"; exit 3`
    const { sessionId: id } = await harness.run(script, { metadata: { why: 'a test' } })
    const ask = await harness.openAsk(id)
    await harness.crash()
    await harness.restart()
    await harness.waits(id, /Go on/)
    expect(await harness.asks(id)).toMatchObject([{ id: ask.id }])
    await harness.owner.post(`/api/asks/${ask.id}/answer`, { outcome: 'reply', value: 'y' })
    expect(await until(() => readFile(harness.at('got'), 'utf8').catch(() => ''))).toBe('got y\n')
    expect(await harness.ended(id)).toMatchObject({ exitCode: 3, metadata: { why: 'a test' } })
    expect((await harness.updates(id)).text).toMatch(/Go on\?[^]*got y/)
  })

  it('T6 T7 T8 answers are recorded with their outcome, learned, exported and forgotten', async () => {
    for (let n = 0; n < 3; n += 1) {
      const { sessionId: id } = await harness.run('printf "Show colours? [y/n] "; read a; echo "you said $a"')
      await harness.answer(id, /Show colours/, 'n')
      const [event] = await until(async () => {
        const events = await harness.inputs(id)
        return events[0]?.success === null || events.length === 0 ? null : events
      })
      expect(event).toMatchObject({ inputText: 'n', success: true, inputSource: 'user_typed' })
    }
    const question = { promptText: 'Show colours? [y/n]' }
    expect(await harness.owner.post('/api/patterns/infer', question)).toMatchObject({ expected: 'n', occurrences: 3 })
    const { patterns } = await harness.owner.get<{ patterns: { id: string; totalOccurrences: number }[] }>(
      '/api/patterns?q=Show',
    )
    expect(patterns).toMatchObject([{ totalOccurrences: 3 }])
    const whole = await harness.owner.get('/api/patterns/export')
    await harness.owner.delete(`/api/patterns/${patterns[0]?.id}`)
    expect(await harness.owner.post('/api/patterns/infer', question)).toMatchObject({ expected: null })
    expect(await harness.owner.post('/api/patterns/import', whole)).toEqual({ imported: 2 })
    expect(await harness.owner.post('/api/patterns/infer', question)).toMatchObject({ expected: 'n' })
  })

  it('T2 T11 B9 readers, search and catching up', async () => {
    const { sessionId: id } = await harness.run('echo "error: no lighthouse here"; sleep 600')
    const first = await harness.prints(id, /lighthouse/)
    expect((await harness.updates(id, { cursor: first.cursor })).text).toBe('')
    expect((await harness.search({ q: 'LIGHTHOUSE' })).matches).toMatchObject([{ sessionId: id }])
    const told = await harness.owner.get<{ events: { text: string }[]; cursor: string }>(
      '/api/catch-up?tokenBudget=4000',
    )
    expect(told.events.some(({ text }) => text.includes('lighthouse'))).toBe(true)
    const next = await harness.owner.get<{ events: { text: string }[] }>(
      `/api/catch-up?since=${encodeURIComponent(told.cursor)}`,
    )
    expect(next.events.some(({ text }) => text.includes('lighthouse'))).toBe(false)
  })
})
