import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { usualDatabases } from '../support/server.ts'
import { openEvents } from '../support/sse.ts'
import { until } from '../support/until.ts'
import { approve, type Agent, type McpHarness } from './mcp-harness.ts'
import { alertOf, alertsOf, is, openOperationsHarness, quick, working, type Alert } from './operations-harness.ts'
import { newPerson } from './people.ts'

const watched = { SIGNALBOX_STALL__ENABLED: 'true', ...quick, SIGNALBOX_STALL__DEFAULT_NUDGE_MESSAGE: 'Go on, please.' }

// Each test waits for its own session's clock: they wait in parallel.
describe.concurrent('the stall watchdog', () => {
  let harness: McpHarness
  beforeAll(async () => {
    harness = await openOperationsHarness({ env: watched })
  })
  afterAll(() => harness?.[Symbol.asyncDispose]())

  const silentAgent = async (): Promise<Agent> => {
    const agent = await working(harness)
    await agent.call('remote_log', { message: 'at work' })
    return agent
  }

  const openOnes = async ({ sessionId }: Agent) =>
    (await alertsOf(harness.owner, sessionId)).filter(({ closedAt }) => closedAt === null)
  const idsOf = async ({ sessionId }: Agent) => (await alertsOf(harness.owner, sessionId)).map(({ id }) => id)

  /** Time enough for an alert and its first nudge: another agent went silent and was nudged. */
  const aWhile = async (): Promise<void> => {
    await using other = await silentAgent()
    await alertOf(harness.owner, other.sessionId, is('nudged', 'escalated'))
  }

  it('R16 silence raises an alert: last tool, last activity, how long; the session is stalled', async () => {
    await using agent = await silentAgent()
    const { lastActivityAt } = await agent.detail()
    const alert = await alertOf(harness.owner, agent.sessionId, ({ lastTool }) => lastTool === 'remote_log')
    expect(alert).toMatchObject({ cause: 'silent', lastActivityAt })
    expect(alert.idleSeconds).toBeGreaterThanOrEqual(1)
    expect(Date.parse(alert.createdAt) - Date.parse(alert.lastActivityAt)).toBeGreaterThanOrEqual(1000)
    expect(await agent.detail()).toMatchObject({ connectivityStatus: 'stalled', status: 'active' })
    expect(await harness.owner.get(`/api/alerts/${alert.id}`)).toMatchObject({ id: alert.id })
  })

  it('R16 at most max_retries nudges, spaced as configured, then it is escalated to the channel', async () => {
    await using events = await openEvents(harness.owner, { query: '?type=alert.*' })
    await using agent = await silentAgent()
    const alert = await alertOf(harness.owner, agent.sessionId, is('escalated'))
    expect(alert).toMatchObject({ nudgeCount: 2, nextAt: null, closedAt: null, nudgeMessage: null })
    await events.first(({ type, sessionId }) => type === 'alert.escalated' && sessionId === agent.sessionId)
    const steps = events.heard.filter(({ data }) => data['id'] === alert.id)
    expect(steps.map(({ type }) => type)).toEqual(['alert.raised', 'alert.nudged', 'alert.nudged', 'alert.escalated'])
    expect(steps.at(-1)?.data).toMatchObject({ mention: 'channel', nudges: 2 })
    const times = steps.map(({ at }) => Date.parse(at))
    for (const [n, time] of times.slice(1).entries()) expect(time - times[n]!).toBeGreaterThanOrEqual(1000)
    expect(await agent.detail()).toMatchObject({ nudgeCount: 2 })
    expect(await openOnes(agent)).toMatchObject([{ id: alert.id }])
  })

  it('R16 when activity returns: self_recovered, the session online, nudge_count 0', async () => {
    await using agent = await silentAgent()
    const { id } = await alertOf(harness.owner, agent.sessionId, is('nudged'))
    await agent.call('remote_log', { message: 'here again' })
    expect(await harness.owner.get(`/api/alerts/${id}`)).toMatchObject({
      status: 'self_recovered',
      nextAt: null,
      closedAt: expect.any(String),
    })
    expect(await agent.detail()).toMatchObject({ nudgeCount: 0, connectivityStatus: 'online' })
  })

  it('R16 activity closes an escalated alert too, and later silence is a new alert', async () => {
    await using agent = await silentAgent()
    const first = await alertOf(harness.owner, agent.sessionId, is('escalated'))
    await agent.call('remote_log', { message: 'here again' })
    expect(await harness.owner.get(`/api/alerts/${first.id}`)).toMatchObject({ status: 'self_recovered' })
    const second = await alertOf(harness.owner, agent.sessionId, ({ id }) => id !== first.id)
    expect(second.nudgeCount).toBeLessThanOrEqual(1)
    expect(await openOnes(agent)).toMatchObject([{ id: second.id }])
  })

  it('R16 a nudge reaches an MCP agent with its next heartbeat, once, and only the newest', async () => {
    await using agent = await silentAgent()
    await alertOf(harness.owner, agent.sessionId, is('escalated'))
    expect(await agent.call('heartbeat')).toMatchObject({ pending_steering: ['Go on, please.'] })
    await until(async () => (await harness.queue(agent.sessionId)).every(({ status }) => status !== 'waiting'))
    expect(await agent.call('heartbeat')).toMatchObject({ pending_steering: [] })
  })

  it('R16 a pending nudge reaches an MCP agent that starts to wait', async () => {
    await using agent = await silentAgent()
    await alertOf(harness.owner, agent.sessionId, is('nudged'))
    const said = await agent.call('wait_for_instruction', {}, { held: true })
    expect(said).toMatchObject({ status: 'resumed', instruction: 'Go on, please.' })
    expect(await agent.call('heartbeat')).toMatchObject({ pending_steering: [] })
  })

  it('R16 the operator nudges in their own words, which are kept and reach the agent', async () => {
    await using agent = await silentAgent()
    const { id } = await alertOf(harness.owner, agent.sessionId)
    const nudged = await harness.owner.post(`/api/alerts/${id}/nudge`, { message: 'Skip the slow test' })
    expect(nudged).toMatchObject({ status: 'nudged', nudgeMessage: 'Skip the slow test' })
    const { pending_steering: heard } = await agent.call('heartbeat')
    expect(heard).toContain('Skip the slow test')
    expect(await harness.owner.get(`/api/alerts/${id}`)).toMatchObject({ nudgeMessage: 'Skip the slow test' })
  })

  it('R16 the command line lists alerts, nudges and dismisses', async () => {
    await using agent = await silentAgent()
    const { id } = await alertOf(harness.owner, agent.sessionId)
    const listed = await harness.server.cli('alerts', '--session', agent.sessionId, '--json')
    expect(JSON.parse(listed.stdout)).toMatchObject({ alerts: [{ id }] })
    expect(await harness.server.cli('alerts', 'nudge', id, 'and', 'now?')).toMatchObject({ code: 0 })
    expect(await harness.owner.get(`/api/alerts/${id}`)).toMatchObject({ nudgeMessage: 'and now?' })
    expect(await harness.server.cli('alerts', 'dismiss', id)).toMatchObject({ code: 0 })
    expect(await harness.owner.get(`/api/alerts/${id}`)).toMatchObject({ status: 'dismissed' })
  })

  it('R16 a dismissed alert stays quiet until the agent is active again', async () => {
    await using agent = await silentAgent()
    const { id } = await alertOf(harness.owner, agent.sessionId)
    const dismissed = await harness.owner.post(`/api/alerts/${id}/dismiss`, {})
    expect(dismissed).toMatchObject({ status: 'dismissed', nextAt: null, closedBy: expect.stringMatching(/^user:/) })
    await aWhile()
    expect((await alertsOf(harness.owner, agent.sessionId))[0]).toMatchObject({ id, status: 'dismissed' })
    await agent.call('remote_log', { message: 'here again' })
    await alertOf(harness.owner, agent.sessionId, (alert) => alert.id !== id)
  })

  it('R16 stopping the session ends its alert', async () => {
    await using agent = await silentAgent()
    const { id } = await alertOf(harness.owner, agent.sessionId)
    await harness.owner.delete(`/api/sessions/${agent.sessionId}`)
    const closed = await alertOf(harness.owner, agent.sessionId, ({ closedAt }) => closedAt !== null)
    expect(closed).toMatchObject({ id, closedBy: 'system:watchdog', nextAt: null })
    const refused = await harness.owner.refused('POST', `/api/alerts/${id}/nudge`, {})
    expect(refused.status).toBe(409)
  })

  it('R16 an alert is for those who may act on the session: no agent, no stranger', async () => {
    await using agent = await silentAgent()
    const { id } = await alertOf(harness.owner, agent.sessionId)
    const stranger = await newPerson(harness.server, 'Sam')
    for (const verb of ['nudge', 'dismiss']) {
      expect(await stranger.api.refused('POST', `/api/alerts/${id}/${verb}`, {})).toMatchObject({ status: 404 })
      const own = await harness.server.api(harness.token).refused('POST', `/api/alerts/${id}/${verb}`, {})
      expect([403, 404]).toContain(own.status)
    }
    expect((await stranger.api.get<{ alerts: unknown[] }>('/api/alerts')).alerts).toEqual([])
  })

  it('R16 waiting for a person is never a stall, and the clock starts again with the answer', async () => {
    await using agent = await working(harness)
    const { ask, done } = await agent.begin('check_auto_approve', { tool_name: 'make all', kind: 'terminal_command' })
    await using waiting = await working(harness)
    const wait = await waiting.begin('wait_for_instruction', {})
    const before = [await idsOf(agent), await idsOf(waiting)]
    await aWhile()
    expect([await idsOf(agent), await idsOf(waiting)]).toEqual(before)
    expect([await openOnes(agent), await openOnes(waiting)]).toEqual([[], []])
    expect(await agent.detail()).toMatchObject({ connectivityStatus: 'online' })
    await harness.answer(ask, approve)
    await done
    const answered = Date.parse((await harness.owner.get<{ answeredAt: string }>(`/api/asks/${ask.id}`)).answeredAt)
    const alert = await alertOf(harness.owner, agent.sessionId, ({ id }) => !before[0]!.includes(id))
    expect(Date.parse(alert.createdAt) - answered).toBeGreaterThanOrEqual(1000)
    await harness.answer(wait.ask, { outcome: 'stop' })
    await wait.done
  })

  it('R11 R16 a long operation does not count as a stall; the next heartbeat without it ends that', async () => {
    await using agent = await working(harness)
    const long = { long_operation: { reason: 'the big build', seconds: 600 } }
    expect(await agent.call('heartbeat', long)).toMatchObject({ stall_detection_enabled: false })
    const before = await idsOf(agent)
    await aWhile()
    expect(await idsOf(agent)).toEqual(before)
    expect(await agent.call('heartbeat')).toMatchObject({ stall_detection_enabled: true })
    await alertOf(harness.owner, agent.sessionId, ({ id }) => !before.includes(id))
  })

  it('R11 R16 watching resumes after a long operation', async () => {
    await using agent = await working(harness)
    await agent.call('heartbeat', { long_operation: { reason: 'the small build', seconds: 1 } })
    expect(await alertOf(harness.owner, agent.sessionId)).toMatchObject({ lastTool: 'heartbeat' })
  })

  it('R11 R16 the owner can pause and resume stall detection for a session', async () => {
    await using agent = await silentAgent()
    const { id } = await alertOf(harness.owner, agent.sessionId)
    await harness.owner.post(`/api/sessions/${agent.sessionId}/stall`, { paused: true })
    await alertOf(harness.owner, agent.sessionId, ({ closedAt }) => closedAt !== null)
    expect(await agent.call('heartbeat')).toMatchObject({ stall_detection_enabled: false })
    const before = await idsOf(agent)
    await aWhile()
    expect(await idsOf(agent)).toEqual(before)
    expect(await harness.server.cli('alerts', 'resume', agent.sessionId)).toMatchObject({ code: 0 })
    await alertOf(harness.owner, agent.sessionId, (alert) => alert.id !== id)
  })

  it('R1 R16 a paused session is not watched', async () => {
    await using agent = await silentAgent()
    await harness.owner.post(`/api/sessions/${agent.sessionId}/pause`, {})
    await aWhile()
    expect(await openOnes(agent)).toEqual([])
  })

  it('R16 heartbeats without progress raise their own alert, closed by progress', async () => {
    await using agent = await working(harness)
    const snapshot = (status: string) => ({ progress_snapshot: [{ label: 'build', status }] })
    await agent.call('heartbeat', snapshot('pending'))
    const alert = await until(
      async () => {
        await agent.call('heartbeat', snapshot('pending'))
        return (await alertsOf(harness.owner, agent.sessionId)).find(({ cause }) => cause === 'no_progress')
      },
      { seconds: 30, what: 'an alert for want of progress' },
    )
    expect(await agent.detail()).toMatchObject({ connectivityStatus: 'online' })
    await agent.call('heartbeat', snapshot('done'))
    await until(async () => {
      const { status } = await harness.owner.get<{ status: string }>(`/api/alerts/${alert.id}`)
      return status === 'self_recovered'
    })
  })

  it('R16 statistics show how alerts ended and what nudges achieved', async () => {
    await using agent = await silentAgent()
    await alertOf(harness.owner, agent.sessionId, ({ nudgeCount }) => nudgeCount === 1)
    await agent.call('remote_log', { message: 'here again' })
    const path = `/api/alerts/stats?sessionId=${agent.sessionId}`
    expect(await harness.owner.get(path)).toMatchObject({
      byStatus: { self_recovered: expect.any(Number) },
      nudges: 1,
      recoveredAfter: expect.arrayContaining([{ nudges: 1, alerts: 1 }]),
      medianSecondsFromNudgeToLife: expect.any(Number),
    })
    const cli = await harness.server.cli('alerts', 'stats', '--session', agent.sessionId, '--json')
    expect(JSON.parse(cli.stdout)).toMatchObject({ nudges: 1 })
  })
})

// Each has its own server, and mostly waits for its clock.
describe.each(usualDatabases)('the stall watchdog after a crash on %s', { concurrent: true }, (database) => {
  it('R16 X3 an alert continues after kill -9 where it was: no step is lost or repeated', async () => {
    await using harness = await openOperationsHarness({
      database,
      env: { ...watched, SIGNALBOX_STALL__MAX_RETRIES: '3' },
    })
    const agent = await working(harness)
    await agent.call('remote_log', { message: 'at work' })
    const before = await alertOf(harness.owner, agent.sessionId, is('nudged'))
    await harness.crash()
    const after = await alertOf(harness.owner, agent.sessionId, is('escalated'))
    expect(after).toMatchObject({ id: before.id, nudgeCount: 3, lastActivityAt: before.lastActivityAt })
    await using events = await openEvents(harness.owner, { query: '?after=0.0&type=alert.*' })
    await events.first(({ type }) => type === 'alert.escalated')
    const steps = events.heard.filter(({ data }) => data['id'] === after.id)
    expect(steps.map(({ type }) => type)).toEqual([
      'alert.raised',
      'alert.nudged',
      'alert.nudged',
      'alert.nudged',
      'alert.escalated',
    ])
    const waiting = (await harness.queue(agent.sessionId)).filter(({ status }) => status === 'waiting')
    expect(waiting).toMatchObject([{ text: 'Go on, please.', by: 'system:watchdog' }])
    await agent.client.close()
  })

  it('R16 silence that began before a crash still counts after it', async () => {
    const slow = { ...watched, SIGNALBOX_STALL__INACTIVITY_THRESHOLD_SECONDS: '4' }
    await using harness = await openOperationsHarness({ database, env: slow })
    const agent = await working(harness)
    await agent.call('remote_log', { message: 'at work' })
    const { lastActivityAt } = await agent.detail()
    await agent.client.close()
    await harness.crash()
    const alert = await alertOf(harness.owner, agent.sessionId)
    expect(alert).toMatchObject({ lastActivityAt })
  })

  it('R16 R24 a lost client ends its alert; a person’s message waits until it is back', async () => {
    const env = { ...watched, SIGNALBOX_MCP__LOST_AFTER_SECONDS: '4' }
    await using harness = await openOperationsHarness({ database, env })
    await using agent = await working(harness)
    await agent.call('remote_log', { message: 'at work' })
    const { id } = await alertOf(harness.owner, agent.sessionId, is('nudged'))
    await harness.owner.post(`/api/alerts/${id}/nudge`, { message: 'Skip the slow test' })
    await until(async () => (await agent.detail()).status === 'interrupted', { seconds: 30 })
    const path = `/api/alerts/${id}`
    const over = await until(async () => {
      const alert = await harness.owner.get<Alert>(path)
      return alert.closedAt === null ? null : alert
    })
    expect(over).toMatchObject({ nextAt: null })
    expect(await agent.call('heartbeat')).toMatchObject({ pending_steering: ['Skip the slow test'] })
    expect(await agent.detail()).toMatchObject({ status: 'active', connectivityStatus: 'online', nudgeCount: 0 })
  })

  it('R16 with stall.enabled = false no session is watched', async () => {
    await using harness = await openOperationsHarness({
      database,
      env: { ...watched, SIGNALBOX_STALL__ENABLED: 'false' },
    })
    await using agent = await working(harness)
    expect(await agent.call('heartbeat')).toMatchObject({ stall_detection_enabled: false })
    const heard = Date.parse((await agent.detail()).lastActivityAt ?? '')
    await until(() => Date.now() > heard + 4000)
    expect(await alertsOf(harness.owner, agent.sessionId)).toEqual([])
    expect(await agent.detail()).toMatchObject({ connectivityStatus: 'online' })
  })
})
