import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { until } from '../support/until.ts'
import { openAgentsHarness, type AgentsHarness } from './agents-harness.ts'
import { alertOf, alertsOf, is, quick } from './operations-harness.ts'

describe('stalls of hosted agents', () => {
  let harness: AgentsHarness
  beforeAll(async () => {
    harness = await openAgentsHarness({ env: quick })
  })
  afterAll(() => harness?.[Symbol.asyncDispose]())

  it('R16 a hosted agent that hangs in its turn is nudged by cancel, then prompt, and recovers', async () => {
    const session = await harness.start()
    const hung = await harness.prompt(session, '/stall forever')
    const alert = await alertOf(harness.api, session.id, is('nudged', 'self_recovered'))
    await harness.saying(session, 'I am back')
    expect(await alertOf(harness.api, session.id, is('self_recovered'))).toMatchObject({ id: alert.id, nudgeCount: 1 })
    await harness.settled(hung)
    const { queue, connectivityStatus } = await harness.detail(session)
    expect(connectivityStatus).toBe('online')
    expect(queue.filter(({ status }) => status === 'waiting')).toEqual([])
  })

  it('R16 an operator’s own words reach a hosted agent the same way', async () => {
    const session = await harness.start()
    await harness.prompt(session, '/stall forever')
    const { id } = await alertOf(harness.api, session.id)
    await harness.api.post(`/api/alerts/${id}/nudge`, { message: '/say as you wish' })
    await until(async () => {
      const { messages } = await harness.detail(session)
      return messages.some(({ role, content }) => role === 'agent' && String(content['text']).includes('as you wish'))
    })
    expect(await alertOf(harness.api, session.id, is('self_recovered'))).toMatchObject({
      id,
      nudgeMessage: '/say as you wish',
    })
  })

  it('R16 one that ignores even cancel is escalated: the watchdog’s own actions are not activity', async () => {
    const session = await harness.start()
    await harness.prompt(session, '/ignore-cancel\n/stall forever')
    const alert = await alertOf(harness.api, session.id, is('escalated'))
    expect(alert).toMatchObject({ nudgeCount: 2 })
    expect(await harness.detail(session)).toMatchObject({ connectivityStatus: 'stalled' })
    expect(await alertsOf(harness.api, session.id)).toMatchObject([{ id: alert.id }])
    await harness.api.delete(`/api/sessions/${session.id}`)
  })

  it('R16 between turns, and while a person is asked, nothing is a stall', async () => {
    const [idle, asking, hung] = [await harness.start(), await harness.start(), await harness.start()]
    await harness.say(idle, '/say done')
    await harness.prompt(asking, '/write a.txt hello')
    await harness.openAsk(asking)
    await harness.prompt(hung, '/ignore-cancel\n/stall forever')
    await alertOf(harness.api, hung.id, is('nudged', 'escalated'))
    expect(await alertsOf(harness.api, idle.id)).toEqual([])
    expect(await alertsOf(harness.api, asking.id)).toEqual([])
    await harness.api.delete(`/api/sessions/${hung.id}`)
  })

  it('R16 X5 a hosted agent that hangs across kill -9 of the server is nudged by the next one, once', async () => {
    const session = await harness.start()
    await harness.prompt(session, '/stall forever')
    const { id } = await alertOf(harness.api, session.id, is('pending', 'nudged'))
    await harness.server.kill('SIGKILL')
    await harness.server.restart()
    await harness.saying(session, 'I am back')
    expect(await alertOf(harness.api, session.id, is('self_recovered'))).toMatchObject({ id })
    const { messages } = await harness.detail(session)
    const said = messages.filter(({ role, content }) => role === 'agent' && content['text'] === 'I am back')
    expect(said).toHaveLength(1)
  })
})
