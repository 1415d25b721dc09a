import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { recordedAgents, recordingOf, type Frame, type RpcMessage } from '../support/acp-recordings.ts'
import { misfitsOf } from '../support/acp-schema.ts'
import type { Api } from '../support/api.ts'
import { until } from '../support/until.ts'
import { turnsOf, type Action, type RecordedTurn } from './recorded.ts'
import { asPreset, openStage, saidIn, thoughtIn, toolsIn, type Playbill, type Stage, type Take } from './replayed.ts'
import type { Session } from './shapes.ts'

const everyday = [
  'text',
  'write-allow',
  'write-reject',
  'edit-allow',
  'shell-allow',
  'shell-reject',
  'shell-cancel',
  'slow-cancel',
  'permission-cancel',
  'parallel-tools',
  'plan',
  'mcp-http',
  'allow-always',
]
const lives = (agent: string): string[] =>
  agent === 'gemini'
    ? ['load-after-minute.1', 'load-after-minute.2']
    : ['load-session', 'load-session.2', 'load-session.3']

const playbill = (agent: string): Playbill => {
  const settings = asPreset(agent)
  const plain = [...everyday, 'model-error', 'prompt-while-busy', 'modes-config']
  return {
    ...Object.fromEntries(plain.map((scenario) => [scenario, { recordings: [scenario], settings }])),
    'edit-fs-caps': { recordings: ['edit-fs-caps'], settings: `${settings}\nclient_fs = true` },
    // Not the preset: Gemini's waits for the next minute, as the real one must.
    continued: { recordings: lives(agent), settings: '' },
  }
}

describe.each(recordedAgents)('the recorded agent %s', (agent) => {
  let stage: Stage
  beforeAll(async () => {
    stage = await openStage(agent, playbill(agent))
  })
  afterAll(() => stage?.[Symbol.asyncDispose]())

  it.each(everyday)('A7 B1 does in %s what it did when it was recorded', async (scenario) => {
    const take = await stage.take(scenario)
    const session = await take.start()
    for (const turn of take.turns) await actOut(stage.api, take, session, turn)
    const done = take.turns.flatMap(({ actions }) => actions.flatMap(outcomeOf))
    const exchanged = await take.exchanged()
    expect(exchanged.flatMap(outcomeSent)).toEqual(done)
    expect(misfitsOf(exchanged, agent)).toEqual([])
  })

  it('reads and writes files through Signalbox if configured', async () => {
    const take = await stage.take('edit-fs-caps')
    const file = join(take.workspace, 'hello.txt')
    await writeFile(file, 'hello world\nsecond line\n')
    const session = await take.start()
    for (const turn of take.turns) await actOut(stage.api, take, session, turn)
    const wrote = recordingOf(agent, 'edit-fs-caps').frames.some(({ msg }) => msg.method === 'fs/write_text_file')
    expect(await readFile(file, 'utf8')).toBe(`${wrote ? 'HELLO WORLD' : 'hello world'}\nsecond line\n`)
    expect((await take.exchanged()).filter(({ dir, msg }) => dir === 'c>a' && msg.error)).toEqual([])
  })

  it('A7 reports the failure of its model and ends its turn', async () => {
    const take = await stage.take('model-error')
    const session = await take.start()
    await take.settled(await take.prompt(session, 'Fail, please.'))
    const { messages, agentState } = await take.detail(session)
    expect(JSON.stringify(messages)).toContain('scripted failure')
    expect(agentState?.turn).toBeNull()
  })

  it('A4 is never prompted while a turn runs', async () => {
    const take = await stage.take('prompt-while-busy')
    const session = await take.start()
    const turns = take.turns.filter(({ stopReason }) => stopReason !== null)
    const prompts = await Promise.all(turns.map(({ prompt }) => take.prompt(session, prompt)))
    for (const prompt of prompts) await take.settled(prompt)
    const { messages } = await take.detail(session)
    const texts = messages.filter(({ role, content }) => role === 'agent' && content['type'] === 'text')
    expect(texts.map(({ content }) => content['text']).join('')).toBe(turns.map(({ said }) => said).join(''))
    const begunAndEnded = (await take.exchanged()).flatMap(({ dir, msg: { method, result } }) => {
      if (method === 'session/prompt') return ['begun']
      return dir === 'a>c' && typeof result === 'object' && result && 'stopReason' in result ? ['ended'] : []
    })
    expect(begunAndEnded).toEqual(turns.flatMap(() => ['begun', 'ended']))
  })

  it('A10 continues in a new session without repeating messages', async () => {
    const take = await stage.take('continued')
    const [first, ...rest] = lives(agent).map((name) => turnsOf(recordingOf(agent, name).frames))
    const session = await take.start()
    for (const turn of take.turns.slice(0, first!.length)) await actOut(stage.api, take, session, turn)
    await stage.api.post(`/api/sessions/${session.id}/complete`)
    const next = await stage.api.post<Session>(`/api/sessions/${session.id}/restart`, {})
    await take.settled(await take.prompt(next, 'Go on.'))
    const { messages } = await take.detail(next)
    const texts = messages.flatMap(({ role, content }) => (role === 'agent' ? [content['text']] : []))
    expect(rest.flat().map(({ said }) => [said])).toContainEqual(texts)
    expect(toolsIn(messages)).toEqual([])
  })

  it('accepts every mode and option it offers, and reports what is set', async () => {
    const take = await stage.take('modes-config')
    const session = await take.start()
    for (const { dir, msg } of recordingOf(agent, 'modes-config').frames)
      if (dir === 'c>a') await setAsRecorded(stage.api, take, session, msg)
    expect((await take.detail(session)).messages).toEqual([])
  })
})

describe.each(['claude', 'gemini'])('the recorded agent %s', (agent) => {
  it('A1 that opens no session is reported with its reason', async () => {
    await using stage = await openStage(agent, { 'bad-session': { recordings: ['bad-session'], settings: '' } })
    const { workspace } = await stage.take('bad-session')
    const refusal = await stage.api.refused('POST', '/api/sessions', { agent: 'bad-session', workspaceRoot: workspace })
    expect(refusal).toMatchObject({ status: 502, code: 'agent_failed', details: { sessionId: expect.any(String) } })
    expect(refusal.message).toMatch(/does not exist/)
  })
})

/** One turn, with a person who does what the recorded one did. */
async function actOut(api: Api, take: Take, session: Session, turn: RecordedTurn): Promise<void> {
  const prompt = await take.prompt(session, turn.prompt)
  for (const action of turn.actions) await act(api, take, session, action)
  await take.settled(prompt)
  const { messages, status, waiting, agentState } = await take.detail(session)
  expect(saidIn(messages)).toBe(turn.said)
  expect(thoughtIn(messages).trim()).toBe(turn.thought.trim())
  const tools = toolsIn(messages)
  expect(tools.map(({ toolCallId }) => toolCallId)).toEqual([...turn.tools.keys()])
  const cancelled = turn.actions.some(({ type }) => type === 'cancel')
  for (const { toolCallId, status: end } of tools) {
    const expected = isRejected(turn, toolCallId) ? ['rejected'] : endsOf(turn.tools.get(toolCallId), cancelled)
    expect(expected).toContain(end)
  }
  const plans = messages.flatMap(({ content }) => (content['type'] === 'plan' ? [content['steps']] : []))
  expect(plans.at(-1) ?? null).toEqual(turn.plan)
  expect({ status, waiting, turn: agentState?.turn }).toEqual({ status: 'active', waiting: false, turn: null })
}

async function act(api: Api, take: Take, session: Session, action: Action): Promise<void> {
  const { ask } = action
  const cancel = async () =>
    expect(await api.post(`/api/sessions/${session.id}/turn/cancel`)).toEqual({ cancelled: true })
  if (action.type === 'cancel' && !ask) {
    await until(async () => saidIn((await take.detail(session)).messages) === action.said, { what: action.said })
    return cancel()
  }
  const { id, subject } = await take.openAsk(session)
  const { options, toolCallId, diffs } = ask!
  expect(subject).toMatchObject({ kind: 'permission', options, toolCall: { toolCallId } })
  const shown = (subject.toolCall['content'] ?? []) as { type: string }[]
  expect(shown.filter((part) => part.type === 'diff')).toMatchObject(diffs)
  if (action.type === 'cancel') await cancel()
  else await api.post(`/api/asks/${id}/answer`, answerOf(action))
  await until(async () => (await api.get<{ status: string }>(`/api/asks/${id}`)).status !== 'open')
}

/** A plain no leaves the choice of the agent's options to Signalbox. */
function answerOf({ ask, optionId }: Extract<Action, { type: 'answer' }>): Record<string, string> {
  const chosen = ask.options.find((option) => option.optionId === optionId)
  return chosen?.kind === 'reject_once' ? { outcome: 'reject' } : { outcome: 'select', optionId }
}

/** What the agent is told. Never "always" if it offers "once": it would not ask again. */
function outcomeOf(action: Action): object[] {
  if (action.type === 'cancel') return action.ask ? [{ outcome: 'cancelled' }] : []
  const { options } = action.ask
  const chosen = options.find(({ optionId }) => optionId === action.optionId)
  const once = chosen?.kind === 'allow_always' ? options.find(({ kind }) => kind === 'allow_once') : undefined
  return [{ outcome: 'selected', optionId: (once ?? chosen)?.optionId }]
}

const outcomeSent = ({ dir, msg: { result } }: Frame): object[] =>
  dir === 'c>a' && typeof result === 'object' && result !== null && 'outcome' in result
    ? [result.outcome as object]
    : []

/** How a call last seen in this state may end: what the agent left open is closed when its turn ends. */
const isRejected = ({ actions }: RecordedTurn, toolCallId: string): boolean =>
  actions.some((action) => action.ask?.toolCallId === toolCallId && answerKind(action)?.startsWith('reject'))

const answerKind = (action: Action): string | undefined =>
  action.type === 'answer' ? action.ask.options.find(({ optionId }) => optionId === action.optionId)?.kind : undefined

function endsOf(last: string | undefined, cancelled: boolean): string[] {
  if (last === 'failed') return cancelled ? ['failed', 'cancelled'] : ['failed']
  if (last === 'completed') return cancelled ? ['completed', 'cancelled'] : ['completed']
  return ['failed', 'cancelled']
}

async function setAsRecorded(api: Api, take: Take, session: Session, msg: RpcMessage): Promise<void> {
  const { modeId, configId, value } = (msg.params ?? {}) as Record<string, string>
  if (msg.method === 'session/set_mode') {
    await api.post(`/api/sessions/${session.id}/mode`, { modeId })
    const mode = async () => (await take.detail(session)).agentState?.modes?.currentModeId === modeId
    await until(mode, { what: `the mode ${modeId}` })
  }
  if (msg.method !== 'session/set_config_option') return
  await api.post(`/api/sessions/${session.id}/options`, { optionId: configId, value })
  const option = async () =>
    (await take.detail(session)).agentState?.configOptions.some(
      ({ id, currentValue }) => id === configId && currentValue === value,
    )
  await until(option, { what: `${configId} as ${value}` })
}
