import '../support/chats/loopback-guard.ts'
import { expect, it } from 'vitest'
import { createOutgoing } from '../../src/app/chat/outgoing/outgoing.ts'
import type { Sessions } from '../../src/app/use-cases/start-session.ts'
import { ChatCommand } from '../../src/domain/chat/schema.ts'
import { inNoChat, NewSession, type SessionId } from '../../src/domain/session/schema.ts'
import type { AgentGroupId } from '../../src/domain/user/id.ts'
import { fail, ok, type Result } from '../../src/lib/result.ts'
import { describeBoth, workRepo, type World } from '../world.ts'
import { chatHarness } from './chat-harness.ts'

const viewer = { actor: { kind: 'system' as const, name: 'test' }, grants: [], memberOf: [], unknown: false }

/** Two agent groups that know each other as `ops` and `dev`; Ann has a session of Dev. */
async function setUp(world: World) {
  const on = await chatHarness(world)
  const [dev, ops] = [await on.group('Dev'), await on.group('Ops')]
  const ann = await on.member(dev)
  const link = (from: AgentGroupId, to: AgentGroupId) =>
    world.do(ChatCommand.parse({ type: 'destination.add', agentGroupId: from, targetType: 'agent', targetId: to }))
  await link(dev, ops)
  const sender = await world.session(ann, { agentGroupId: dev })
  let failing: Result<SessionId> | null = null
  let starts = 0
  const sessions: Pick<Sessions, 'start' | 'continue'> = {
    async start(wanted, { actor }) {
      starts += 1
      if (failing) return failing
      if (!('userId' in actor)) throw new Error('a session needs an owner')
      const session = NewSession.parse({
        ...(wanted.chat ?? inNoChat),
        id: wanted.id,
        ownerUserId: actor.userId,
        protocolMode: 'acp',
        workspaceRoot: workRepo.path,
        repoId: workRepo.id,
        prompt: wanted.prompt,
      })
      const command = { type: 'session.start' as const, session, active: true, restartOf: null, hostedBy: 'first' }
      const done = await world.app.dispatch({ ...command, promptItem: crypto.randomUUID() as never }, actor)
      return done.ok ? ok(session.id) : done
    },
    continue: async () => fail({ kind: 'conflict', code: 'not_here', message: '' }),
  }
  const { app, database, clock } = world
  const make = () => createOutgoing({ app, database, posts: on.posts, clock, sessions })
  const outgoing = make()
  const session = async (id: SessionId) => {
    const found = await app.read.session(viewer, id)
    if (!found.ok) throw new Error(found.fault.message)
    return found.value
  }
  const send = async (from: SessionId, to: string, text: string, key: string, through = outgoing) => {
    const sent = await through.send(await session(from), { to, text, replyTo: null }, key)
    return sent.ok ? 'ok' : sent.fault.code
  }
  const told = async (id: SessionId) =>
    (
      await database.read
        .selectFrom('queue_items')
        .select('words')
        .where('session_id', '=', id)
        .orderBy('seq')
        .execute()
    ).map(({ words }) => words)
  const sessionsOf = async (group: AgentGroupId) =>
    (await on.sessions()).filter((one) => one.agent_group_id === group).map(({ id }) => id)
  return {
    on,
    dev,
    ops,
    ann,
    sender,
    link,
    make,
    send,
    told,
    sessionsOf,
    starts: () => starts,
    failWith: (result: typeof failing) => (failing = result),
  }
}

describeBoth('C6 a message from agent to agent', (open) => {
  it('starts a session of the other for the owner of the sender, says who wrote, and arrives once', async () => {
    await using world = await open()
    const { send, sender, ops, ann, on, told, sessionsOf, make, link, dev } = await setUp(world)
    expect(await send(sender, 'ops', 'deploy it', 'a')).toBe('ok')
    const started = (await on.sessions()).filter((one) => one.agent_group_id === ops)
    expect(started).toMatchObject([
      { agent_group_id: ops, owner_user_id: ann.userId, session_mode: 'agent-shared', messaging_group_id: null },
    ])
    const [receiver = '' as SessionId] = await sessionsOf(ops)
    expect(await told(receiver)).toEqual(['Message from the agent Dev:\ndeploy it'])
    await link(ops, dev)
    expect(await send(sender, 'ops', 'and test it', 'b')).toBe('ok')
    // The same calls again, on a server that was started anew.
    expect(await send(sender, 'ops', 'deploy it', 'a', make())).toBe('ok')
    expect(await send(sender, 'ops', 'and test it', 'b', make())).toBe('ok')
    expect(await told(receiver)).toEqual([
      'Message from the agent Dev:\ndeploy it',
      'Message from the agent Dev:\nand test it\n\n[Reply with send_message to dev.]',
    ])
    expect(await sessionsOf(ops)).toEqual([receiver])
  })

  it('needs a destination, which is checked at that moment; without one nothing is started', async () => {
    await using world = await open()
    const { send, sender, dev, ops, sessionsOf, ann } = await setUp(world)
    await world.do({ type: 'destination.remove', agentGroupId: dev, localName: 'ops' })
    expect(await send(sender, 'ops', 'deploy it', 'a')).toBe('unknown_destination')
    expect(await sessionsOf(ops)).toEqual([])
    // Naming the sending session is no way in without the row.
    const session = NewSession.parse({
      id: crypto.randomUUID(),
      ownerUserId: ann.userId,
      protocolMode: 'acp',
      workspaceRoot: workRepo.path,
      repoId: workRepo.id,
      agentGroupId: ops,
      sentBy: sender,
    })
    const start = { type: 'session.start' as const, session, active: true, restartOf: null }
    expect((await world.refused(start, ann)).code).toBe('not_a_member')
  })

  it('is answered to the session that wrote, and counts hops along the way until a person writes', async () => {
    await using world = await open()
    const { send, sender, ops, dev, link, told, sessionsOf, ann } = await setUp(world)
    await link(ops, dev)
    await send(sender, 'ops', 'one', 'a')
    const [receiver = '' as SessionId] = await sessionsOf(ops)
    expect(await send(receiver, 'dev', 'two', 'b')).toBe('ok')
    expect(await told(sender)).toEqual([expect.stringContaining('Message from the agent Ops:\ntwo')])
    expect(await send(sender, 'ops', 'three', 'c')).toBe('ok')
    expect(await send(receiver, 'dev', 'four', 'd')).toBe('ok')
    expect(await send(sender, 'ops', 'five', 'e')).toBe('ok')
    expect(await send(receiver, 'dev', 'six', 'f')).toBe('too_many_hops')
    // A person who writes begins anew.
    world.clock.advance(1000)
    await world.do(
      { type: 'queue.add', id: crypto.randomUUID() as never, sessionId: receiver, text: 'go on', when: 'next' },
      ann,
    )
    expect(await send(receiver, 'dev', 'six', 'f')).toBe('ok')
    expect(await sessionsOf(ops)).toEqual([receiver])
  })

  it('is one of 20 a minute between the two', async () => {
    await using world = await open()
    const { send, sender, told, sessionsOf, ops } = await setUp(world)
    for (let n = 0; n < 20; n += 1) expect(await send(sender, 'ops', `${n}`, `k${n}`)).toBe('ok')
    expect(await send(sender, 'ops', '20', 'k20')).toBe('rate_limited')
    const [receiver = '' as SessionId] = await sessionsOf(ops)
    expect(await told(receiver)).toHaveLength(20)
    world.clock.advance(60_001)
    expect(await send(sender, 'ops', '20', 'k20')).toBe('ok')
  })

  it('that reached nobody is refused with the reason, and can be sent again', async () => {
    await using world = await open()
    const { send, sender, failWith, sessionsOf, ops, starts } = await setUp(world)
    failWith(fail({ kind: 'limited', code: 'too_many_sessions', message: 'Full.' }))
    expect(await send(sender, 'ops', 'hi', 'a')).toBe('too_many_sessions')
    expect(await world.database.read.selectFrom('agent_messages').selectAll().execute()).toEqual([])
    failWith(null)
    expect(await send(sender, 'ops', 'hi', 'a')).toBe('ok')
    expect([await sessionsOf(ops), starts()]).toEqual([[expect.any(String)], 2])
  })

  it('waits for an agent that is paused', async () => {
    await using world = await open()
    const { send, sender, ops, sessionsOf, told } = await setUp(world)
    await send(sender, 'ops', 'one', 'a')
    const [receiver = '' as SessionId] = await sessionsOf(ops)
    await world.do({ type: 'session.pause', id: receiver, reason: null })
    expect(await send(sender, 'ops', 'two', 'b')).toBe('ok')
    expect(await told(receiver)).toHaveLength(2)
  })
})
