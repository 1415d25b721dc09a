import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { Api } from '../support/api.ts'
import { databases, startServer, type Server } from '../support/server.ts'
import { lookInto } from './look.ts'
import type { Session, SessionDetail } from './shapes.ts'
import { newAgent, nobody, openAsk, roomy, startSession } from './work.ts'

describe.each(databases)('restarts on %s', (database) => {
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
  const restart = (id: string, body = {}) => owner.post<Session>(`/api/sessions/${id}/restart`, body)

  it('X4 a restart is a new session with restart_of, and the old one is terminated', async () => {
    const old = await startSession(agent, {
      prompt: 'Dig',
      mode: 'local',
      agent: 'digger',
      workspaceRoot: '/srv/place',
      metadata: { a: 1 },
    })
    const next = await restart(old.id)
    expect(next.id).not.toBe(old.id)
    expect(next).toMatchObject({
      restartOf: old.id,
      status: 'active',
      ownerUserId: old.ownerUserId,
      protocolMode: 'mcp',
      prompt: 'Dig',
      mode: 'local',
      agent: 'digger',
      workspaceRoot: '/srv/place',
    })
    const ended = await detail(old.id)
    expect(ended.status).toBe('terminated')
    expect(ended.terminatedAt).not.toBeNull()
  })

  it('X4 the successor can have its own prompt, and stays in the same thread and chat', async () => {
    const old = await startSession(agent, { prompt: 'Dig' })
    await using look = await lookInto(server)
    await look.change("update sessions set channel_id = 'C7', thread_ts = '1.25' where id = ?", old.id)
    expect(await restart(old.id, { prompt: 'Fill it in' })).toMatchObject({
      prompt: 'Fill it in',
      channelId: 'C7',
      threadTs: '1.25',
    })
  })

  it('X4 a session that had already ended keeps its end', async () => {
    for (const [verb, end] of [
      ['complete', 'completed'],
      ['terminate', 'terminated'],
    ]) {
      const old = await startSession(agent)
      await owner.post(`/api/sessions/${old.id}/${verb}`)
      const before = await detail(old.id)
      const next = await restart(old.id)
      expect(await detail(old.id)).toEqual({ ...before, lineage: [old.id, next.id] })
      expect(before.status).toBe(end)
    }
  })

  it('X4 the open asks of the old session become interrupted', async () => {
    const old = await startSession(agent)
    const asks = [await openAsk(agent, old), await openAsk(agent, old, { subject: { kind: 'wait' } })]
    const done = await openAsk(agent, old)
    await owner.post(`/api/asks/${done.id}/answer`, { outcome: 'approve' })
    await restart(old.id)
    for (const { id } of asks) expect(await owner.get(`/api/asks/${id}`)).toMatchObject({ status: 'interrupted' })
    expect(await owner.get(`/api/asks/${done.id}`)).toMatchObject({ status: 'answered' })
  })

  it('X4 the lineage is visible from each of its sessions', async () => {
    const first = await startSession(agent)
    const second = await restart(first.id)
    const third = await restart(second.id)
    const ids = [first.id, second.id, third.id]
    for (const id of ids) expect((await detail(id)).lineage).toEqual(ids)
  })

  it('X4 an interrupted session continues as a new one', async () => {
    const old = await startSession(agent)
    await agent.post(`/api/sessions/${old.id}/interrupt`)
    expect(await restart(old.id)).toMatchObject({ status: 'active', restartOf: old.id })
    expect(await detail(old.id)).toMatchObject({ status: 'terminated' })
  })

  it('X4 the session to restart must exist, in the API and in the database', async () => {
    expect(await owner.refused('POST', `/api/sessions/${nobody()}/restart`, {})).toMatchObject({ status: 404 })
    const session = await startSession(agent)
    await using look = await lookInto(server)
    await expect(look.change('update sessions set restart_of = ? where id = ?', nobody(), session.id)).rejects.toThrow()
  })

  it('X4 a restart sent twice with one key makes one successor', async () => {
    const old = await startSession(agent)
    const key = { 'idempotency-key': nobody() }
    const [one, two] = await Promise.all(
      [1, 2].map(() => owner.post<Session>(`/api/sessions/${old.id}/restart`, {}, key)),
    )
    expect(one!.id).toBe(two!.id)
    expect((await detail(old.id)).lineage).toEqual([old.id, one!.id])
  })
})
