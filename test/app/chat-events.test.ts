import { expect, it } from 'vitest'
import { AgentGroupCommand } from '../../src/domain/agent-group/schema.ts'
import { start } from '../../src/domain/audit/cursor.ts'
import { readEvents } from '../../src/domain/audit/store.ts'
import { InstanceCommand } from '../../src/domain/chat-instance/schema.ts'
import { ChatCommand } from '../../src/domain/chat/schema.ts'
import { viewerOf, type Actor } from '../../src/domain/user/actor.ts'
import type { AgentGroupId } from '../../src/domain/user/id.ts'
import { newId } from '../../src/lib/id.ts'
import { readTable } from '../security/matrix/table.ts'
import { describeBoth, until } from '../world.ts'

describeBoth('S9 events of chats', (open) => {
  it('are for people who administer, and for nobody else', async () => {
    await using world = await open()
    const [adam, ann, mel] = [await world.person('Adam'), await world.person('Ann'), await world.person('Mel')]
    await world.do({ type: 'role.grant', userId: adam.userId, role: 'admin', agentGroupId: null })
    const [chatId, other, wiringId, instanceId] = [newId<string>(), newId<string>(), newId<string>(), newId<string>()]
    const agentGroupId = newId<AgentGroupId>()
    const group = (command: object) => world.do(AgentGroupCommand.parse(command))
    const chat = (command: object) => world.do(ChatCommand.parse(command))
    const instance = (command: object) => world.do(InstanceCommand.parse(command))
    await group({ type: 'agent_group.create', id: agentGroupId, name: 'Dev' })
    await group({ type: 'agent_group.update', id: agentGroupId, name: 'Devs' })
    await group({ type: 'agent_group.configure', id: agentGroupId, model: 'large' })
    await group({ type: 'agent_group.instruct', id: agentGroupId, text: 'Be brief.' })
    await world.do({ type: 'member.add', userId: mel.userId, agentGroupId })
    for (const [id, name] of [
      [chatId, 'Team'],
      [other, 'Lobby'],
    ] as const)
      await chat({ type: 'chat.add', id, channelType: 'slack', platformId: id, name })
    await chat({ type: 'chat.update', id: chatId, unknownSenderPolicy: 'public' })
    await chat({ type: 'wiring.add', id: wiringId, chatId, agentGroupId })
    await chat({ type: 'wiring.update', id: wiringId, priority: 1 })
    await chat({ type: 'wiring.remove', id: wiringId })
    await chat({ type: 'destination.add', agentGroupId, localName: 'lobby', targetType: 'channel', targetId: other })
    await chat({ type: 'destination.remove', agentGroupId, localName: 'lobby' })
    await chat({ type: 'chat.deny', id: other })
    await chat({ type: 'chat.remove', id: chatId })
    const credentials = { platform: 'slack', name: 'slack', title: 'Slack', credentials: 'sealed' }
    await instance({ type: 'instance.add', id: instanceId, ...credentials })
    await instance({ type: 'instance.update', id: instanceId, title: 'Our Slack' })
    await instance({ type: 'instance.stop', id: instanceId })
    await instance({ type: 'instance.start', id: instanceId })
    await instance({ type: 'instance.remove', id: instanceId })
    await group({ type: 'agent_group.remove', id: agentGroupId })

    const { read, flavor } = world.database
    const wanted = readTable('events')
      .filter(({ note }) => note.startsWith('chat-events'))
      .map(({ name }) => name)
    const heardBy = async (actor: Actor) => {
      const viewer = viewerOf(await world.app.read.standing(actor))
      const events = await readEvents(read, flavor, { after: start, limit: 5000, viewer })
      return wanted.filter((type) => events.some((event) => event.type === type))
    }
    expect(wanted).toHaveLength(19)
    // PostgreSQL shows events once no older transaction of the cluster runs.
    await until(async () => (await heardBy(adam)).length === wanted.length)
    expect(await heardBy(adam)).toEqual(wanted)
    const agent: Actor = { kind: 'agent', userId: adam.userId, tokenId: null, sessionId: null }
    for (const nobody of [ann, mel, agent]) expect(await heardBy(nobody)).toEqual([])
  })

  it('about the thread of a session are for those who see the session', async () => {
    await using world = await open()
    const [ann, ben] = [await world.person('Ann'), await world.person('Ben')]
    const id = await world.session(ann)
    await world.do({ type: 'session.set_thread', id, threadTs: '1.0' }, { kind: 'system', name: 'chat' })
    const { read, flavor } = world.database
    const hears = async (actor: Actor) => {
      const viewer = viewerOf(await world.app.read.standing(actor))
      const events = await readEvents(read, flavor, { after: start, limit: 5000, viewer })
      return events.some(({ type }) => type === 'session.thread_opened')
    }
    await until(() => hears(ann))
    expect([await hears(ann), await hears(ben)]).toEqual([true, false])
    const session = await world.app.read.session(await world.app.read.standing(ann), id)
    expect(session.ok && session.value.threadTs).toBe('1.0')
  })
})
