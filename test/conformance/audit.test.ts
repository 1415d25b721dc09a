import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { Api } from '../support/api.ts'
import { databases, startServer, type Server } from '../support/server.ts'
import type { LogEvent } from '../support/sse.ts'
import { lookInto } from './look.ts'
import { me, newMachineUser, newPerson } from './people.ts'
import type { Ask } from './shapes.ts'
import { exportLog, newAgent, openAsk, roomy, startSession } from './work.ts'

type Page = { events: LogEvent[]; next: string | null }

describe.each(databases)('the audit log on %s', (database) => {
  let server: Server
  let owner: Api
  let agent: Api
  beforeAll(async () => {
    server = await startServer({ database, config: roomy })
    owner = server.api()
    agent = await newAgent(server)
  })
  afterAll(() => server?.[Symbol.asyncDispose]())

  const search = async (query: string, who = owner) => (await who.get<Page>(`/api/audit?limit=500&${query}`)).events
  const exported = (filter = '', who = owner) => exportLog(who, filter)

  it('B10 events are append-only: the database refuses to change, delete or empty them', async () => {
    await startSession(agent)
    await using look = await lookInto(server)
    const before = await look.rows('select * from events order by seq')
    for (const statement of [
      "update events set actor = 'nobody'",
      "update events set data = '{}' where seq = 1",
      'delete from events',
      'delete from events where seq = 1',
      ...(database === 'postgres' ? ['truncate events'] : []),
    ])
      await expect(look.change(statement)).rejects.toThrow(/append-only/)
    expect(await look.rows('select * from events order by seq')).toEqual(before)
  })

  it('B10 events can’t be replaced by others either', async () => {
    await using look = await lookInto(server)
    const [first] = await look.rows<{ seq: number; id: string }>('select * from events order by seq limit 1')
    const columns = 'seq, id, at, type, actor, stream, visibility, data'
    const values = "'2026-01-01T00:00:00.000Z', 'x.forged', 'system:test', 's', 'admin', '{}'"
    const replace = database === 'sqlite' ? 'insert or replace' : 'insert'
    const instead = database === 'sqlite' ? '' : "on conflict (seq) do update set type = 'x.forged'"
    const forge = (seq: number, id: string) =>
      look.change(`${replace} into events (${columns}) values (?, ?, ${values}) ${instead}`, seq, id)
    await expect(forge(first!.seq, 'forged')).rejects.toThrow(/append-only/)
    await expect(forge(1_000_000_000, first!.id)).rejects.toThrow(/append-only|unique/i)
    expect(await look.rows('select * from events order by seq limit 1')).toEqual([first])
  })

  it('B10 retention is the only exception, and removes only older events', async () => {
    await using look = await lookInto(server)
    const old = '2020-01-01T00:00:00.000Z'
    await look.change(
      `insert into events (id, at, type, actor, stream, visibility, data) values ('old-${database}', ?, 'x.y', 'system:test', 's', 'admin', '{}')`,
      old,
    )
    const [{ n: before }] = (await look.rows<{ n: number }>('select count(*) as n from events')) as [{ n: number }]
    await look.change("insert into retention_pass (before) values ('2021-01-01T00:00:00.000Z')")
    await expect(look.change("delete from events where type like 'session.%' or type like 'user.%'")).rejects.toThrow(
      /append-only/,
    )
    await look.change('delete from events where at = ?', old)
    await look.change('delete from retention_pass')
    const [{ n: after }] = (await look.rows<{ n: number }>('select count(*) as n from events')) as [{ n: number }]
    expect(BigInt(after)).toBe(BigInt(before) - 1n)
    await expect(look.change('delete from events')).rejects.toThrow(/append-only/)
  })

  it('B10 there is room for a hash chain', async () => {
    await using look = await lookInto(server)
    expect(await look.rows('select prev_hash, hash from events limit 1')).toEqual([{ prev_hash: null, hash: null }])
  })

  it('B10 every change is in the log: who, what, when', async () => {
    const ownerId = await me(owner)
    const ann = await newPerson(server, 'Ann', ['tg:12'])
    await owner.post(`/api/users/${ann.id}/roles`, { role: 'admin' })
    await owner.delete(`/api/users/${ann.id}/roles/admin`)
    const about = (await search('')).filter(({ stream }) => stream === ann.id).toReversed()
    expect(about.map(({ type }) => type)).toEqual([
      'user.created',
      'identity.linked',
      'login.offered',
      'login.started',
      'token.created',
      'role.granted',
      'role.revoked',
    ])
    expect(about.map(({ actor }) => actor)).toEqual(
      [ownerId, ownerId, ownerId, null, ann.id, ownerId, ownerId].map((id) => (id ? `user:${id}` : 'system:login')),
    )
    for (const event of about) expect(event.at).toMatch(/^\d{4}-\d\d-\d\dT[\d:.]+Z$/)
  })

  it('B10 searches by session, type, actor, time and text', async () => {
    const one = await startSession(agent)
    const ask = await openAsk(agent, one)
    await owner.post(`/api/asks/${ask.id}/answer`, { outcome: 'approve' })
    await startSession(agent)
    const types = async (query: string) => (await search(query)).map(({ type }) => type)
    const all = ['ask.answered', 'ask.opened', 'session.status_changed', 'session.started']
    expect(await types(`session=${one.id}`)).toEqual(all)
    expect(await types(`session=${one.id}&type=ask.*`)).toEqual(['ask.answered', 'ask.opened'])
    expect(await types(`session=${one.id}&type=ask.opened,session.started`)).toEqual(['ask.opened', 'session.started'])
    expect(await types(`session=${one.id}&actor=user:${await me(owner)}`)).toEqual(['ask.answered'])
    expect(await types(`text=${ask.id}`)).toEqual(['ask.answered', 'ask.opened'])
    const [answered, opened] = await search(`session=${one.id}`)
    expect(await types(`session=${one.id}&since=${answered!.at}`)).toContain('ask.answered')
    expect(await types(`session=${one.id}&until=${opened!.at}`)).not.toContain('ask.answered')
    expect(await types(`session=${one.id}&since=2100-01-01T00:00:00Z`)).toEqual([])
    for (const wrong of ['type=%25', 'since=yesterday', 'limit=0', 'limit=501', 'session=x', 'text=', 'colour=red'])
      expect([wrong, (await owner.refused('GET', `/api/audit?${wrong}`)).status]).toEqual([wrong, 400])
  })

  it('B10 text is searched for literally, not as a pattern', async () => {
    expect(await search('text=%25')).toEqual([])
    expect(await search(`text=${encodeURIComponent('__________________________________')}`)).toEqual([])
  })

  it('B10 pages newest first, every event once', async () => {
    for (let n = 0; n < 6; n += 1) await startSession(agent)
    const upTo = await exported()
    const seen: LogEvent[] = []
    let before = ''
    for (;;) {
      const { events, next } = await owner.get<Page>(`/api/audit?limit=7${before}`)
      seen.push(...events)
      if (next === null) break
      before = `&before=${encodeURIComponent(next)}`
    }
    expect(seen.map(({ id }) => id)).toEqual(upTo.map(({ id }) => id).toReversed())
  })

  it('B10 the export is complete, in order, one JSON object per line, and filtered like a search', async () => {
    const session = await startSession(agent)
    for (let n = 0; n < 40; n += 1) {
      await owner.post(`/api/sessions/${session.id}/pause`)
      await owner.post(`/api/sessions/${session.id}/resume`)
    }
    const reply = await owner.send('GET', '/api/audit/export')
    expect(reply.headers['content-type']).toMatch(/ndjson/)
    expect(reply.text.endsWith('\n')).toBe(true)
    await using look = await lookInto(server)
    const rows = await look.rows<{ id: string }>('select id from events order by tx, seq')
    expect((await exported()).map(({ id }) => id)).toEqual(rows.map(({ id }) => id))
    const some = await exported(`session=${session.id}&type=session.status_changed`)
    expect(some.map(({ data }) => data['to'])).toEqual([
      'active',
      ...Array.from({ length: 80 }, (_, n) => (n % 2 ? 'active' : 'paused')),
    ])
  })

  it('B10 an export larger than one page is complete', async () => {
    await using look = await lookInto(server)
    const values = Array.from(
      { length: 2500 },
      (_, n) => `('bulk-${n}', '2026-01-01T00:00:00.000Z', 'x.bulk', 'system:test', 's', 'admin', '{"n":${n}}')`,
    )
    await look.change(`insert into events (id, at, type, actor, stream, visibility, data) values ${values.join(', ')}`)
    const bulk = await exported('type=x.bulk')
    expect(bulk.map(({ data }) => data['n'])).toEqual(values.map((_, n) => n))
  })

  it('B10 people search and export only what they may read', async () => {
    const ann = await newMachineUser(server, 'Ann')
    const session = await startSession(ann.api)
    await startSession(agent)
    for (const events of [await search('', ann.api), await exported('', ann.api)]) {
      expect(events.map(({ sessionId }) => sessionId)).toContain(session.id)
      for (const event of events) expect(event.ownerUserId).toBe(ann.id)
    }
  })

  it('B10 events contain ids and hashes, never contents', async () => {
    const marks = {
      prompt: 'mark-prompt',
      title: 'mark-title',
      description: 'mark-description',
      diff: 'mark-diff',
      text: 'mark-text',
      reason: 'mark-reason',
      instruction: 'mark-instruction',
      name: 'mark-name',
      metadata: 'mark-metadata',
    }
    const session = await startSession(agent, { prompt: marks.prompt, metadata: { a: marks.metadata } })
    const diff = {
      title: marks.title,
      description: marks.description,
      subject: { kind: 'diff', filePath: 'a', diff: marks.diff },
    }
    const ask = await openAsk(agent, session, diff)
    await owner.post(`/api/asks/${ask.id}/answer`, { outcome: 'reject', reason: marks.reason })
    const wait = await openAsk(agent, session, { subject: { kind: 'wait', message: marks.text } })
    await owner.post<Ask>(`/api/asks/${wait.id}/answer`, { outcome: 'resume', instruction: marks.instruction })
    await agent.post(`/api/sessions/${session.id}/messages`, {
      role: 'agent',
      content: { type: 'text', text: marks.text },
    })
    await owner.post('/api/users', { displayName: marks.name })
    await owner.post('/api/tokens', { name: marks.name })
    await using look = await lookInto(server)
    const log = JSON.stringify(await look.rows('select * from events'))
    for (const mark of Object.values(marks)) {
      expect(log).not.toContain(mark)
      expect(server.log()).not.toContain(mark)
    }
    const events = await search(`session=${session.id}`)
    const hashes = events.flatMap(({ data }) => Object.entries(data).filter(([name]) => name.endsWith('Hash')))
    expect(hashes.length).toBeGreaterThanOrEqual(5)
    for (const [, hash] of hashes) expect(hash).toMatch(/^[0-9a-f]{64}$/)
  })
})
