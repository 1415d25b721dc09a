import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { Api } from '../../support/api.ts'
import { until } from '../../support/until.ts'
import { signIn } from '../people.ts'
import type { SessionDetail } from '../shapes.ts'
import { openChatsHarness, type ChatsHarness } from './harness.ts'
import { openSlackDriver } from './slack-driver.ts'

const use = (name: string, input: object) => `tool ${JSON.stringify({ name, arguments: input })}`
/** Each agent that gets it passes it on: to `beta`, back to `alpha`, and so on. */
const passedOn = (times: number, text: string, to: 'alpha' | 'beta' = 'beta'): string =>
  times === 0 ? text : use('send_message', { to, text: passedOn(times - 1, text, to === 'beta' ? 'alpha' : 'beta') })

describe('agent to agent', () => {
  let harness: ChatsHarness
  let api: Api
  let sessionId: string
  beforeAll(async () => {
    harness = await openChatsHarness(openSlackDriver, { agent: 'tools' })
    const [repo] = await harness.api.list<{ id: string }>('/api/repos')
    await harness.api.send('PUT', `/api/repos/${repo?.id}/access`, { body: { everyone: true } })
    const beta = await harness.api.post<{ id: string }>('/api/agent-groups', {
      name: 'Beta',
      agent: 'tools',
      repoId: repo?.id,
    })
    const may = (agentGroupId: string, targetId: string, localName: string) =>
      harness.api.post('/api/destinations', { agentGroupId, targetType: 'agent', targetId, localName })
    await may(harness.groupId, beta.id, 'beta')
    await may(beta.id, harness.groupId, 'alpha')
    const ann = await harness.member('Ann')
    await harness.api.put(`/api/agent-groups/${beta.id}/members/${ann.userId}`)
    const root = ann.mentions(use('list_destinations', {}))
    await harness.shown(root, ({ text }) => text.includes('beta'), 'the destinations')
    sessionId = (await harness.session()).id
    api = (await signIn(harness.server, ann.userId)).api
  })
  afterAll(() => harness?.[Symbol.asyncDispose]())

  const said = async (id = sessionId, role = 'agent') =>
    (await api.get<SessionDetail>(`/api/sessions/${id}`)).messages
      .filter((one) => one.role === role)
      .map(({ content }) => JSON.stringify(content))
  async function does(text: string): Promise<string> {
    const before = (await said()).length
    await api.post(`/api/sessions/${sessionId}/prompt`, { text, when: 'next' })
    return until(async () => (await said()).slice(before).at(-1), { what: 'what came back' })
  }
  /** What agents of both groups said, and what they were told. */
  const everything = async () => {
    const all = await Promise.all(
      (await harness.sessions()).map(({ id }) => api.get<SessionDetail>(`/api/sessions/${id}`)),
    )
    return JSON.stringify(all.map(({ messages }) => messages))
  }

  it('C6 a message starts the other agent, which sees who wrote it; its reply comes back to the session that wrote', async () => {
    expect(await does(passedOn(2, 'hello'))).toContain('queued')
    await until(
      async () => (await said(sessionId, 'user')).some((text) => text.includes('Message from the agent Beta')),
      {
        what: 'the reply',
      },
    )
    const all = await harness.sessions()
    expect(all).toHaveLength(2)
    const other = all.find(({ id }) => id !== sessionId)
    expect((await said(other?.id, 'user')).join()).toContain('Message from the agent Practice')
    expect(await does(use('send_message', { to: 'gamma', text: 'hello' }))).toContain('unknown_destination')
  })

  it('C6 what five agents passed on, a sixth cannot', async () => {
    expect(await does(passedOn(6, 'one-too-many'))).toContain('queued')
    await until(async () => (await everything()).includes('too_many_hops'), { what: 'the refusal', seconds: 30 })
    // The text of the sixth message, alone, would be what an agent is told.
    expect(await everything()).not.toMatch(/the agent (?:Beta|Practice):\\n(?:tool )?one-too-many/)
  })

  it('C6 a pair of agents has twenty messages a minute; then the sender is told when to try again', async () => {
    let refused: string | null = null
    for (let n = 0; n < 21 && refused === null; n += 1) {
      const back = await does(use('send_message', { to: 'beta', text: `note-${n}` }))
      if (!back.includes('queued')) refused = back
    }
    expect(refused).toContain('rate_limited')
    expect(refused).toMatch(/retry_after|Try again in \d+ seconds?/)
    // With those of the tests before.
    expect((await everything()).split('Message from the agent').length - 1).toBeLessThanOrEqual(20)
  })
})
