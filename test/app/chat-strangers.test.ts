import { expect, it } from 'vitest'
import { NewSession } from '../../src/domain/session/schema.ts'
import { newRandomId } from '../../src/lib/id.ts'
import { describeBoth, type Person, type World } from '../world.ts'
import { chatHarness, sender } from './chat-harness.ts'
import { answers } from './samples.ts'

const eve = sender('U9', 'Eve')

/** A chat with an agent group, an owner, and a policy for those who are not known. */
async function guarded(world: World, policy = 'request_approval', wiring: object = {}) {
  const on = await chatHarness(world)
  const owner = await world.person('Olu')
  await world.do({ type: 'role.grant', userId: owner.userId, role: 'owner', agentGroupId: null })
  const group = await on.group('Dev')
  const chatId = await on.chat('C1', { unknownSenderPolicy: policy })
  await on.wire(chatId, group, { engageMode: 'mention-sticky', ...wiring })
  return { on, owner, group, chatId }
}
const memberships = ({ database }: World) =>
  database.read.selectFrom('agent_group_members').select(['agent_group_id', 'added_by']).execute()
const openAsks = async ({ asks }: { asks(): Promise<{ status: string }[]> }) =>
  (await asks()).filter(({ status }) => status === 'open').length

describeBoth('C3 an unknown sender', (open) => {
  it('in a strict chat meets silence, is counted, and nothing of it is kept', async () => {
    await using world = await open()
    const { on } = await guarded(world, 'strict')
    for (const text of ['hello there', 'anyone?'])
      expect(await on.say(text, { from: eve })).toMatchObject({ status: 'ignored' })
    expect(await on.strangers()).toEqual([{ user_id: 'slack:U9', reason: 'unknown_sender_strict', n: 2 }])
    expect([await on.asks(), await on.sessions()]).toEqual([[], []])
    expect(JSON.stringify(await world.tables())).not.toMatch(/hello there|anyone\?/)
  })

  it('asks once however much it writes; approving makes a member of it and replays everything in order', async () => {
    await using world = await open()
    const { on, owner, group } = await guarded(world)
    await on.say('first', { from: eve, messageId: '1.0' })
    await on.say('second', { from: eve, thread: '1.0' })
    expect(await on.asks()).toMatchObject([
      {
        kind: 'unknown_sender',
        status: 'open',
        // Whoever decides reads which agents, and where.
        title: 'Let Eve write to Dev in dev?',
        answerers: JSON.stringify([owner.userId]),
      },
    ])
    expect((await on.inbox()).map(({ status }) => status)).toEqual(['held', 'held'])
    expect([await on.told(), on.starts()]).toEqual([[], 0])
    const [ask] = await on.asks()
    await world.do({ type: 'ask.answer', id: ask!.id, answer: answers.approve }, owner)
    await on.knocks.settle(ask!.id)
    await on.drain()
    expect(await on.told()).toEqual(['Eve: first', 'Eve: second'])
    expect(await memberships(world)).toEqual([{ agent_group_id: group, added_by: owner.userId }])
    await on.knocks.settle(ask!.id)
    await on.drain()
    expect([await on.told(), await openAsks(on)]).toEqual([['Eve: first', 'Eve: second'], 0])
    const users = await world.database.read.selectFrom('users').select('display_name').execute()
    expect(users.map(({ display_name }) => display_name).toSorted()).toEqual(['Eve', 'Olu'])
  })

  it('that was rejected meets silence from then on, and what it said is gone', async () => {
    await using world = await open()
    const { on, owner } = await guarded(world)
    await on.say('let me in please', { from: eve })
    const [ask] = await on.asks()
    await world.do({ type: 'ask.answer', id: ask!.id, answer: answers.reject }, owner)
    await on.knocks.settle(ask!.id)
    expect(await on.say('please please', { from: eve })).toMatchObject({ status: 'ignored' })
    expect([(await on.asks()).length, await memberships(world), await on.told()]).toEqual([1, [], []])
    expect(await on.strangers()).toEqual([{ user_id: 'slack:U9', reason: 'unknown_sender_rejected', n: 2 }])
    expect(JSON.stringify(await world.tables())).not.toMatch(/let me in|please please/)
  })

  it('whose ask expired asks again with the next message', async () => {
    await using world = await open()
    const { on } = await guarded(world)
    await on.say('first', { from: eve })
    const [ask] = await on.asks()
    world.clock.advance(8 * 24 * 3_600_000)
    await world.do({ type: 'ask.expire', id: ask!.id })
    await on.knocks.settle(ask!.id)
    expect((await on.inbox()).map(({ status }) => status)).toEqual(['ignored'])
    await on.say('second', { from: eve })
    expect((await on.asks()).map(({ status }) => status)).toEqual(['expired', 'open'])
  })

  it('is for the admins of the group first, then for admins and owners; nobody else may answer', async () => {
    await using world = await open()
    const { on, owner, group } = await guarded(world)
    const [admin, ofGroup, other] = [await world.person('Ada'), await world.person('Dee'), await world.person('Oto')]
    await world.do({ type: 'role.grant', userId: admin.userId, role: 'admin', agentGroupId: null })
    await world.do({ type: 'role.grant', userId: ofGroup.userId, role: 'admin', agentGroupId: group })
    const ops = await on.group('Ops')
    await world.do({ type: 'role.grant', userId: other.userId, role: 'admin', agentGroupId: ops })
    await on.say('hi', { from: eve })
    const [ask] = await on.asks()
    expect(JSON.parse(ask!.answerers!)).toEqual([ofGroup.userId, admin.userId, owner.userId])
    const answer = { type: 'ask.answer' as const, id: ask!.id, answer: answers.approve }
    expect(await world.refused(answer, other)).toMatchObject({ code: 'ask_not_found' })
    await world.do(answer, ofGroup)
    await on.knocks.settle(ask!.id)
    await on.drain()
    expect(await on.told()).toEqual(['Eve: hi'])
  })

  it('without anyone who could answer is counted, and no ask is made', async () => {
    await using world = await open()
    const on = await chatHarness(world)
    const group = await on.group('Dev')
    await on.wire(await on.chat('C1', { unknownSenderPolicy: 'request_approval' }), group)
    expect(await on.say('hi', { from: eve })).toMatchObject({ status: 'ignored' })
    expect([await on.asks(), (await on.strangers()).length]).toEqual([[], 1])
  })

  it('is let in by each agent group of the chat on its own, one ask after the other', async () => {
    await using world = await open()
    const { on, owner, chatId } = await guarded(world, 'request_approval', { priority: 9 })
    await on.wire(chatId, await on.group('Ops'))
    await on.say('hi', { from: eve })
    for (const n of [1, 2]) {
      const open_ = (await on.asks()).filter(({ status }) => status === 'open')
      expect(open_).toHaveLength(1)
      await world.do({ type: 'ask.answer', id: open_[0]!.id, answer: answers.approve }, owner)
      await on.knocks.settle(open_[0]!.id)
      await on.drain()
      expect(await on.told()).toHaveLength(n)
    }
    expect(await on.told()).toEqual(['Eve: hi', 'Eve: hi'])
  })

  it('held over a restart is let in by an answer that came while nobody was listening', async () => {
    await using world = await open()
    const { on, owner } = await guarded(world)
    await on.say('before the restart', { from: eve })
    const [ask] = await on.asks()
    const later = on.nodeOf(await world.join())
    await later.knocks.settleAnswered()
    expect(await later.drain()).toEqual([])
    await world.do({ type: 'ask.answer', id: ask!.id, answer: answers.approve }, owner)
    await later.knocks.settleAnswered()
    await later.drain()
    expect(await on.told()).toEqual(['Eve: before the restart'])
  })

  it('who knocks in two threads at once gets one ask', async () => {
    await using world = await open()
    const { on } = await guarded(world)
    const other = on.nodeOf(await world.join())
    await on.arrive('a', { from: eve, messageId: '1.0' })
    await on.arrive('b', { from: eve, messageId: '2.0' })
    await Promise.all([on.drain(), other.drain()])
    expect(await on.asks()).toHaveLength(1)
    expect((await on.inbox()).map(({ status }) => status)).toEqual(['held', 'held'])
  })

  it('a hundred of them: one row each, twenty asks, no session, no person', async () => {
    await using world = await open()
    const { on } = await guarded(world)
    for (let n = 0; n < 100; n += 1) await on.arrive(`hello ${n}`, { from: sender(`S${n}`), messageId: `${n}.0` })
    await on.drain()
    await on.drain()
    const people = await world.database.read.selectFrom('users').select('id').execute()
    expect([(await on.strangers()).length, (await on.asks()).length]).toEqual([100, 20])
    expect([(await on.sessions()).length, people.length]).toEqual([0, 1])
  })

  it('one that floods: no more than a hundred messages are held', async () => {
    await using world = await open()
    const { on } = await guarded(world)
    for (let n = 0; n < 105; n += 1) await on.arrive(`spam ${n}`, { from: eve, messageId: `${n}.0` })
    await on.drain()
    const statuses = (await on.inbox()).map(({ status }) => status)
    expect(statuses.filter((status) => status === 'held')).toHaveLength(100)
    expect(statuses.filter((status) => status === 'ignored')).toHaveLength(5)
    expect(await on.asks()).toHaveLength(1)
  })

  it('in a public chat is let in and named as no member, unless the wiring is for known people', async () => {
    await using world = await open()
    const { on, chatId } = await guarded(world, 'public')
    const ops = await on.group('Ops')
    await on.wire(chatId, ops, { senderScope: 'known' })
    const taken = await on.say('hello', { from: eve })
    expect(taken?.deliveries.map(({ outcome }) => outcome).toSorted()).toEqual(['delivered', 'refused'])
    expect(await on.told()).toEqual(['Eve (not a member): hello'])
    expect(await on.strangers()).toMatchObject([{ reason: 'unknown_sender_scope' }])
  })

  it('can not start a session of an agent group by another way', async () => {
    await using world = await open()
    const { on, group, chatId } = await guarded(world)
    const bea: Person = await on.member(null, 'U3', 'Bea')
    const start = (messagingGroupId: typeof chatId | null) => ({
      type: 'session.start' as const,
      session: NewSession.parse({
        id: newRandomId(),
        ownerUserId: bea.userId,
        protocolMode: 'acp',
        workspaceRoot: '/work',
        agentGroupId: group,
        messagingGroupId,
      }),
      active: true,
      restartOf: null,
    })
    expect(await world.refused(start(chatId), bea)).toMatchObject({ code: 'not_a_member' })
    expect(await world.refused(start(null), bea)).toMatchObject({ code: 'not_a_member' })
    await world.do({ type: 'member.add', userId: bea.userId, agentGroupId: group })
    await world.do(start(chatId), bea)
  })
})

describeBoth('C3 a new chat', (open) => {
  async function fresh(world: World) {
    const on = await chatHarness(world)
    const owner = await world.person('Olu')
    await world.do({ type: 'role.grant', userId: owner.userId, role: 'owner', agentGroupId: null })
    return { on, owner }
  }

  it.each([
    ['by a mention in a group', {}, { engage_mode: 'mention-sticky', engage_pattern: null }],
    ['by a direct message', { direct: true }, { engage_mode: 'pattern', engage_pattern: '.' }],
  ])('%s asks once; approving wires it, admits the sender and replays', async (_how, said, wiring) => {
    await using world = await open()
    const { on, owner } = await fresh(world)
    const group = await on.group('Dev')
    await on.say('hello', { from: eve, ...said })
    await on.say('again', { from: eve, ...said })
    expect(await on.asks()).toMatchObject([{ kind: 'new_chat', status: 'open' }])
    const [ask] = await on.asks()
    await world.do({ type: 'ask.answer', id: ask!.id, answer: answers.approve }, owner)
    await on.knocks.settle(ask!.id)
    await on.drain()
    const wirings = await world.database.read.selectFrom('messaging_group_agents').selectAll().execute()
    expect(wirings).toMatchObject([{ agent_group_id: group, ...wiring }])
    expect(await memberships(world)).toEqual([{ agent_group_id: group, added_by: owner.userId }])
    const words = await on.told()
    expect(words.map((text) => text.replace('Eve: ', ''))).toEqual(['hello', 'again'])
  })

  it('that was rejected is silent for good, and counted, until it is wired', async () => {
    await using world = await open()
    const { on, owner } = await fresh(world)
    const group = await on.group('Dev')
    await on.say('hello', { from: eve })
    const [ask] = await on.asks()
    await world.do({ type: 'ask.answer', id: ask!.id, answer: answers.reject }, owner)
    await on.knocks.settle(ask!.id)
    expect(await on.say('hello again', { from: eve })).toMatchObject({ status: 'ignored' })
    expect([(await on.asks()).length, await on.strangers()]).toEqual([
      1,
      [{ user_id: 'slack:U9', reason: 'chat_denied', n: 2 }],
    ])
    const [chat] = await world.database.read.selectFrom('messaging_groups').selectAll().execute()
    expect(chat?.denied_at).not.toBeNull()
    await on.wire(chat!.id, group)
    const userId = (await world.app.read.holderOfIdentity('slack:U9')) ?? (await on.member(group, 'U9', 'Eve')).userId
    expect(userId).toBeDefined()
    expect(await on.say('now', { from: eve })).toMatchObject({ status: 'done' })
  })

  it('without an agent group, or without anyone to answer, makes no ask', async () => {
    await using world = await open()
    const { on } = await fresh(world)
    await on.say('hello', { from: eve })
    expect([await on.asks(), await on.strangers()]).toEqual([
      [],
      [{ user_id: 'slack:U9', reason: 'no_agent_wired', n: 1 }],
    ])
  })

  it('of an instance that is not named like its platform has its name in its id', async () => {
    await using world = await open()
    const on = await chatHarness(world, { name: 'second' })
    await on.group('Dev')
    await on.say('hello', { from: eve })
    const [chat] = await world.database.read.selectFrom('messaging_groups').selectAll().execute()
    expect(chat).toMatchObject({ channel_type: 'slack', platform_id: 'second/C1', instance_id: on.instanceId })
  })
})
