import { expect, it } from 'vitest'
import type { ChatInstanceId, MessagingGroupId, WiringId } from '../../src/domain/chat/id.ts'
import { ChatCommand } from '../../src/domain/chat/schema.ts'
import { AgentGroupCommand } from '../../src/domain/agent-group/schema.ts'
import { InstanceCommand } from '../../src/domain/chat-instance/schema.ts'
import type { AgentGroupId } from '../../src/domain/user/id.ts'
import type { Actor } from '../../src/domain/user/actor.ts'
import { newId } from '../../src/lib/id.ts'
import { describeBoth, system, type World } from '../world.ts'

const chat = (command: object) => ChatCommand.parse(command)

async function group(world: World, name: string): Promise<AgentGroupId> {
  const id = newId<AgentGroupId>()
  await world.do(AgentGroupCommand.parse({ type: 'agent_group.create', id, name }))
  return id
}
async function place(world: World, name: string): Promise<MessagingGroupId> {
  const id = newId<MessagingGroupId>()
  await world.do(chat({ type: 'chat.add', id, channelType: 'slack', platformId: newId(), name }))
  return id
}
async function wire(world: World, chatId: MessagingGroupId, agentGroupId: AgentGroupId, actor: Actor = system) {
  const id = newId<WiringId>()
  await world.do(chat({ type: 'wiring.add', id, chatId, agentGroupId }), actor)
  return id
}
const rows = async ({ database }: World) => ({
  wirings: (await database.read.selectFrom('messaging_group_agents').select('id').execute()).map(({ id }) => id),
  names: (
    await database.read.selectFrom('agent_destinations').select('local_name').orderBy('local_name').execute()
  ).map(({ local_name }) => local_name),
})

describeBoth('C4 a wiring and its destination', (open) => {
  it('come together, and go together on every path', async () => {
    await using world = await open()
    const dev = await group(world, 'Dev')
    const [one, two] = [await place(world, 'Team'), await place(world, 'Team')]
    const first = await wire(world, one, dev)
    await wire(world, two, dev)
    expect((await rows(world)).names).toEqual(['team', 'team-2'])
    await world.do(chat({ type: 'wiring.remove', id: first }))
    expect((await rows(world)).names).toEqual(['team-2'])
    await wire(world, one, dev)
    expect((await rows(world)).names).toEqual(['team', 'team-2'])
    await world.do(chat({ type: 'chat.deny', id: one }))
    expect((await rows(world)).names).toEqual(['team-2'])
    await world.do(chat({ type: 'chat.remove', id: two }))
    expect(await rows(world)).toEqual({ wirings: [], names: [] })
    await wire(world, one, dev)
    await world.do({ type: 'agent_group.remove', id: dev })
    expect(await rows(world)).toEqual({ wirings: [], names: [] })
  })

  it('a destination made by hand stays when the wiring goes, and a wiring makes no second one', async () => {
    await using world = await open()
    const dev = await group(world, 'Dev')
    const team = await place(world, 'Team')
    await world.do(
      chat({ type: 'destination.add', agentGroupId: dev, localName: 'us', targetType: 'channel', targetId: team }),
    )
    const id = await wire(world, team, dev)
    expect((await rows(world)).names).toEqual(['us'])
    await world.do(chat({ type: 'wiring.remove', id }))
    expect(await rows(world)).toEqual({ wirings: [], names: ['us'] })
  })

  it('two at once make one wiring with one destination', async () => {
    await using world = await open()
    const dev = await group(world, 'Dev')
    const team = await place(world, 'Team')
    const add = () =>
      world.app.dispatch(chat({ type: 'wiring.add', id: newId(), chatId: team, agentGroupId: dev }), system)
    const results = await Promise.all([add(), add(), add()])
    expect(results.filter(({ ok }) => ok)).toHaveLength(1)
    const { wirings, names } = await rows(world)
    expect([wirings.length, names]).toEqual([1, ['team']])
  })

  it('a wiring lifts the denial of its chat', async () => {
    await using world = await open()
    const dev = await group(world, 'Dev')
    const team = await place(world, 'Team')
    await world.do(chat({ type: 'chat.deny', id: team }))
    expect((await world.app.chat.chat(team))?.deniedAt).not.toBeNull()
    await wire(world, team, dev)
    expect((await world.app.chat.chat(team))?.deniedAt).toBeNull()
  })
})

describeBoth('who may change chats', (open) => {
  it('agent groups and wirings: their admins; chats: admins; instances: owners', async () => {
    await using world = await open()
    const [dev, ops] = [await group(world, 'Dev'), await group(world, 'Ops')]
    const team = await place(world, 'Team')
    const [owner, admin, ofDev, member] = [
      await world.person('Olu'),
      await world.person('Ada'),
      await world.person('Dee'),
      await world.person('Mel'),
    ]
    await world.do({ type: 'role.grant', userId: owner.userId, role: 'owner', agentGroupId: null })
    await world.do({ type: 'role.grant', userId: admin.userId, role: 'admin', agentGroupId: null })
    await world.do({ type: 'role.grant', userId: ofDev.userId, role: 'admin', agentGroupId: dev })
    await world.do({ type: 'member.add', userId: member.userId, agentGroupId: dev })
    const code = async (command: Parameters<World['refused']>[0], actor: Actor) => {
      const result = await world.app.check(command, actor)
      return result === null ? 'done' : result === 'repeated' ? result : result.fault.code
    }
    const wiringOf = (agentGroupId: AgentGroupId) =>
      chat({ type: 'wiring.add', id: newId(), chatId: team, agentGroupId })
    expect([await code(wiringOf(dev), ofDev), await code(wiringOf(ops), ofDev)]).toEqual(['done', 'needs_role'])
    expect([await code(wiringOf(ops), admin), await code(wiringOf(dev), member)]).toEqual(['done', 'needs_role'])
    const id = await wire(world, team, ops, admin)
    expect(await code(chat({ type: 'wiring.remove', id }), ofDev)).toBe('wiring_not_found')
    expect(await code(chat({ type: 'wiring.update', id, priority: 1 }), admin)).toBe('done')
    const rename = AgentGroupCommand.parse({ type: 'agent_group.update', id: dev, name: 'X' })
    expect([await code(rename, ofDev), await code(rename, member)]).toEqual(['done', 'needs_role'])
    expect(await code({ type: 'agent_group.remove', id: dev }, ofDev)).toBe('needs_role')
    expect([
      await code({ type: 'chat.deny', id: team }, ofDev),
      await code({ type: 'chat.deny', id: team }, admin),
    ]).toEqual(['needs_role', 'done'])
    const slack = InstanceCommand.parse({
      type: 'instance.add',
      id: newId<ChatInstanceId>(),
      platform: 'slack',
      name: 'slack',
      title: 'Slack',
      credentials: 'sealed',
    })
    expect([await code(slack, admin), await code(slack, owner)]).toEqual(['needs_role', 'done'])
    const seen = async (who: Actor) => {
      const standing = await world.app.read.standing(who)
      const [groups, chats] = [await world.app.read.agentGroups(standing), await world.app.read.chats(standing)]
      return [groups.ok && groups.value.map(({ name }) => name), chats.ok && chats.value.length]
    }
    expect(await seen(admin)).toEqual([['Dev', 'Ops'], 1])
    expect(await seen(member)).toEqual([['Dev'], 0])
    expect(await seen(ofDev)).toEqual([['Dev'], 0])
    expect(await world.app.read.strangers(await world.app.read.standing(member))).toEqual({ ok: true, value: [] })
  })

  it('the credentials of an instance are in no event and no list, and go with it', async () => {
    await using world = await open()
    const id = newId<ChatInstanceId>()
    const add = { type: 'instance.add', id, platform: 'slack', name: 'slack', title: 'S', credentials: 'x0xb-secret' }
    await world.do(InstanceCommand.parse(add))
    expect(await world.app.chat.instances.connecting(id)).toEqual({ credentials: 'x0xb-secret', cursor: null })
    expect(JSON.stringify(await world.app.chat.instances.list())).not.toContain('secret')
    expect(JSON.stringify((await world.tables())['events'])).not.toContain('secret')
    await world.do({ type: 'instance.remove', id })
    expect(JSON.stringify(await world.tables())).not.toContain('secret')
    expect(await world.app.chat.instances.list()).toEqual([])
    const again = await world.do(InstanceCommand.parse({ ...add, id: newId<ChatInstanceId>() }))
    expect(again.subject).toBe(id)
  })
})
