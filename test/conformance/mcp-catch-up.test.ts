import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { readUntil, shell, startCommand, waiting } from './mcp-terminal-helpers.ts'
import { approve, openMcpHarness, type Agent, type McpHarness } from './mcp-harness.ts'

type Event = {
  at: string
  severity: string
  kind: string
  session_id?: string
  text: string
  context?: string[]
  times?: number
  last?: string
  request_id?: string
}
type CaughtUp = { events: Event[]; summary: string; cursor: string; omitted: Record<string, number>; isError: boolean }

const catchUp = async (agent: Agent, input: Record<string, unknown> = {}): Promise<CaughtUp> =>
  (await agent.call('catch_up', input)) as unknown as CaughtUp
const texts = ({ events }: CaughtUp): string[] => events.map(({ text }) => text)
const log = (agent: Agent, message: string, level = 'info') => agent.call('remote_log', { message, level })

describe('catch_up', () => {
  let harness: McpHarness
  beforeAll(async () => {
    harness = await openMcpHarness()
  })
  afterAll(() => harness?.[Symbol.asyncDispose]())

  it('B9 T11 lists what an agent said and asked by severity, and continues from the last look', async () => {
    await using agent = await harness.connect()
    await log(agent, 'all is well')
    await log(agent, 'the disk is nearly full', 'warning')
    await log(agent, 'the build broke', 'error')
    const pending = await agent.call('check_auto_approve', { tool_name: 'make all', kind: 'terminal_command' })
    const first = await catchUp(agent)
    expect(first.events).toEqual(
      expect.arrayContaining([
        expect.objectContaining({ severity: 'low', kind: 'message', text: 'agent: all is well' }),
        expect.objectContaining({ severity: 'medium', kind: 'warning' }),
        expect.objectContaining({ severity: 'high', kind: 'error', text: 'agent: the build broke' }),
        expect.objectContaining({ severity: 'high', kind: 'ask', request_id: pending['request_id'] }),
      ]),
    )
    expect(first.summary).toContain('1 ask waits for an answer')
    expect(first.events.map(({ at }) => at)).toEqual(first.events.map(({ at }) => at).toSorted())
    expect((await catchUp(agent)).events).toEqual([])
    await harness.answer({ id: String(pending['request_id']) }, approve)
    expect((await catchUp(agent)).events).toMatchObject([
      {
        severity: 'medium',
        kind: 'ask',
        request_id: pending['request_id'],
        text: expect.stringMatching(/^Approved by a person, /),
      },
    ])
  })

  it('B9 a cursor gives the same events again; none between two is lost or repeated, also across a crash', async () => {
    await using agent = await harness.connect()
    await log(agent, 'one')
    const one = await catchUp(agent)
    await log(agent, 'two')
    const two = await catchUp(agent, { since: one.cursor })
    expect(texts(two)).toEqual(['agent: two'])
    await harness.crash()
    await using again = await harness.connect({ place: agent.place, query: { session_id: agent.sessionId } })
    expect(texts(await catchUp(again, { since: one.cursor }))).toContain('agent: two')
    await log(again, 'three')
    const three = texts(await catchUp(again, { since: two.cursor }))
    expect(three).toContain('agent: three')
    expect(three).not.toContain('agent: two')
  })

  it('B9 never more than the budget: the most important is listed, the rest is counted', async () => {
    await using agent = await harness.connect()
    for (let n = 0; n < 40; n += 1)
      await log(agent, `${String.fromCodePoint(97 + (n % 26)).repeat(80)} ${'x'.repeat(n)}`)
    await log(agent, 'it broke', 'error')
    for (const token_budget of [150, 400, 2000]) {
      const { isError: _, ...told } = await catchUp(agent, { since: '2000-01-01T00:00:00Z', token_budget })
      expect(Buffer.byteLength(JSON.stringify(told))).toBeLessThanOrEqual(token_budget * 4)
      expect(told.events.map(({ text }) => text)).toContain('agent: it broke')
    }
    const only = await catchUp(agent, { session_id: agent.sessionId, min_severity: 'high' })
    expect(texts(only)).toEqual(['agent: it broke'])
    expect(only.omitted['low']).toBeGreaterThan(0)
  })

  it('B9 repetitions are folded', async () => {
    await using agent = await harness.connect()
    for (let n = 1; n <= 20; n += 1) await log(agent, `Processed ${n} files`)
    expect((await catchUp(agent)).events).toContainEqual(
      expect.objectContaining({ times: 20, text: 'agent: Processed 1 files', last: 'agent: Processed 20 files' }),
    )
  })

  it('B9 a terminal: errors with their context, and the prompt it waits at, once', async () => {
    await using agent = await harness.connect()
    const script =
      'echo building; echo "error: no rule to make target"; echo "  in line 3"; echo; printf "Go on? [y/n] "; read a; echo "got $a"; sleep 600'
    const id = await startCommand(harness, agent, shell(script))
    await waiting(agent, id, /Go on/)
    const told = await catchUp(agent, { session_id: id })
    expect(told.events).toEqual(
      expect.arrayContaining([
        expect.objectContaining({ severity: 'high', kind: 'error', context: expect.arrayContaining(['  in line 3']) }),
        expect.objectContaining({ severity: 'high', kind: 'prompt', text: expect.stringContaining('Go on?') }),
      ]),
    )
    expect((await catchUp(agent, { session_id: id })).events).toEqual([])
    await agent.call('send_session_input', { session_id: id, text: 'y' })
    await readUntil(agent, id, /got y/)
    const after = JSON.stringify((await catchUp(agent, { session_id: id })).events)
    expect(after).toContain('got y')
    expect(after).not.toContain('no rule')
  })

  it('B9 refuses an invalid session, cursor or budget', async () => {
    await using agent = await harness.connect({ place: null })
    const session_id = '3b241101-e2bb-4255-8caf-4136c566a962'
    expect(await agent.call('catch_up', { session_id })).toMatchObject({
      isError: true,
      error_code: 'session_not_found',
    })
    expect(await agent.call('catch_up', { since: 'yesterday' })).toMatchObject({ error_code: 'bad_cursor' })
    expect(await agent.call('catch_up', { token_budget: 5 })).toMatchObject({ error_code: 'invalid_input' })
    expect(await agent.call('catch_up', { min_severity: 'urgent' })).toMatchObject({ error_code: 'invalid_input' })
  })
})
