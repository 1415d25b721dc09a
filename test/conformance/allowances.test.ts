import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { openAgentsHarness, plainAgent, type AgentsHarness, type OpenAsk } from './agents-harness.ts'
import { newPerson } from './people.ts'

type Allowance = { id: string; what: string; revokedAt: string | null; by: string }
type Answered = OpenAsk & { answeredBy: string | null; automatic: boolean; sessionAllowance?: string }
type Made = { terminalId?: string; outcome?: { outcome: string; optionId?: string } }

describe('what is allowed for a session', () => {
  let harness: AgentsHarness
  beforeAll(async () => {
    harness = await openAgentsHarness({ config: `[acp]\nmax_sessions = 100\n${plainAgent('plain')}` })
  })
  afterAll(() => harness?.[Symbol.asyncDispose]())

  const open = async (id: string, command: string, more: object = {}): Promise<Answered> => {
    const session = await harness.detail({ id })
    const subject = { kind: 'command', command, cwd: session.workspaceRoot, ...more }
    return harness.api.post(`/api/sessions/${id}/asks`, { title: 'May I?', subject })
  }
  const allowed = async (id: string) =>
    (await harness.api.get<{ allowances: Allowance[] }>(`/api/sessions/${id}/allowances`)).allowances
  const forSession = { outcome: 'approve', forSession: true }
  const newSession = async () =>
    harness.api.post<{ id: string }>('/api/sessions', { workspaceRoot: await harness.workspace() })

  it('R19 the same command is allowed without asking until the session ends, also after a restart', async () => {
    const { id } = await newSession()
    const first = await open(id, 'npm test')
    expect(first).toMatchObject({ status: 'open', sessionAllowance: 'the command npm test' })
    await harness.answer(first, forSession)
    expect(await allowed(id)).toMatchObject([{ id: first.id, what: 'the command npm test', revokedAt: null }])
    await harness.server.restart()
    expect(await open(id, 'npm test')).toMatchObject({
      status: 'answered',
      automatic: true,
      answeredBy: `session:${first.id}`,
      answer: { outcome: 'approve' },
    })
    expect(await open(id, 'npm test -- --all')).toMatchObject({ status: 'open' })
    expect(await open(id, 'npm test', { cwd: '/tmp' })).toMatchObject({ status: 'open' })
    const other = await newSession()
    expect(await open(other.id, 'npm test')).toMatchObject({ status: 'open' })
    const next = await harness.api.post<{ id: string }>(`/api/sessions/${id}/restart`, {})
    expect(await open(next.id, 'npm test')).toMatchObject({ status: 'open' })
  })

  it('R19 it is revoked by the API or the command line, and both are in the audit', async () => {
    const { id } = await newSession()
    const asks = [await open(id, 'npm test'), await open(id, 'make')]
    for (const ask of asks) await harness.answer(ask, forSession)
    expect((await harness.server.cli('sessions', 'allowed', id)).stdout).toContain('the command make')
    const [first, second] = asks
    await harness.api.delete(`/api/sessions/${id}/allowances/${first?.id}`)
    const said = await harness.server.cli('sessions', 'allowed', id, '--revoke', second?.id ?? '')
    expect(said).toMatchObject({ code: 0, stdout: expect.stringContaining('asked again') })
    for (const command of ['npm test', 'make']) expect(await open(id, command)).toMatchObject({ status: 'open' })
    const { events } = await harness.api.get<{ events: { type: string }[] }>(`/api/audit?session=${id}`)
    const types = events.map(({ type }) => type).filter((type) => type.endsWith('allowed'))
    expect(types.toSorted()).toEqual([...Array(2).fill('session.allowed'), ...Array(2).fill('session.disallowed')])
  })

  it('R3 R19 only who acts on the session revokes it; an agent gives and revokes nothing', async () => {
    const { id } = await newSession()
    const ask = await open(id, 'npm test')
    await harness.answer(ask, forSession)
    const stranger = await newPerson(harness.server, 'Sam')
    const path = `/api/sessions/${id}/allowances`
    expect(await stranger.api.refused('GET', path)).toMatchObject({ status: 404 })
    expect(await stranger.api.refused('DELETE', `${path}/${ask.id}`)).toMatchObject({ status: 404 })
  })

  it('S6 what is critical is never allowed for a session', async () => {
    const { id } = await newSession()
    const ask = await open(id, 'rm -rf /')
    expect(ask.sessionAllowance).toBeUndefined()
    const refused = await harness.api.refused('POST', `/api/asks/${ask.id}/answer`, forSession)
    expect(refused).toMatchObject({ status: 400, code: 'only_once' })
    expect(await harness.api.get(`/api/asks/${ask.id}`)).toMatchObject({ status: 'open' })
  })

  it('A12 the agent’s own "always" counts for the session: it asks, and is answered without a person', async () => {
    const session = await harness.start({ agent: 'plain' })
    const toolCall = { toolCallId: 'one', kind: 'execute', title: 'Bash', rawInput: { command: 'npm test' } }
    const options = [
      { optionId: 'once', name: 'Allow', kind: 'allow_once' },
      { optionId: 'always', name: 'Allow for this session', kind: 'allow_always' },
      { optionId: 'no', name: 'Reject', kind: 'reject_once' },
    ]
    const permission = (id: string) => [
      'session/request_permission',
      { toolCall: { ...toolCall, toolCallId: id }, options },
    ]
    const asked = await harness.prompt(session, `calls ${JSON.stringify([[permission('one')], [permission('two')]])}`)
    const ask = await harness.openAsk(session)
    expect(ask).toMatchObject({ title: 'npm test', sessionAllowance: 'the command npm test' })
    await harness.answer(ask, { outcome: 'select', optionId: 'always', reason: null })
    await harness.settled(asked)
    const made = JSON.parse(await harness.said(session)) as Made[]
    // The agent is told "once", so that it keeps asking.
    expect(made.map(({ outcome }) => outcome?.optionId)).toEqual(['once', 'once'])
    const { messages } = await harness.detail(session)
    const words = messages.map(({ content }) => String(content['text'])).join('\n')
    expect(words).toContain('Allowed for this session: the command npm test.')
    expect(words).toContain(`signalbox sessions allowed ${session.id.slice(0, 8)}`)
  })
})
