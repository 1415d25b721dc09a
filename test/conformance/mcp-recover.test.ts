import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { approve, openMcpHarness, type Agent, type McpHarness } from './mcp-harness.ts'
import { newMachineUser } from './people.ts'
import { newToken } from './work.ts'

const whole = { title: 'Write it', diff: 'hello\n', file_path: 'a.txt' }
const steps = [{ label: 'one', status: 'in_progress' }]

describe('recover_state', () => {
  let harness: McpHarness
  beforeAll(async () => {
    harness = await openMcpHarness()
  })
  afterAll(() => harness?.[Symbol.asyncDispose]())

  /** A client that leaves with something open is interrupted, not completed. */
  async function lose(agent: Agent): Promise<void> {
    const { waiting } = await agent.detail()
    if (!waiting) await agent.call('wait_for_instruction')
    await agent.leave()
    expect((await agent.detail()).status).toBe('interrupted')
  }

  it('R13 clean if there is nothing to continue', async () => {
    await using agent = await harness.connect()
    expect(await agent.call('recover_state')).toEqual({ status: 'clean', isError: false })
    expect((await agent.detail()).lastTool).toBe('recover_state')
    expect(await agent.call('reboot', {})).toMatchObject({ status: 'clean' })
  })

  it('R13 its own session: pending requests, last checkpoint, progress and queued instructions', async () => {
    await using agent = await harness.connect()
    await agent.call('heartbeat', { progress_snapshot: steps })
    const checkpoint = await agent.call('create_checkpoint', { label: 'half way' })
    const pending = await agent.call('ask_approval', whole)
    await harness.say(agent.sessionId, 'and then this')
    await using again = await harness.connect({ place: agent.place, query: { session_id: agent.sessionId } })
    expect(await again.call('recover_state')).toEqual({
      status: 'recovered',
      session_id: agent.sessionId,
      pending_requests: [
        {
          request_id: pending['request_id'],
          type: 'approval',
          title: 'Write it',
          status: 'pending',
          created_at: expect.stringMatching(/Z$/),
        },
      ],
      last_checkpoint: {
        checkpoint_id: checkpoint['checkpoint_id'],
        label: 'half way',
        created_at: checkpoint['created_at'],
      },
      progress_snapshot: steps,
      queued_instructions: ['and then this'],
      isError: false,
    })
    expect((await again.call('heartbeat'))['pending_steering']).toEqual(['and then this'])
  })

  it('R13 an approval given while nobody listened is included until it is applied', async () => {
    await using agent = await harness.connect()
    const { request_id } = await agent.call('ask_approval', whole)
    await harness.answer({ id: String(request_id) }, approve)
    await agent.client.close()
    await using again = await harness.connect({ place: agent.place, query: { session_id: agent.sessionId } })
    expect(await again.call('recover_state')).toMatchObject({
      status: 'recovered',
      pending_requests: [{ request_id, status: 'answered' }],
    })
    await again.call('accept_diff', { request_id })
    expect(await again.call('recover_state')).toEqual({ status: 'clean', isError: false })
  })

  it('R13 a rejection given while nobody listened is reported, even if nothing else is left', async () => {
    await using agent = await harness.connect()
    const { request_id } = await agent.call('ask_approval', whole)
    await harness.answer({ id: String(request_id) }, { outcome: 'reject', reason: 'not like that' })
    await agent.client.close()
    await using again = await harness.connect({ place: agent.place, query: { session_id: agent.sessionId } })
    expect(await again.call('recover_state')).toMatchObject({
      status: 'recovered',
      pending_requests: [{ request_id, status: 'answered' }],
    })
    expect(await again.call('ask_approval', { request_id })).toMatchObject({
      status: 'rejected',
      reason: 'not like that',
    })
  })

  it('R13 every pending request is reported, not only the last of its kind', async () => {
    await using agent = await harness.connect()
    const made = [
      await agent.call('ask_approval', whole),
      await agent.call('forward_prompt', { prompt_text: 'First?' }),
      await agent.call('forward_prompt', { prompt_text: 'Second?' }),
      await agent.call('check_auto_approve', { tool_name: 'make', kind: 'terminal_command' }),
    ]
    const said = await agent.call('recover_state')
    const pending = said['pending_requests'] as { request_id: string; type: string }[]
    expect(pending.map(({ request_id }) => request_id).toSorted()).toEqual(
      made.map(({ request_id }) => String(request_id)).toSorted(),
    )
    expect(pending.map(({ type }) => type).toSorted()).toEqual(['approval', 'command', 'prompt', 'prompt'])
  })

  it('R13 X4 its lineage: what its predecessor left', async () => {
    await using agent = await harness.connect()
    await agent.call('heartbeat', { progress_snapshot: steps })
    const { ask, done } = await agent.begin('ask_approval', whole)
    await harness.answer(ask, approve)
    await done
    await harness.say(agent.sessionId, 'go on')
    await harness.owner.post(`/api/sessions/${agent.sessionId}/restart`)
    await using next = await harness.connect({ place: agent.place, query: { session_id: agent.sessionId } })
    const state = await next.call('recover_state')
    expect(state).toMatchObject({ status: 'recovered', queued_instructions: ['go on'] })
    expect(state['pending_requests']).toMatchObject([{ request_id: ask.id }])
    expect(await next.call('accept_diff', { request_id: ask.id })).toMatchObject({ status: 'applied' })
  })

  it('R13 the one interrupted session of the same owner and workspace; its requests then work', async () => {
    await using agent = await harness.connect()
    await agent.call('heartbeat', { progress_snapshot: steps })
    const { request_id } = await agent.call('ask_approval', whole)
    await lose(agent)
    await using next = await harness.connect({ place: agent.place })
    expect(next.sessionId).not.toBe(agent.sessionId)
    expect(await next.call('ask_approval', { request_id })).toMatchObject({ error_code: 'request_not_found' })
    expect(await next.call('recover_state')).toMatchObject({
      status: 'recovered',
      session_id: agent.sessionId,
      pending_requests: [{ request_id, type: 'approval', status: 'pending' }],
      progress_snapshot: steps,
    })
    expect((await harness.session(agent.sessionId)).status).toBe('active')
    expect((await harness.session(next.sessionId)).status).toBe('completed')
    expect(await next.call('heartbeat')).toMatchObject({ session_id: agent.sessionId })
    const held = next.call('ask_approval', { request_id }, { held: true })
    await harness.answer({ id: String(request_id) }, approve)
    expect(await held).toMatchObject({ status: 'approved', request_id })
    expect(await next.call('accept_diff', { request_id })).toMatchObject({ status: 'applied' })
  })

  it('R13 several: ambiguous with the candidates, and none is picked by guessing', async () => {
    const first = await harness.connect()
    const second = await harness.connect({ place: first.place })
    for (const one of [first, second]) {
      await one.call('heartbeat', { progress_snapshot: [{ label: one.sessionId, status: 'done' }] })
      await lose(one)
    }
    await using next = await harness.connect({ place: first.place })
    const said = await next.call('recover_state')
    expect(said).toMatchObject({ status: 'ambiguous', isError: false })
    const candidates = said['candidates'] as { session_id: string }[]
    expect(candidates.map(({ session_id }) => session_id).toSorted()).toEqual(
      [first.sessionId, second.sessionId].toSorted(),
    )
    for (const one of [first, second]) expect((await harness.session(one.sessionId)).status).toBe('interrupted')
    expect(await next.call('recover_state', { session_id: first.sessionId })).toMatchObject({
      status: 'recovered',
      session_id: first.sessionId,
      progress_snapshot: [{ label: first.sessionId, status: 'done' }],
    })
    expect((await harness.session(second.sessionId)).status).toBe('interrupted')
    expect(await next.call('heartbeat')).toMatchObject({ session_id: first.sessionId })
  })

  it('R13 a session in another workspace is not continued', async () => {
    const agent = await harness.connect()
    await agent.call('heartbeat', { progress_snapshot: steps })
    await lose(agent)
    await using next = await harness.connect()
    expect(await next.call('recover_state')).toEqual({ status: 'clean', isError: false })
    expect(await next.call('recover_state', { session_id: agent.sessionId })).toMatchObject({ isError: true })
    expect((await harness.session(agent.sessionId)).status).toBe('interrupted')
  })

  it('R13 a live session next to it is taken over only by its id, never by guessing', async () => {
    await using agent = await harness.connect()
    await agent.call('heartbeat', { progress_snapshot: steps })
    await using next = await harness.connect({ place: agent.place })
    expect(await next.call('recover_state')).toEqual({ status: 'clean', isError: false })
    for (const one of [agent, next]) expect((await one.detail()).status).toBe('active')
    expect(await next.call('recover_state', { session_id: agent.sessionId })).toMatchObject({
      status: 'recovered',
      session_id: agent.sessionId,
      progress_snapshot: steps,
    })
    expect((await next.detail()).status).toBe('completed')
    expect(await agent.call('heartbeat')).toMatchObject({ session_id: agent.sessionId, isError: false })
  })

  it('R13 an agent with an open ask of its own continues no other session', async () => {
    const lost = await harness.connect()
    await lose(lost)
    await using next = await harness.connect({ place: lost.place })
    const held = await next.begin('forward_prompt', { prompt_text: 'And?' })
    const said = await next.call('recover_state', { session_id: lost.sessionId })
    expect(said).toMatchObject({ isError: true, error_code: 'session_busy' })
    await harness.answer(held.ask, { outcome: 'stop' })
    await held.done
    expect(await next.call('recover_state', { session_id: lost.sessionId })).toMatchObject({ status: 'recovered' })
  })

  it('R13 afterwards the connection survives a server restart as the session it continues', async () => {
    const lost = await harness.connect()
    await lost.call('heartbeat', { progress_snapshot: steps })
    await lose(lost)
    await using next = await harness.connect({ place: lost.place })
    await next.call('recover_state')
    await harness.crash()
    expect(await next.call('heartbeat')).toMatchObject({ session_id: lost.sessionId, isError: false })
    expect((await next.detail()).status).toBe('completed')
  })

  it('R13 an invalid id is refused: another person’s, unknown or malformed', async () => {
    const ann = await newMachineUser(harness.server, 'Ann')
    const { token } = await newToken(ann.api, { name: 'hers', scope: 'agent' })
    const hers = await harness.connect({ token })
    expect((await harness.session(hers.sessionId)).ownerUserId).toBe(ann.id)
    await hers.call('heartbeat', { progress_snapshot: steps })
    await lose(hers)
    await using mine = await harness.connect({ place: hers.place })
    expect(await mine.call('recover_state')).toEqual({ status: 'clean', isError: false })
    const answers = []
    for (const session_id of [hers.sessionId, '00000000-0000-4000-8000-000000000000', 'nonsense'])
      answers.push(await mine.call('recover_state', { session_id }))
    for (const said of answers) expect(said).toMatchObject({ isError: true, status: 'error' })
    // Not even the session's existence is revealed.
    expect(new Set(answers.map(({ error_code }) => error_code)).size).toBe(1)
    expect((await harness.session(hers.sessionId)).status).toBe('interrupted')
    expect((await harness.session(mine.sessionId)).status).toBe('active')
  })

  it('R13 an agent whose token is bound to a session can’t continue another', async () => {
    const lost = await harness.connect()
    await lost.call('heartbeat', { progress_snapshot: steps })
    await lose(lost)
    const own = await harness.connect({ place: lost.place })
    const { token } = await newToken(harness.owner, { name: 'tied', scope: 'agent', sessionId: own.sessionId })
    await using tied = await harness.connect({ place: lost.place, token })
    expect(tied.sessionId).toBe(own.sessionId)
    expect(await tied.call('recover_state', { session_id: lost.sessionId })).toMatchObject({ isError: true })
    const said = await tied.call('recover_state')
    expect(said['session_id'] ?? own.sessionId).toBe(own.sessionId)
    expect((await harness.session(lost.sessionId)).status).toBe('interrupted')
    await own.client.close()
  })

  it.each([
    ['an unknown field', { id: 'x' }, /id/],
    ['an id that is not text', { session_id: 5 }, /session_id/],
  ])('R13 with %s it is refused', async (_what, input, why) => {
    await using agent = await harness.connect({ place: null })
    const said = await agent.call('recover_state', input)
    expect([said.isError, said['error_message']]).toEqual([true, expect.stringMatching(why)])
  })
})
