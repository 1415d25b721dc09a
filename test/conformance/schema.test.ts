import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { Api } from '../support/api.ts'
import { databases, startServer, type Server } from '../support/server.ts'
import { lookInto, type Look } from './look.ts'
import { newPerson } from './people.ts'
import type { Session } from './shapes.ts'
import { newAgent, nobody, openAsk, roomy, startSession } from './work.ts'

const at = '2026-01-01T00:00:00.000Z'

describe.each(databases)('what the database itself refuses on %s', (database) => {
  let server: Server
  let look: Look
  let agent: Api
  let session: Session
  let group: string
  beforeAll(async () => {
    server = await startServer({ database, config: roomy })
    look = await lookInto(server)
    agent = await newAgent(server)
    session = await startSession(agent)
    group = nobody()
    await look.change(
      'insert into agent_groups (id, name, folder, created_at) values (?, ?, ?, ?)',
      group,
      'G',
      'g',
      at,
    )
  })
  afterAll(async () => {
    await look?.[Symbol.asyncDispose]()
    await server?.[Symbol.asyncDispose]()
  })

  const insertAsk = (of: { id: string }, origin: string, status = 'open') =>
    look.change(
      "insert into asks (id, session_id, kind, origin, title, status, subject, created_at) values (?, ?, 'diff', ?, 'x', ?, '{}', ?)",
      nobody(),
      of.id,
      origin,
      status,
      at,
    )
  const insertAlert = (of: { id: string }, status: string) =>
    look.change(
      'insert into stall_alerts (id, session_id, last_activity_at, idle_seconds, status, created_at) values (?, ?, ?, 5, ?, ?)',
      nobody(),
      of.id,
      at,
      status,
      at,
    )
  const insertRole = (user: string, role: string, agentGroup: string | null) =>
    look.change(
      'insert into user_roles (user_id, role, agent_group_id, granted_at) values (?, ?, ?, ?)',
      user,
      role,
      agentGroup,
      at,
    )

  it('C1 a session has one open approval, whichever way it was opened', async () => {
    const own = await startSession(agent)
    await openAsk(agent, own, { origin: 'ask_approval' })
    await expect(insertAsk(own, 'ask_approval')).rejects.toThrow(/unique/i)
    await expect(insertAsk(own, 'clearance/request')).rejects.toThrow(/unique/i)
    await insertAsk(own, 'acp')
    await insertAsk(own, 'acp')
    await insertAsk(own, 'ask_approval', 'expired')
  })

  it('C1 an open ask has no answer, an answered one has', async () => {
    const ask = await openAsk(agent, session)
    await expect(look.change("update asks set status = 'answered' where id = ?", ask.id)).rejects.toThrow(/check/i)
    await expect(look.change("update asks set answer = '{}' where id = ?", ask.id)).rejects.toThrow(/check/i)
    await expect(look.change("update asks set status = 'maybe' where id = ?", ask.id)).rejects.toThrow(/check/i)
  })

  it('C1 a session has one active alert', async () => {
    await insertAlert(session, 'pending')
    for (const status of ['pending', 'nudged']) await expect(insertAlert(session, status)).rejects.toThrow(/unique/i)
    for (const status of ['self_recovered', 'dismissed', 'escalated', 'dismissed']) await insertAlert(session, status)
  })

  it('C1 a global role is held once, although its scope is NULL', async () => {
    const { id } = await newPerson(server, 'Ann')
    await insertRole(id, 'admin', null)
    await expect(insertRole(id, 'admin', null)).rejects.toThrow(/unique/i)
    await insertRole(id, 'admin', group)
    await expect(insertRole(id, 'admin', group)).rejects.toThrow(/unique/i)
    await insertRole(id, 'owner', null)
    await expect(insertRole(id, 'owner', null)).rejects.toThrow(/unique/i)
  })

  it('C1 the owner role is always global', async () => {
    const { id } = await newPerson(server, 'Bob')
    await expect(insertRole(id, 'owner', group)).rejects.toThrow(/check/i)
    await expect(insertRole(id, 'emperor', null)).rejects.toThrow(/check/i)
  })

  it('C1 the owner, the protocol and a thread never change once set', async () => {
    const { id } = await newPerson(server, 'Cyd')
    const own = await startSession(agent)
    await expect(look.change('update sessions set owner_user_id = ? where id = ?', id, own.id)).rejects.toThrow(
      /never change/,
    )
    await expect(look.change("update sessions set protocol_mode = 'terminal' where id = ?", own.id)).rejects.toThrow(
      /never change/,
    )
    await look.change("update sessions set thread_ts = '1.5' where id = ?", own.id)
    await expect(look.change("update sessions set thread_ts = '2.5' where id = ?", own.id)).rejects.toThrow(
      /never change/,
    )
  })

  it('C1 only known statuses, protocols and modes are stored', async () => {
    const own = await startSession(agent)
    for (const change of ["status = 'asleep'", "mode = 'loud'", "container_status = 'odd'"])
      await expect(look.change(`update sessions set ${change} where id = ?`, own.id)).rejects.toThrow(/check/i)
  })

  it('C1 a membership, an identity and a folder are unique', async () => {
    const { id } = await newPerson(server, 'Dee', ['tg:77'])
    const member = () =>
      look.change('insert into agent_group_members (user_id, agent_group_id, added_at) values (?, ?, ?)', id, group, at)
    await member()
    await expect(member()).rejects.toThrow(/unique/i)
    await expect(
      look.change("insert into user_identities (identity, user_id, linked_at) values ('tg:77', ?, ?)", id, at),
    ).rejects.toThrow(/unique/i)
    await expect(
      look.change("insert into agent_groups (id, name, folder, created_at) values (?, 'H', 'g', ?)", nobody(), at),
    ).rejects.toThrow(/unique/i)
  })

  it('A8 foreign keys hold: no message, ask, role or token without its parent row', async () => {
    const wanted = /foreign key/i
    await expect(
      look.change(
        "insert into messages (id, session_id, role, content, timestamp) values (?, ?, 'user', '{}', ?)",
        nobody(),
        nobody(),
        at,
      ),
    ).rejects.toThrow(wanted)
    await expect(insertAsk({ id: nobody() }, 'api')).rejects.toThrow(wanted)
    await expect(insertRole(nobody(), 'admin', null)).rejects.toThrow(wanted)
    await expect(look.change('delete from sessions where id = ?', session.id)).rejects.toThrow(wanted)
    await expect(look.change('delete from users where id = ?', session.ownerUserId)).rejects.toThrow(wanted)
  })

  it('C1 sessions need neither an agent group nor a repo', async () => {
    const [row] = await look.rows('select agent_group_id, repo_id from sessions where id = ?', session.id)
    expect(row).toEqual({ agent_group_id: null, repo_id: null })
  })
})
