import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { Api } from '../support/api.ts'
import { databases, startServer, type Server } from '../support/server.ts'
import { lookInto } from './look.ts'
import type { Session, SessionDetail } from './shapes.ts'
import { newAgent, roomy, startSession } from './work.ts'

describe.each(databases)('session fields on %s', (database) => {
  let server: Server
  let owner: Api
  let agent: Api
  beforeAll(async () => {
    server = await startServer({ database, config: roomy })
    owner = server.api()
    agent = await newAgent(server)
  })
  afterAll(() => server?.[Symbol.asyncDispose]())

  const detail = (id: string) => owner.get<SessionDetail>(`/api/sessions/${id}`)

  it('R5 every field of a session can be read back', async () => {
    const given = {
      prompt: 'Tidy the shed',
      mode: 'hybrid',
      agent: 'shedbot',
      metadata: { ticket: 17, tags: ['a', 'ü'], deep: { yes: true, no: null } },
    }
    const session = await startSession(agent, given)
    expect(await detail(session.id)).toEqual({
      ...given,
      id: session.id,
      ownerUserId: session.ownerUserId,
      protocolMode: 'mcp',
      status: 'active',
      waiting: false,
      sharedWith: 0,
      activity: expect.stringMatching(/^(?:working|idle)$/),
      sleepingSince: null,
      queuePosition: null,
      name: null,
      pinnedAt: null,
      archivedAt: null,
      workspaceRoot: '/srv/place',
      workspaceClaimed: false,
      repoId: null,
      repo: null,
      agentProvider: null,
      model: null,
      effort: null,
      isolation: null,
      agentGroupId: null,
      messagingGroupId: null,
      threadId: null,
      channelId: null,
      threadTs: null,
      connectivityStatus: 'online',
      containerStatus: 'stopped',
      lastActivityAt: session.createdAt,
      lastTool: null,
      nudgeCount: 0,
      stallPaused: false,
      stallPausedUntil: null,
      progressSnapshot: null,
      restartOf: null,
      createdAt: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/),
      updatedAt: session.createdAt,
      terminatedAt: null,
      messages: [],
      lineage: [session.id],
      delegates: [],
      agentState: null,
      queue: [],
    })
  })

  it('R5 stored stalls, threads and progress can be read back', async () => {
    const session = await startSession(agent)
    await using look = await lookInto(server)
    await look.change(
      `update sessions set nudge_count = 2, stall_paused = 1, thread_ts = '17.5', channel_id = 'C1',
       progress_snapshot = '[{"label":"dig","status":"done"}]' where id = ?`,
      session.id,
    )
    expect(await detail(session.id)).toMatchObject({
      nudgeCount: 2,
      stallPaused: true,
      threadTs: '17.5',
      channelId: 'C1',
      progressSnapshot: [{ label: 'dig', status: 'done' }],
    })
  })

  it('R5 activity sets updated_at and last_activity_at, and a tool call sets last_tool', async () => {
    const session = await startSession(agent)
    await using look = await lookInto(server)
    const past = '2020-01-01T00:00:00.000Z'
    await look.change('update sessions set last_activity_at = ?, updated_at = ? where id = ?', past, past, session.id)
    await agent.post(`/api/sessions/${session.id}/heartbeat`, { tool: 'grep' })
    const after = await detail(session.id)
    expect(after.lastTool).toBe('grep')
    expect(after.lastActivityAt! >= session.createdAt).toBe(true)
    expect(after.updatedAt >= session.createdAt).toBe(true)
  })

  it('R5 a tool is recorded at once, however quickly activity follows', async () => {
    const session = await startSession(agent)
    for (const tool of ['read', 'grep', 'write']) {
      await agent.post(`/api/sessions/${session.id}/heartbeat`, { tool })
      expect((await detail(session.id)).lastTool).toBe(tool)
    }
    await agent.post(`/api/sessions/${session.id}/heartbeat`, {})
    expect((await detail(session.id)).lastTool).toBe('write')
  })

  it('R5 activity is written at most once a second', async () => {
    const session = await startSession(agent)
    const started = performance.now()
    const seen = new Set<string | null>()
    for (let beat = 0; beat < 30; beat += 1) {
      await agent.post(`/api/sessions/${session.id}/heartbeat`, {})
      seen.add((await detail(session.id)).lastActivityAt)
    }
    expect(seen.size).toBeLessThanOrEqual(Math.ceil((performance.now() - started) / 1000) + 1)
  })

  it('R5 an agent’s message or ask counts as activity too', async () => {
    await using look = await lookInto(server)
    const past = '2020-01-01T00:00:00.000Z'
    const acts: [string, unknown][] = [
      ['messages', { role: 'agent', content: { type: 'text', text: 'hello' } }],
      ['asks', { title: 'May I?', subject: { kind: 'wait' } }],
    ]
    for (const [what, body] of acts) {
      const session = await startSession(agent)
      await look.change('update sessions set last_activity_at = ? where id = ?', past, session.id)
      await agent.post(`/api/sessions/${session.id}/${what}`, body)
      expect([what, (await detail(session.id)).lastActivityAt! > past]).toEqual([what, true])
    }
  })

  it('R5 activity is not in the log', async () => {
    const session = await startSession(agent)
    await agent.post(`/api/sessions/${session.id}/heartbeat`, { tool: 'grep' })
    const { events } = await owner.get<{ events: { type: string }[] }>(`/api/audit?session=${session.id}`)
    expect(events.map(({ type }) => type)).toEqual(['session.status_changed', 'session.started'])
  })

  it('X1 a row without a protocol defaults to mcp, online and remote', async () => {
    await using look = await lookInto(server)
    const session = await startSession(agent)
    await look.change(
      `insert into sessions (id, owner_user_id, status, workspace_root, created_at, updated_at)
       values ('bare-${database}', ?, 'completed', '/work', ?, ?)`,
      session.ownerUserId,
      session.createdAt,
      session.createdAt,
    )
    const [row] = await look.rows(
      `select protocol_mode, connectivity_status, mode from sessions where id = 'bare-${database}'`,
    )
    expect(row).toEqual({ protocol_mode: 'mcp', connectivity_status: 'online', mode: 'remote' })
    await look.change(`delete from session_days where session_id = 'bare-${database}'`)
    await look.change(`delete from sessions where id = 'bare-${database}'`)
  })

  it('X1 workspace_root is required', async () => {
    await using bare = await startServer({ database, vouches: false })
    const refusal = await bare.api().refused('POST', '/api/sessions', { protocolMode: 'mcp' })
    expect(refusal).toMatchObject({ status: 400, code: 'workspace_required' })
  })

  it.each(['relative/path', './here', '../up', '~', ''])(
    'X1 the relative workspace %j is refused',
    async (workspaceRoot) => {
      expect((await owner.refused('POST', '/api/sessions', { protocolMode: 'mcp', workspaceRoot })).status).toBe(400)
    },
  )

  it('X1 an unknown protocol is refused', async () => {
    const body = { protocolMode: 'carrier-pigeon', workspaceRoot: '/work' }
    expect((await owner.refused('POST', '/api/sessions', body)).status).toBe(400)
  })

  it('X1 the protocol of a session never changes, not even by SQL', async () => {
    const session = await startSession(agent)
    await using look = await lookInto(server)
    await expect(look.change("update sessions set protocol_mode = 'acp' where id = ?", session.id)).rejects.toThrow(
      /never change/,
    )
    expect((await detail(session.id)).protocolMode).toBe('mcp')
  })

  it('X2 any activity makes an offline or stalled session online, with an event', async () => {
    await using look = await lookInto(server)
    for (const connectivity of ['offline', 'stalled']) {
      const session = await startSession(agent)
      await look.change('update sessions set connectivity_status = ? where id = ?', connectivity, session.id)
      expect((await detail(session.id)).connectivityStatus).toBe(connectivity)
      await agent.post(`/api/sessions/${session.id}/heartbeat`, {})
      expect((await detail(session.id)).connectivityStatus).toBe('online')
      const { events } = await owner.get<{ events: { data: object }[] }>(
        `/api/audit?session=${session.id}&type=session.connectivity_changed`,
      )
      expect(events).toMatchObject([{ data: { to: 'online' } }])
    }
  })

  it('X2 only known values of connectivity are stored', async () => {
    const session = await startSession(agent)
    await using look = await lookInto(server)
    await expect(
      look.change("update sessions set connectivity_status = 'asleep' where id = ?", session.id),
    ).rejects.toThrow()
  })
})

describe.each(databases)('sessions after a restart on %s', (database) => {
  it('X3 last_activity_at, connectivity, status and everything else survive a restart', async () => {
    await using server = await startServer({ database, config: roomy })
    const agent = await newAgent(server)
    const sessions: Session[] = []
    for (const verb of [null, 'pause', 'complete']) {
      const session = await startSession(agent, { prompt: `then ${verb}` })
      await agent.post(`/api/sessions/${session.id}/heartbeat`, { tool: 'grep' })
      if (verb) await server.api().post(`/api/sessions/${session.id}/${verb}`)
      sessions.push(session)
    }
    await using look = await lookInto(server)
    await look.change("update sessions set connectivity_status = 'offline' where id = ?", sessions[0]!.id)
    const before = await Promise.all(sessions.map(({ id }) => server.api().get(`/api/sessions/${id}`)))
    await server.kill('SIGKILL')
    await server.restart()
    const after = await Promise.all(sessions.map(({ id }) => server.api().get(`/api/sessions/${id}`)))
    expect(after).toEqual(before)
  })
})

describe('a server started in the root directory', () => {
  it('X1 still refuses a relative workspace', async () => {
    await using server = await startServer({ cwd: '/' })
    const body = { protocolMode: 'mcp', workspaceRoot: 'relative/path' }
    expect((await server.api().refused('POST', '/api/sessions', body)).status).toBe(400)
  })
})
