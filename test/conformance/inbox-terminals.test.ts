import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { openTerminalHarness, type TerminalHarness } from '../support/terminal-harness.ts'
import { newPerson } from './people.ts'

type Item = { key: string; urgency: string; screen: string | null; session: { title: string; protocolMode: string } }

describe('terminal prompts in the inbox', () => {
  let harness: TerminalHarness
  beforeAll(async () => {
    harness = await openTerminalHarness({ config: '[terminal]\nask_after_seconds = 0\n' })
  })
  afterAll(() => harness?.[Symbol.asyncDispose]())

  it('B1 T10 a prompt has the screen around it and the program’s name', async () => {
    const script = 'seq -f "line %g" 1 18; printf "Go on with it? [y/n] "; read a; sleep 600'
    const { sessionId } = await harness.run(script, { name: 'the lathe' })
    const ask = await harness.openAsk(sessionId)
    const { items } = await harness.owner.get<{ items: Item[] }>('/api/inbox')
    const item = items.find(({ key }) => key === `ask:${ask.id}`)
    expect(item).toMatchObject({ session: { title: 'the lathe', protocolMode: 'terminal' } })
    const lines = item?.screen?.split('\n') ?? []
    expect(lines).toHaveLength(12)
    expect([lines[0], lines.at(-1)]).toEqual(['line 8', expect.stringContaining('Go on with it? [y/n]')])
    const { api } = await newPerson(harness.server, 'Other')
    expect(await api.get('/api/inbox')).toEqual({ items: [], total: 0 })
  })
})
