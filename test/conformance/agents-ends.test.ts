import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { until } from '../support/until.ts'
import { faultAgent, notesOf, openAgentsHarness, plainAgent, toolsOf, type AgentsHarness } from './agents-harness.ts'
import type { Session } from './shapes.ts'

describe('how agents end', () => {
  let harness: AgentsHarness
  beforeAll(async () => {
    harness = await openAgentsHarness({
      config: `[acp]\nmax_sessions = 1000\n${faultAgent('ignorecancel')}${plainAgent('plain')}`,
    })
  })
  afterAll(() => harness?.[Symbol.asyncDispose]())

  const gone = (session: { id: string }) =>
    until(() => harness.running(session).length === 0, { what: 'the end of every process' })
  const stderrOf = async (session: { id: string }) =>
    (await harness.api.get<{ text: string }>(`/api/sessions/${session.id}/stderr`)).text

  it('A6 DELETE cancels the turn, ends the agent and returns the session; a second one is a conflict', async () => {
    const session = await harness.start()
    await harness.prompt(session, '/say Working.\n/stall forever')
    await harness.saying(session, 'Working.')
    const waiting = await harness.prompt(session, '/say Never.')
    const reply = await harness.api.send('DELETE', `/api/sessions/${session.id}?reason=not%20needed`)
    expect([reply.status, reply.body]).toEqual([
      200,
      expect.objectContaining({ id: session.id, status: 'cancelled', terminatedAt: expect.any(String) }),
    ])
    // Once the answer is there, so is the end.
    expect(harness.running(session)).toEqual([])
    const { messages, queue } = await harness.detail(session)
    expect(notesOf(messages)).toEqual([expect.stringMatching(/cancelled: not needed/)])
    expect(messages.find(({ role }) => role === 'agent')?.content).toMatchObject({ text: 'Working.', partial: false })
    expect(messages.filter(({ role }) => role === 'user')).toHaveLength(1)
    expect(queue).toMatchObject([{ id: waiting.id, status: 'waiting' }])
    const again = await harness.api.refused('DELETE', `/api/sessions/${session.id}`)
    expect(again).toMatchObject({ status: 409, details: { status: 'cancelled' } })
  })

  it.each([
    ['practice', '/ignore-cancel\n/say Stubborn.\n/stall forever', 'Stubborn.'],
    ['ignorecancel', 'anything', '3 '],
  ])('A6 %s ignores cancel and is killed after about five seconds', async (agent, text, sign) => {
    const session = await harness.start({ agent })
    await harness.prompt(session, text)
    await harness.saying(session, sign)
    const began = Date.now()
    expect(await harness.api.delete(`/api/sessions/${session.id}`)).toMatchObject({ status: 'cancelled' })
    const took = Date.now() - began
    expect(harness.running(session)).toEqual([])
    expect(took).toBeGreaterThan(4500)
    expect(took).toBeLessThan(9500)
  })

  it('A10 completed: no agent is left, and no prompt is accepted', async () => {
    const session = await harness.start()
    await harness.say(session, '/say Done.')
    expect(await harness.api.post(`/api/sessions/${session.id}/complete`)).toMatchObject({ status: 'completed' })
    await gone(session)
    expect((await harness.api.refused('POST', `/api/sessions/${session.id}/complete`, {})).status).toBe(409)
    const { messages } = await harness.detail(session)
    expect(messages.map(({ content }) => content['text'])).toEqual(['/say Done.', 'Done.'])
  })

  it('X9 nothing the agent started is left when its session ends, not even what left its process group', async () => {
    const session = await harness.start()
    const turn = await harness.prompt(session, '/leave sleep 1000\n/leave setsid sleep 1000')
    await harness.answer(await harness.openAsk(session), { outcome: 'approve' })
    await until(async () => toolsOf((await harness.detail(session)).messages).length === 2)
    await harness.answer(await harness.openAsk(session), { outcome: 'approve' })
    await harness.settled(turn)
    expect(harness.running(session).length).toBeGreaterThan(2)
    await harness.api.post(`/api/sessions/${session.id}/complete`)
    await gone(session)
  })

  it('A9 X6 a crash during a turn is an error with the last lines of stderr, which stay readable', async () => {
    const session = await harness.start()
    await harness.prompt(session, '/say Fine so far.\n/crash 7')
    const { messages, terminatedAt } = await harness.become(session, 'error')
    expect(terminatedAt).not.toBeNull()
    expect(notesOf(messages)).toEqual([
      expect.stringMatching(/with code 7[^]*told to crash\.\nThis is the last line before its end\./),
    ])
    await gone(session)
    expect(await stderrOf(session)).toContain('This is the last line before its end.')
    const refusal = await harness.api.refused('POST', `/api/sessions/${session.id}/prompt`, { text: 'x' })
    expect(refusal).toMatchObject({ status: 409, details: { status: 'error' } })
  })

  it('A9 a crash leaves no tool call open and interrupts open asks', async () => {
    const session = await harness.start()
    await harness.prompt(session, '/permit parallel')
    const asks = await harness.openAsks(session, 2)
    for (const pid of harness.running(session)) process.kill(pid, 'SIGKILL')
    const { messages } = await harness.become(session, 'error')
    expect(notesOf(messages).join()).toMatch(/on SIGKILL/)
    expect(toolsOf(messages).map(({ status }) => status)).toEqual(['failed', 'failed'])
    for (const { id } of asks) expect(await harness.api.get(`/api/asks/${id}`)).toMatchObject({ status: 'interrupted' })
  })

  it('A9 a crashed agent’s slot is free', async () => {
    await using small = await openAgentsHarness({ config: '[acp]\nmax_sessions = 1\n' })
    const session = await small.start({ prompt: '/stall' })
    const body = { agent: 'practice', isolation: 'none', workspaceRoot: await small.workspace() }
    expect((await small.api.send('POST', '/api/sessions', { body })).status).toBe(429)
    await small.prompt(session, '/crash', 'now')
    await small.become(session, 'error')
    expect(await small.start()).toMatchObject({ status: 'active' })
  })

  it('X6 exit code 0 in the middle of a turn is an error too', async () => {
    const session = await harness.start()
    await harness.prompt(session, '/say Bye.\n/exit')
    expect(notesOf((await harness.become(session, 'error')).messages).join()).toMatch(/with code 0/)
  })

  it.each([
    ['exit 0', 'completed', /^agent_exited $/],
    ['exit 0 300', 'completed', /^agent_exited $/],
    ['exit 5', 'error', /with code 5/],
    ['exit 5 300', 'error', /with code 5/],
  ])('X6 "%s" after the end of the turn is %s', async (text, status, words) => {
    const session = await harness.start({ agent: 'plain' })
    await harness.prompt(session, text)
    const { messages, metadata } = await harness.become(session, status)
    expect(`${String(metadata['reason'])} ${notesOf(messages).join()}`).toMatch(words)
  })

  it('A11 AGENT_SESSION_IDLE_TIMEOUT sets the minutes', async () => {
    const env = { AGENT_SESSION_IDLE_TIMEOUT: '7' }
    await using other = await openAgentsHarness({ env })
    const { stdout } = await other.server.cli('config', 'show')
    expect(stdout).toMatch(/idle_timeout_minutes +environment +7\n/)
  })

  it('A12 ended sessions stay in the list, with all messages', async () => {
    const session = await harness.start()
    await harness.say(session, '/say For the record.')
    await harness.api.post(`/api/sessions/${session.id}/complete`)
    const before = await harness.detail(session)
    await harness.server.restart()
    expect(await harness.detail(session)).toEqual(before)
    const { sessions } = await harness.api.get<{ sessions: Session[] }>('/api/sessions?status=completed&limit=100')
    expect(sessions.map(({ id }) => id)).toContain(session.id)
  })
})
