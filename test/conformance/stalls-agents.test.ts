import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { until } from '../support/until.ts'
import { openYard, type Yard } from './agents-yard.ts'
import { alertOf, alertsOf, is, quick } from './ops-yard.ts'

describe('stalls of agents we host', () => {
  let yard: Yard
  beforeAll(async () => {
    yard = await openYard({ env: quick })
  })
  afterAll(() => yard?.[Symbol.asyncDispose]())

  it('R16 a hosted agent that hangs in its turn is nudged by cancel, then prompt, and comes back', async () => {
    const session = await yard.start()
    const hung = await yard.prompt(session, '/stall forever')
    const alert = await alertOf(yard.api, session.id, is('nudged', 'self_recovered'))
    await yard.saying(session, 'I am back')
    expect(await alertOf(yard.api, session.id, is('self_recovered'))).toMatchObject({ id: alert.id, nudgeCount: 1 })
    await yard.settled(hung)
    const { queue, connectivityStatus } = await yard.detail(session)
    expect(connectivityStatus).toBe('online')
    expect(queue.filter(({ status }) => status === 'waiting')).toEqual([])
  })

  it('R16 an operator’s own words reach a hosted agent the same way', async () => {
    const session = await yard.start()
    await yard.prompt(session, '/stall forever')
    const { id } = await alertOf(yard.api, session.id)
    await yard.api.post(`/api/alerts/${id}/nudge`, { message: '/say as you wish' })
    await until(async () => {
      const { messages } = await yard.detail(session)
      return messages.some(({ role, content }) => role === 'agent' && String(content['text']).includes('as you wish'))
    })
    expect(await alertOf(yard.api, session.id, is('self_recovered'))).toMatchObject({
      id,
      nudgeMessage: '/say as you wish',
    })
  })

  it('R16 one that does not even hear cancel is escalated: what the watchdog itself does is no life', async () => {
    const session = await yard.start()
    await yard.prompt(session, '/ignore-cancel\n/stall forever')
    const alert = await alertOf(yard.api, session.id, is('escalated'))
    expect(alert).toMatchObject({ nudgeCount: 2 })
    expect(await yard.detail(session)).toMatchObject({ connectivityStatus: 'stalled' })
    expect(await alertsOf(yard.api, session.id)).toMatchObject([{ id: alert.id }])
    await yard.api.delete(`/api/sessions/${session.id}`)
  })

  it('R16 between turns, and while a person is asked, nothing is a stall', async () => {
    const [idle, asking, hung] = [await yard.start(), await yard.start(), await yard.start()]
    await yard.say(idle, '/say done')
    await yard.prompt(asking, '/write a.txt hello')
    await yard.openAsk(asking)
    await yard.prompt(hung, '/ignore-cancel\n/stall forever')
    await alertOf(yard.api, hung.id, is('nudged', 'escalated'))
    expect(await alertsOf(yard.api, idle.id)).toEqual([])
    expect(await alertsOf(yard.api, asking.id)).toEqual([])
    await yard.api.delete(`/api/sessions/${hung.id}`)
  })

  it('R16 X5 a hosted agent that hangs over kill -9 of the server is nudged by the next one, once', async () => {
    const session = await yard.start()
    await yard.prompt(session, '/stall forever')
    const { id } = await alertOf(yard.api, session.id, is('pending', 'nudged'))
    await yard.server.kill('SIGKILL')
    await yard.server.restart()
    await yard.saying(session, 'I am back')
    expect(await alertOf(yard.api, session.id, is('self_recovered'))).toMatchObject({ id })
    const { messages } = await yard.detail(session)
    const said = messages.filter(({ role, content }) => role === 'agent' && content['text'] === 'I am back')
    expect(said).toHaveLength(1)
  })
})
