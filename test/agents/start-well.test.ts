import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { png } from '../conformance/prompt-agent.ts'
import { scriptOf } from '../support/agents/model/script.ts'
import { until } from '../support/until.ts'
import { openRealAgentHarness, type RealAgentHarness } from './real-agent-harness.ts'

type About = { agentState: { commands: { name: string }[]; configOptions: { id: string; currentValue: unknown }[] } }

/** A model that is not the agent's usual one, how the request to it names it, and a command with what becomes of it. */
const own = {
  codex: { model: 'gpt-5.4', named: '"model":"gpt-5.4"', command: 'init', does: /file named AGENTS\.md/ },
  gemini: {
    model: 'gemini-3-flash-preview',
    named: '/models/gemini-3-flash-preview:',
    command: 'about',
    does: /Gemini CLI Info/,
  },
} as const

describe.skipIf(process.platform !== 'linux').each(['codex', 'gemini'] as const)('starting well with %s', (agent) => {
  let harness: RealAgentHarness
  beforeAll(async () => {
    harness = await openRealAgentHarness(agent)
  })
  afterAll(() => harness?.[Symbol.asyncDispose]())

  const api = () => harness.server.api()
  const lastRequest = () => harness.model.requests().at(-1)

  it('B17 the model chosen at the start is asked, and sees the image of the prompt', async () => {
    const data = png.toString('base64')
    const image = await api().post<{ id: string }>('/api/attachments', {
      name: 'screen.png',
      mimeType: 'image/png',
      data,
    })
    const { model, named } = own[agent]
    const session = await harness.start({ options: { model } })
    const text = scriptOf({ say: 'A small square.' })
    await harness.settled(await api().post(`/api/sessions/${session.id}/prompt`, { text, attachments: [image.id] }))
    expect(await harness.said(session)).toBe('A small square.')
    expect(lastRequest()!.path + lastRequest()!.body).toContain(named)
    expect(lastRequest()!.body).toContain(data)
    await harness.end(session)
  })

  it('B17 its own commands are offered, and run when they are sent as a prompt', async () => {
    const session = await harness.start()
    const names = await until(async () => {
      const { agentState } = await api().get<About>(`/api/sessions/${session.id}`)
      return agentState.commands.length > 0 && agentState.commands.map(({ name }) => name)
    })
    const { command, does } = own[agent]
    expect(names).toContain(command)
    const before = harness.model.requests().length
    await harness.settled(await api().post(`/api/sessions/${session.id}/prompt`, { text: `/${command}` }))
    // The agent answers itself, or gives the model words of its own.
    const asked = JSON.stringify(harness.model.requests()[before]?.talk.items ?? [])
    expect(`${asked}\n${await harness.said(session)}`).toMatch(does)
    await harness.end(session)
  })
})
