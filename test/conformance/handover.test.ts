import { mkdtemp, realpath, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { until } from '../support/until.ts'
import { git, notesOf, openAgentsHarness, type AgentSession, type AgentsHarness } from './agents-harness.ts'
import { newPerson } from './people.ts'
import { heardBy, promptAgent, promptsTo } from './prompt-agent.ts'
import { startSession } from './work.ts'

describe('a start with choices, and a handover', () => {
  let harness: AgentsHarness
  let folder: string
  const log = (name: string) => join(folder, `${name}.log`)
  beforeAll(async () => {
    folder = await realpath(await mkdtemp(join(tmpdir(), 'sbh-')))
    const agents = ['one', 'two'].map((name) => promptAgent(name, log(name), {})).join('')
    harness = await openAgentsHarness({ config: `[acp]\nmax_sessions = 1000\n${agents}` })
  })
  afterAll(async () => {
    await harness?.[Symbol.asyncDispose]()
    await rm(folder, { recursive: true, force: true })
  })

  const handOver = (id: string, body: object) => harness.api.post<AgentSession>(`/api/sessions/${id}/handover`, body)
  const delivered = async (session: { id: string }) =>
    until(async () => (await harness.detail(session)).queue.length === 0, { what: 'the end of its turn' })
  const lastPrompt = async (name: string) => (await promptsTo(log(name))).at(-1)?.[0]?.text ?? ''

  async function worked(): Promise<{ session: AgentSession; place: string }> {
    const place = await harness.workspace()
    git(place, 'init', '--quiet', '--initial-branch=main')
    git(place, 'commit', '--quiet', '--allow-empty', '--message=first')
    const session = await harness.start({
      agent: 'one',
      prompt: 'Mend the gate',
      workspaceRoot: place,
      name: 'The gate',
    })
    await delivered(session)
    await writeFile(join(place, 'gate.txt'), 'mended\n')
    return { session, place }
  }

  it('B17 X4 another agent takes over: it is told task, words and change, and the lineage shows both', async () => {
    const { session, place } = await worked()
    const next = await handOver(session.id, { agent: 'two', prompt: 'Paint it' })
    expect(next).toMatchObject({ agent: 'two', restartOf: session.id, workspaceRoot: place, name: 'The gate' })
    await delivered(next)
    const told = await lastPrompt('two')
    for (const part of ['Mend the gate', 'agent: Done: Mend the gate', 'gate.txt', '+mended'])
      expect(told).toContain(part)
    expect(told.trimEnd().endsWith('Paint it')).toBe(true)
    expect(await harness.detail(session)).toMatchObject({ status: 'terminated' })
    expect((await harness.detail(next)).lineage).toEqual([session.id, next.id])
    // It has no memory of the other agent's conversation.
    expect((await heardBy(log('two'))).some(({ method }) => method === 'session/load')).toBe(false)
  })

  it('B17 the budget bounds what is told; an agent that is unknown or a second handover changes nothing', async () => {
    const { session, place } = await worked()
    await writeFile(join(place, 'long.txt'), 'line\n'.repeat(20_000))
    const unknown = await harness.api.refused('POST', `/api/sessions/${session.id}/handover`, { agent: 'nobody' })
    expect(unknown.status).toBeGreaterThanOrEqual(400)
    expect(await harness.detail(session)).toMatchObject({ status: 'active' })
    const cli = await harness.server.cli(
      'handover',
      session.id,
      'Paint',
      'it',
      '--to',
      'two',
      '--tokens',
      '600',
      '--detach',
    )
    expect(cli.code, cli.stderr).toBe(0)
    await until(async () => (await lastPrompt('two')).includes('long.txt'))
    expect((await lastPrompt('two')).length).toBeLessThan(600 * 4 + 200)
    expect(await harness.api.refused('POST', `/api/sessions/${session.id}/handover`, { agent: 'two' })).toMatchObject({
      status: 409,
    })
  })

  it('R3 B17 only who acts on a session hands it over, and only sessions of agents that run here', async () => {
    const { session } = await worked()
    const stranger = await newPerson(harness.server, 'Sam')
    const at = `/api/sessions/${session.id}/handover`
    expect(await stranger.api.refused('POST', at, { agent: 'two' })).toMatchObject({ status: 404 })
    const mcp = await startSession(harness.api, { protocolMode: 'mcp', workspaceRoot: await harness.workspace() })
    expect(await harness.api.refused('POST', `/api/sessions/${mcp.id}/handover`, { agent: 'two' })).toMatchObject({
      status: 409,
      code: 'not_hosted',
    })
  })

  it('B17 mode and options are set before the first turn; what the agent does not offer is said', async () => {
    const session = await harness.start({ agent: 'one', agentMode: 'plan', options: { pace: 'fast' }, prompt: 'go' })
    await delivered(session)
    const methods = (await heardBy(log('one'))).map(({ method }) => method)
    const from = methods.lastIndexOf('session/new')
    expect(methods.slice(from)).toEqual([
      'session/new',
      'session/set_mode',
      'session/set_config_option',
      'session/prompt',
    ])
    const odd = await harness.start({ agent: 'one', agentMode: 'nope', options: { pace: 'never' } })
    const notes = notesOf((await harness.detail(odd)).messages).join('\n')
    expect(notes).toContain('no mode "nope"')
    expect(notes).toContain('can\'t be "never"')
    const place = ['--workspace', await harness.workspace(), '--isolation', 'none', '--detach', '--json']
    const cli = await harness.server.cli('start', 'one', '--agent-mode', 'write', '--option', 'pace=fast', ...place)
    expect(cli.code, cli.stderr).toBe(0)
    const { id } = JSON.parse(cli.stdout) as { id: string }
    expect((await harness.detail({ id })).agentState?.modes?.currentModeId).toBe('write')
  })

  it("B17 a conversation of the agent's own is listed, continued and shown; without the machine right it is refused", async () => {
    const { session, place } = await worked()
    const { agentState } = await harness.detail(session)
    const conversation = agentState?.agentSessionId ?? ''
    const listed = await harness.server.cli('sessions', 'conversations', session.id)
    expect(listed.stdout).toContain(conversation)
    await harness.api.post(`/api/sessions/${session.id}/complete`)
    const place2 = { agent: 'one', isolation: 'none', workspaceRoot: place }
    const again = await harness.api.post<AgentSession>('/api/sessions', { ...place2, conversation })
    const said = (await harness.detail(again)).messages.map(({ role, content }) => [role, content['text']])
    expect(said).toEqual([
      ['user', 'Mend the gate'],
      ['agent', 'Done: Mend the gate'],
    ])
    expect(await harness.say(again, 'And now?')).toBe('Done: And now?')
    const none = await harness.api.refused('POST', '/api/sessions', { ...place2, conversation: 'none' })
    expect(none).toMatchObject({ code: 'agent_failed', message: expect.stringContaining('no such conversation') })
    const stranger = await newPerson(harness.server, 'Kim')
    const repo = await harness.api.post<{ id: string }>('/api/repos', { path: place })
    const wish = { agent: 'one', repoId: repo.id, conversation, isolation: 'sandbox' }
    expect(await stranger.api.refused('POST', '/api/sessions', wish)).toMatchObject({ status: 403 })
  })
})
