import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { until } from '../support/until.ts'
import { openAgentsHarness, plainAgent, type AgentSession, type AgentsHarness } from './agents-harness.ts'

const choices = fileURLToPath(new URL('./agents-choices.mjs', import.meta.url))
type Call = readonly [method: string, params: object]

describe('what people do with a running agent', () => {
  let harness: AgentsHarness
  let folder: string
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'sb-control-'))
    const args = JSON.stringify([choices, join(folder, 'models.log'), 'models'])
    const models = `[agents.models]\ncommand = ${JSON.stringify(process.execPath)}\nargs = ${args}\nisolation = "none"\n`
    const intercom = plainAgent('intercom', [join(folder, 'intercom.log')], 'dialect = "intercom"')
    harness = await openAgentsHarness({
      config: `[acp]\nmax_sessions = 100\n${plainAgent('plain')}${intercom}${models}`,
    })
  })
  afterAll(async () => {
    await harness?.[Symbol.asyncDispose]()
    await rm(folder, { recursive: true, force: true })
  })

  const at = ({ id }: AgentSession, rest: string) => `/api/sessions/${id}${rest}`
  const cancel = (session: AgentSession) => harness.api.post(at(session, '/turn/cancel'))
  const heard = async (log: string): Promise<string[]> => {
    const lines = (await readFile(join(folder, `${log}.log`), 'utf8')).split('\n').filter(Boolean)
    return lines.map((line) => (JSON.parse(line) as { method: string }).method)
  }
  const calls = (session: AgentSession, round: readonly Call[]) =>
    harness.prompt(session, `calls ${JSON.stringify([round])}`)

  it('X7 cancel ends the commands that we run for the agent', async () => {
    const session = await harness.start({ agent: 'plain' })
    const created = await calls(session, [['terminal/create', { command: 'sleep', args: ['600'] }]])
    await harness.answer(await harness.openAsk(session), { outcome: 'approve' })
    await harness.settled(created)
    const [{ terminalId }] = JSON.parse(await harness.said(session)) as [{ terminalId: string }]
    const waits = await calls(session, [['terminal/wait_for_exit', { terminalId }]])
    await until(async () => (await harness.detail(session)).agentState?.turn)
    const before = harness.running(session).length
    expect(await cancel(session)).toEqual({ cancelled: true })
    await harness.settled(waits)
    expect(harness.running(session).length).toBeLessThan(before)
    expect(JSON.parse(await harness.said(session))).toMatchObject([{ signal: expect.any(String) }])
  })

  it('X7 a mode, an option or a value that the agent does not offer is refused by name, and not recorded', async () => {
    const session = await harness.start()
    const refused = (path: string, body: object) => harness.api.refused('POST', at(session, path), body)
    const mode = await refused('/mode', { modeId: 'nope' })
    const { modes } = (await harness.detail(session)).agentState ?? {}
    const offered = modes?.availableModes.map(({ id }) => id).join(', ')
    expect(mode).toMatchObject({ status: 400, code: 'mode_not_offered' })
    expect(mode.hint).toBe(`Its modes: ${offered}.`)
    expect(await refused('/options', { optionId: 'nope', value: 'x' })).toMatchObject({
      status: 400,
      code: 'option_not_offered',
      hint: 'Its options: speed.',
    })
    expect(await refused('/options', { optionId: 'speed', value: 'nope' })).toMatchObject({
      status: 400,
      code: 'value_not_offered',
      hint: 'Its values: normal, fast.',
    })
    const { events } = await harness.api.get<{ events: { type: string }[] }>(`/api/audit?session=${session.id}`)
    expect(events.filter(({ type }) => type === 'session.steered')).toEqual([])
  })

  it('A2 models of an agent that lists them the older way are an option, set with session/set_model', async () => {
    const session = await harness.start({ agent: 'models' })
    const { agentState } = await harness.detail(session)
    expect(agentState?.configOptions).toMatchObject([{ id: 'model', currentValue: 'small' }])
    const set = await harness.api.post(at(session, '/options'), { optionId: 'model', value: 'large' })
    expect(set).toMatchObject({ configOptions: [{ id: 'model', currentValue: 'large' }] })
    expect(await heard('models')).toContain('session/set_model')
    const refused = await harness.api.refused('POST', at(session, '/options'), { optionId: 'model', value: 'vast' })
    expect(refused).toMatchObject({ status: 400, hint: 'Its values: small, large, huge.' })
  })

  it('X8 an agent configured as intercom hears session/interrupt', async () => {
    const session = await harness.start({ agent: 'intercom' })
    await harness.settled(await harness.prompt(session, 'Good morning.'))
    expect(await cancel(session)).toEqual({ cancelled: true })
    await until(async () => (await heard('intercom')).includes('session/interrupt'))
    await harness.api.post(at(session, '/pause'))
    const interrupts = async () => (await heard('intercom')).filter((method) => method === 'session/interrupt').length
    await until(async () => (await interrupts()) === 2)
  })

  it('B7 an agent that ignores cancel is not at work: it is said, with what helps', async () => {
    const session = await harness.start({ agent: 'plain', prompt: 'ignore' })
    await until(async () => (await harness.detail(session)).agentState?.turn)
    expect(await cancel(session)).toEqual({ cancelled: true })
    const why = () => harness.api.get<{ cause: string }>(at(session, '/diagnosis'))
    await until(async () => (await why()).cause === 'ignores_cancel', { seconds: 30 })
    expect(await harness.detail(session)).toMatchObject({ activity: 'unresponsive' })
    const { messages } = await harness.detail(session)
    const said = messages.map(({ content }) => String(content['text'])).join('\n')
    expect(said).toContain(`signalbox sessions restart-agent ${session.id.slice(0, 8)}`)
  })

  it('B7 an agent that closed its input is ended, with the reason', async () => {
    const session = await harness.start({ agent: 'plain' })
    await harness.settled(await harness.prompt(session, 'deafen'))
    await harness.prompt(session, 'Are you there?')
    const { messages } = await harness.become(session, 'error')
    expect(messages.map(({ content }) => String(content['text'])).join('\n')).toContain('closed its input')
  })
})
