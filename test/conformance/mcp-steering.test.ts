import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { until } from '../support/until.ts'
import { openMcpHarness, resource, type McpHarness } from './mcp-harness.ts'

const steps = [
  { label: 'look', status: 'done' },
  { label: 'write', status: 'in_progress' },
  { label: 'test', status: 'pending' },
]

describe('an agent at work', () => {
  let harness: McpHarness
  beforeAll(async () => {
    harness = await openMcpHarness()
  })
  afterAll(() => harness?.[Symbol.asyncDispose]())

  it('R11 a heartbeat is acknowledged and counts as activity', async () => {
    await using agent = await harness.connect()
    expect(await agent.call('heartbeat')).toEqual({
      acknowledged: true,
      session_id: agent.sessionId,
      stall_detection_enabled: true,
      pending_steering: [],
      isError: false,
    })
    expect(await agent.detail()).toMatchObject({ lastTool: 'heartbeat', connectivityStatus: 'online' })
  })

  it('R11 the snapshot is kept, replaced by the next, and unchanged by a heartbeat without one', async () => {
    await using agent = await harness.connect()
    await agent.call('heartbeat', { progress_snapshot: steps, status_message: 'On my way' })
    expect((await agent.detail()).progressSnapshot).toEqual(steps)
    await agent.call('heartbeat', {})
    expect((await agent.detail()).progressSnapshot).toEqual(steps)
    await agent.call('heartbeat', { progress_snapshot: [{ label: 'rest', status: 'pending' }] })
    expect((await agent.detail()).progressSnapshot).toEqual([{ label: 'rest', status: 'pending' }])
    await agent.call('heartbeat', { progress_snapshot: [] })
    expect((await agent.detail()).progressSnapshot).toEqual([])
  })

  it('R11 its status text is a session message, added once while it stays the same', async () => {
    await using agent = await harness.connect()
    for (const text of ['Reading', 'Reading', 'Writing']) await agent.call('heartbeat', { status_message: text })
    const said = (await agent.detail()).messages.filter(({ role }) => role === 'agent')
    expect(said.map(({ content }) => content['text'])).toEqual(['Reading', 'Writing'])
  })

  it.each([
    ['an empty label', { progress_snapshot: [{ label: '', status: 'done' }] }],
    ['an unknown status', { progress_snapshot: [{ label: 'x', status: 'half' }] }],
    ['no label', { progress_snapshot: [{ status: 'done' }] }],
    ['no list', { progress_snapshot: 'done' }],
    ['an unknown field', { mood: 'good' }],
    ['a long operation without a reason', { long_operation: { seconds: 5 } }],
    ['a long operation without an end', { long_operation: { reason: 'x', seconds: -1 } }],
  ])('R11 with %s it is refused, and still counts as activity', async (_what, input) => {
    await using agent = await harness.connect()
    await agent.call('heartbeat', { progress_snapshot: steps })
    await agent.call('set_operational_mode', { mode: 'remote' })
    expect((await agent.detail()).lastTool).toBe('set_operational_mode')
    const refused = await agent.call('heartbeat', input)
    expect(refused).toMatchObject({ isError: true, status: 'error' })
    const { progressSnapshot, lastTool } = await agent.detail()
    expect(progressSnapshot).toEqual(steps)
    expect(lastTool).toBe('heartbeat')
  })

  it('R11 R17 steering comes with the next heartbeat, in order and once, and is then marked delivered', async () => {
    await using agent = await harness.connect()
    for (const text of ['first', 'second', 'third']) await harness.say(agent.sessionId, text)
    expect((await harness.queue(agent.sessionId)).map(({ status }) => status)).toEqual([
      'waiting',
      'waiting',
      'waiting',
    ])
    expect((await agent.detail()).queue.map(({ text }) => text)).toEqual(['first', 'second', 'third'])
    expect((await agent.call('heartbeat'))['pending_steering']).toEqual(['first', 'second', 'third'])
    const items = await until(async () => {
      const queue = await harness.queue(agent.sessionId)
      return queue.every(({ status }) => status === 'delivered') ? queue : null
    })
    expect(items.every(({ deliveredAt }) => deliveredAt !== null)).toBe(true)
    expect((await agent.call('heartbeat'))['pending_steering']).toEqual([])
    const { messages, queue } = await agent.detail()
    expect(queue).toEqual([])
    expect(messages.filter(({ role }) => role === 'user').map(({ content }) => content['text'])).toEqual([
      'first',
      'second',
      'third',
    ])
  })

  it('R17 now comes before next; later is kept for the next wait', async () => {
    await using agent = await harness.connect()
    await harness.say(agent.sessionId, 'in the end', 'later')
    await harness.say(agent.sessionId, 'in turn', 'next')
    await harness.say(agent.sessionId, 'at once', 'now')
    expect((await agent.call('heartbeat'))['pending_steering']).toEqual(['at once', 'in turn'])
    await until(
      async () => (await harness.queue(agent.sessionId)).filter(({ status }) => status === 'waiting').length === 1,
    )
    expect((await agent.call('heartbeat'))['pending_steering']).toEqual([])
    const said = await agent.call('wait_for_instruction', {}, { held: true })
    expect(said).toMatchObject({ status: 'resumed', instruction: 'in the end' })
  })

  it('R17 undelivered steering is visible, can be withdrawn, and moves on with the lineage', async () => {
    await using agent = await harness.connect()
    const first = await harness.say(agent.sessionId, 'never mind')
    await harness.say(agent.sessionId, 'keep this')
    await harness.owner.delete(`/api/sessions/${agent.sessionId}/queue/${first.id}`)
    expect((await agent.detail()).queue.map(({ text }) => text)).toEqual(['keep this'])
    const { id } = await harness.owner.post<{ id: string }>(`/api/sessions/${agent.sessionId}/restart`)
    expect((await harness.session(id)).queue.map(({ text }) => text)).toEqual(['keep this'])
    await using next = await harness.connect({ place: agent.place, query: { session_id: agent.sessionId } })
    expect(next.sessionId).toBe(id)
    expect((await next.call('heartbeat'))['pending_steering']).toEqual(['keep this'])
  })

  it('R11 R17 steering counts as delivered once its answer was sent: a client gone by then gets it again', async () => {
    const agent = await harness.connect()
    await harness.say(agent.sessionId, 'do not lose this')
    await harness.owner.post(`/api/sessions/${agent.sessionId}/pause`)
    const told = Promise.withResolvers<void>()
    agent.call('heartbeat', {}, { onProgress: () => told.resolve() }).catch(() => {})
    await told.promise
    await agent.client.close()
    const since = Date.now()
    await until(() => Date.now() - since > 300)
    await harness.owner.post(`/api/sessions/${agent.sessionId}/resume`)
    await until(async () => (await agent.detail()).lastTool === 'heartbeat')
    expect((await harness.queue(agent.sessionId)).map(({ status }) => status)).toEqual(['waiting'])
    await using again = await harness.connect({ place: agent.place, query: { session_id: agent.sessionId } })
    expect((await again.call('heartbeat'))['pending_steering']).toEqual(['do not lose this'])
  })

  it('R17 delivered once, even if the next call follows at once', async () => {
    await using agent = await harness.connect()
    const texts = Array.from({ length: 25 }, (_, n) => `word ${n}`)
    for (const text of texts) await harness.say(agent.sessionId, text)
    const first = await agent.call('heartbeat')
    const second = await agent.call('heartbeat')
    const wait = await agent.call('wait_for_instruction', { timeout_seconds: 1 }, { held: true })
    expect([first['pending_steering'], second['pending_steering']]).toEqual([texts, []])
    expect(wait).toMatchObject({ status: 'timeout' })
  })

  it('R17 each of two agents gets only its own messages', async () => {
    await using one = await harness.connect()
    await using two = await harness.connect({ place: one.place })
    await harness.say(one.sessionId, 'to one')
    await harness.say(two.sessionId, 'to two')
    expect((await two.call('heartbeat'))['pending_steering']).toEqual(['to two'])
    expect((await one.call('heartbeat'))['pending_steering']).toEqual(['to one'])
  })

  it('R17 from the command line', async () => {
    await using agent = await harness.connect()
    const ran = await harness.server.cli('prompt', agent.sessionId, 'from the terminal')
    expect(ran.code, ran.stderr).toBe(0)
    expect((await agent.call('heartbeat'))['pending_steering']).toEqual(['from the terminal'])
  })

  it('R11 a long operation pauses stall detection until the next heartbeat without it', async () => {
    await using agent = await harness.connect()
    const long_operation = { reason: 'A long build', seconds: 3600 }
    expect(await agent.call('heartbeat', { long_operation })).toMatchObject({ stall_detection_enabled: false })
    expect(Date.parse((await agent.detail()).stallPausedUntil ?? '')).toBeGreaterThan(Date.now() + 3_000_000)
    expect(await agent.call('heartbeat')).toMatchObject({ stall_detection_enabled: true })
    expect((await agent.detail()).stallPausedUntil).toBeNull()
  })

  it('R11 the owner can pause it too, and no heartbeat undoes that', async () => {
    await using agent = await harness.connect()
    const stall = `/api/sessions/${agent.sessionId}/stall`
    await harness.owner.post(stall, { paused: true })
    expect(await agent.call('heartbeat')).toMatchObject({ stall_detection_enabled: false })
    expect(await agent.call('heartbeat')).toMatchObject({ stall_detection_enabled: false })
    await harness.owner.post(stall, { paused: false })
    expect(await agent.call('heartbeat')).toMatchObject({ stall_detection_enabled: true })
  })

  it('R11 ping is the same tool', async () => {
    await using agent = await harness.connect()
    expect(await agent.call('ping', {})).toMatchObject({ acknowledged: true, session_id: agent.sessionId })
    expect((await agent.detail()).lastTool).toBe('heartbeat')
  })

  it.each(['info', 'success', 'warning', 'error'])(
    'R12 a message of level %s is posted and can be read',
    async (level) => {
      await using agent = await harness.connect({ place: null })
      const said = await agent.call('remote_log', { message: `It is ${level}`, level })
      expect(said).toEqual({ posted: true, ts: expect.stringMatching(/\S/), isError: false })
      const message = (await agent.detail()).messages.find(({ role }) => role === 'agent')
      expect(message?.content).toMatchObject({ text: `It is ${level}`, level })
    },
  )

  it('R12 info is the default level; another thread is wrong_thread', async () => {
    await using agent = await harness.connect()
    await agent.call('broadcast', { message: 'Plain' })
    const message = (await agent.detail()).messages.find(({ role }) => role === 'agent')
    expect(message?.content).toMatchObject({ text: 'Plain', level: 'info' })
    const refused = await agent.call('remote_log', { message: 'There', thread_ts: '1700000000.000100' })
    expect(refused).toMatchObject({ isError: true, error_code: 'wrong_thread' })
    expect((await agent.detail()).messages.filter(({ role }) => role === 'agent')).toHaveLength(1)
    expect((await agent.detail()).lastTool).toBe('remote_log')
    expect(await resource(agent.client, 'messages')).toMatchObject([{ role: 'agent', content: { text: 'Plain' } }])
  })

  it.each([
    ['no message', {}, /message/],
    ['an unknown level', { message: 'x', level: 'debug' }, /level/],
    ['an unknown field', { message: 'x', channel: 'C1' }, /channel/],
    ['an empty message', { message: '' }, /message/],
  ])('R12 with %s it is refused', async (_what, input, why) => {
    await using agent = await harness.connect({ place: null })
    const said = await agent.call('remote_log', input)
    expect([said.isError, said['error_message']]).toEqual([true, expect.stringMatching(why)])
  })

  it('R14 remote at first; the tool reports both modes, REST shows and sets it', async () => {
    await using agent = await harness.connect()
    expect((await agent.detail()).mode).toBe('remote')
    const change = (mode: string, tool = 'set_operational_mode') => agent.call(tool, { mode })
    expect(await change('local')).toEqual({ previous_mode: 'remote', current_mode: 'local', isError: false })
    expect(await change('hybrid', 'switch_freq')).toMatchObject({ previous_mode: 'local', current_mode: 'hybrid' })
    expect(await change('hybrid')).toMatchObject({ previous_mode: 'hybrid', current_mode: 'hybrid' })
    expect((await agent.detail()).mode).toBe('hybrid')
    const path = `/api/sessions/${agent.sessionId}/operational-mode`
    expect(await harness.owner.post(path, { mode: 'local' })).toMatchObject({ mode: 'local' })
    expect(await change('remote')).toMatchObject({ previous_mode: 'local', current_mode: 'remote' })
    expect((await harness.owner.refused('POST', path, { mode: 'elsewhere' })).status).toBe(400)
  })

  it.each([
    ['no mode', {}, /mode/],
    ['an unknown mode', { mode: 'loud' }, /mode/],
    ['an unknown field', { mode: 'local', why: 'x' }, /why/],
  ])('R14 with %s it is refused', async (_what, input, why) => {
    await using agent = await harness.connect({ place: null })
    const said = await agent.call('set_operational_mode', input)
    expect([said.isError, said['error_message']]).toEqual([true, expect.stringMatching(why)])
  })

  it('R14 an ask of a local session is still in the inbox', async () => {
    await using agent = await harness.connect()
    await agent.call('set_operational_mode', { mode: 'local' })
    const { ask, done } = await agent.begin('forward_prompt', { prompt_text: 'Here?' })
    const { asks } = await harness.owner.get<{ asks: { id: string }[] }>('/api/asks?status=open')
    expect(asks.map(({ id }) => id)).toContain(ask.id)
    const listed = await harness.server.cli('asks', '--json')
    expect(`${listed.stdout}${listed.stderr}`).toContain(ask.id)
    await harness.answer(ask, { outcome: 'continue' })
    await done
  })

  it('R15 a checkpoint has an id, label, time and file count; the list is newest first', async () => {
    await using agent = await harness.connect()
    await agent.place.write('a.txt', 'one\n')
    await agent.place.write('sub/b.txt', 'two\n')
    const first = await agent.call('create_checkpoint', { label: 'before' })
    expect(first).toEqual({
      checkpoint_id: expect.any(String),
      label: 'before',
      created_at: expect.stringMatching(/Z$/),
      file_count: 2,
      isError: false,
    })
    await agent.place.write('c.txt', 'three\n')
    const second = await agent.call('create_checkpoint')
    expect(second).toMatchObject({ label: null, file_count: 3 })
    const { checkpoints } = (await agent.call('list_checkpoints')) as unknown as {
      checkpoints: Record<string, unknown>[]
    }
    const ids = checkpoints.map(({ checkpoint_id }) => checkpoint_id)
    expect(ids.indexOf(second['checkpoint_id'])).toBeLessThan(ids.indexOf(first['checkpoint_id']))
    const times = checkpoints.map(({ created_at }) => String(created_at))
    expect(times).toEqual(times.toSorted().toReversed())
    const rest = await harness.owner.get<{ checkpoints: { id: string; label: string | null }[] }>(
      `/api/sessions/${agent.sessionId}/checkpoints`,
    )
    expect(rest.checkpoints.map(({ id }) => id)).toEqual(ids)
  })

  it('R15 R18 a restore brings files back at every depth, and ends the live agent', async () => {
    await using agent = await harness.connect()
    await agent.place.write('a.txt', 'one\n')
    await agent.place.write('deep/er/b.txt', 'two\n')
    const { checkpoint_id } = await agent.call('create_checkpoint')
    await agent.place.write('a.txt', 'changed\n')
    await agent.place.write('deep/er/b.txt', 'changed\n')
    await agent.place.write('new.txt', 'new\n')
    const path = `/api/checkpoints/${String(checkpoint_id)}/restore`
    expect(await harness.owner.post(path, { confirm: false })).toMatchObject({
      confirmed: false,
      diverged: { modified: { paths: ['a.txt', 'deep/er/b.txt'] }, added: { paths: ['new.txt'] } },
    })
    expect(await agent.place.read('a.txt')).toBe('changed\n')
    await harness.owner.post(path, { confirm: true })
    expect([await agent.place.read('a.txt'), await agent.place.read('deep/er/b.txt')]).toEqual(['one\n', 'two\n'])
    expect(await agent.place.read('new.txt')).toBe('new\n')
    expect((await agent.detail()).status).toBe('terminated')
    expect(await agent.call('heartbeat')).toMatchObject({ error_code: 'session_ended' })
  })

  it('R15 a checkpoint of another session is not listed', async () => {
    await using agent = await harness.connect()
    await using other = await harness.connect({ place: agent.place })
    const made = await agent.call('create_checkpoint', { label: 'mine' })
    const listed = await other.call('list_checkpoints')
    expect(JSON.stringify(listed)).not.toContain(String(made['checkpoint_id']))
  })

  it.each([
    ['create_checkpoint', { name: 'x' }, /name/],
    ['create_checkpoint', { label: 5 }, /label/],
    ['list_checkpoints', { limit: 5 }, /limit/],
  ])('R15 %s with %o is refused', async (tool, input, why) => {
    await using agent = await harness.connect({ place: null })
    const said = await agent.call(tool, input)
    expect([said.isError, said['error_message']]).toEqual([true, expect.stringMatching(why)])
  })
})
