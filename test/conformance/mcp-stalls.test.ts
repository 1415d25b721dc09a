import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { until } from '../support/until.ts'
import { approve, openMcpHarness, type McpHarness } from './mcp-harness.ts'
import { working } from './operations-harness.ts'

type Alert = {
  id: string
  status: string
  cause: string
  lastTool: string | null
  lastActivityAt: string
  idleSeconds: number
  nudgeCount: number
  nudgeMessage: string | null
  closedAt: string | null
}

describe('agents that have gone quiet', () => {
  let harness: McpHarness
  beforeAll(async () => {
    harness = await openMcpHarness({
      env: {
        SIGNALBOX_STALL__INACTIVITY_THRESHOLD_SECONDS: '1',
        SIGNALBOX_STALL__ESCALATION_THRESHOLD_SECONDS: '1',
        SIGNALBOX_STALL__MAX_RETRIES: '1',
        SIGNALBOX_STALL__DEFAULT_NUDGE_MESSAGE: 'Are you there?',
      },
    })
  })
  afterAll(() => harness?.[Symbol.asyncDispose]())

  const alerts = async (sessionId: string) =>
    (await harness.owner.get<{ alerts: Alert[] }>(`/api/alerts?sessionId=${sessionId}`)).alerts
  const alertOf = (sessionId: string, ...statuses: string[]) =>
    until(async () => (await alerts(sessionId)).find(({ status }) => statuses.includes(status)), {
      what: `an alert that is ${statuses.join(' or ')}`,
    })

  it('R16 one alert with the last activity; a nudge with the next heartbeat; self_recovered', async () => {
    await using agent = await working(harness)
    await agent.call('remote_log', { message: 'At work' })
    const alert = await alertOf(agent.sessionId, 'pending', 'nudged', 'escalated')
    expect(alert).toMatchObject({ cause: 'silent', lastTool: 'remote_log', lastActivityAt: expect.any(String) })
    expect(alert.idleSeconds).toBeGreaterThanOrEqual(1)
    expect((await agent.detail()).connectivityStatus).toBe('stalled')
    await alertOf(agent.sessionId, 'nudged', 'escalated')
    const beat = await agent.call('heartbeat')
    expect(beat['pending_steering']).toEqual(['Are you there?'])
    await until(async () => (await alerts(agent.sessionId))[0]?.status === 'self_recovered')
    expect(await agent.detail()).toMatchObject({ connectivityStatus: 'online', nudgeCount: 0 })
  })

  it('R16 escalated when nudges did not help; activity still closes it', async () => {
    await using agent = await working(harness)
    const alert = await alertOf(agent.sessionId, 'escalated')
    expect(alert.nudgeCount).toBe(1)
    expect(await alerts(agent.sessionId)).toHaveLength(1)
    await agent.call('heartbeat')
    await until(async () => (await alerts(agent.sessionId))[0]?.closedAt !== null)
    expect((await agent.detail()).connectivityStatus).toBe('online')
  })

  it('R16 a person nudges in their own words, which the agent gets once', async () => {
    await using agent = await working(harness)
    const { id } = await alertOf(agent.sessionId, 'pending', 'nudged', 'escalated')
    await harness.owner.post(`/api/alerts/${id}/nudge`, { message: 'Skip that file' })
    expect((await alerts(agent.sessionId))[0]?.nudgeMessage).toBe('Skip that file')
    expect((await agent.call('heartbeat'))['pending_steering']).toContain('Skip that file')
    expect((await agent.call('heartbeat'))['pending_steering']).toEqual([])
  })

  it('R16 once dismissed there is no other alert until there is activity', async () => {
    await using agent = await working(harness)
    const { id } = await alertOf(agent.sessionId, 'pending', 'nudged', 'escalated')
    expect(await harness.owner.post(`/api/alerts/${id}/dismiss`)).toMatchObject({ status: 'dismissed' })
    const since = Date.now()
    await until(() => Date.now() - since > 2500)
    expect(await alerts(agent.sessionId)).toHaveLength(1)
    await agent.call('heartbeat')
    await until(async () => (await alerts(agent.sessionId)).length === 2)
  })

  it('R16 waiting for a person is never a stall, whether held or polled', async () => {
    await using held = await working(harness)
    await using polling = await working(harness)
    const { ask, done } = await held.begin('ask_approval', { title: 'x', diff: 'x\n', file_path: 'a.txt' })
    const pending = await polling.call('forward_prompt', { prompt_text: 'And?', prompt_type: 'error_recovery' })
    const since = Date.now()
    await until(() => Date.now() - since > 3500)
    for (const agent of [held, polling]) {
      // A busy machine may need more than the second before they ask; asking ends that alert.
      expect((await alerts(agent.sessionId)).filter(({ closedAt }) => closedAt === null)).toEqual([])
      expect((await agent.detail()).connectivityStatus).toBe('online')
    }
    await harness.answer(ask, approve)
    await done
    await harness.answer({ id: String(pending['request_id']) }, { outcome: 'stop' })
  })

  it('R11 R16 neither a long operation nor a pause by the owner is a stall', async () => {
    await using long = await working(harness)
    await using paused = await working(harness)
    await harness.owner.post(`/api/sessions/${paused.sessionId}/stall`, { paused: true })
    await long.call('heartbeat', { long_operation: { reason: 'A build', seconds: 600 } })
    const since = Date.now()
    await until(() => Date.now() - since > 3500)
    const open = async (id: string) => (await alerts(id)).filter(({ closedAt }) => closedAt === null)
    expect([await open(long.sessionId), await open(paused.sessionId)]).toEqual([[], []])
    await long.call('heartbeat')
    await alertOf(long.sessionId, 'pending', 'nudged', 'escalated')
  })

  it('R11 R16 heartbeats without progress are recognised', async () => {
    await using agent = await working(harness)
    const snapshot = [{ label: 'one', status: 'in_progress' }]
    const alert = await until(async () => {
      await agent.call('heartbeat', { progress_snapshot: snapshot })
      return (await alerts(agent.sessionId)).find(({ cause }) => cause === 'no_progress')
    })
    expect(alert.lastTool).toBe('heartbeat')
    await agent.call('heartbeat', { progress_snapshot: [{ label: 'one', status: 'done' }] })
    await until(async () => (await alerts(agent.sessionId)).find(({ id }) => id === alert.id)?.closedAt !== null)
  })

  it('R16 a nudge reaches an open wait', async () => {
    await using agent = await working(harness)
    const { id } = await alertOf(agent.sessionId, 'pending', 'nudged', 'escalated')
    await harness.owner.post(`/api/alerts/${id}/nudge`, { message: 'Go on' })
    const said = await agent.call('wait_for_instruction', {}, { held: true })
    expect(said).toMatchObject({ status: 'resumed', instruction: expect.stringContaining('Go on') })
  })

  it('R16 an alert survives a crash of the server, and continues where it was', async () => {
    await using agent = await working(harness)
    const { id } = await alertOf(agent.sessionId, 'pending', 'nudged', 'escalated')
    await harness.crash()
    const alert = await alertOf(agent.sessionId, 'escalated')
    expect(alert.id).toBe(id)
    expect(await alerts(agent.sessionId)).toHaveLength(1)
    expect((await agent.call('heartbeat'))['pending_steering']).toEqual(['Are you there?'])
  })
})
