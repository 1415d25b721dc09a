import { expect, it } from 'vitest'
import { ChatCommand } from '../../src/domain/chat/schema.ts'
import { newId } from '../../src/lib/id.ts'
import { chatHarness } from '../app/chat-harness.ts'
import { describeBoth, type World } from '../world.ts'

/** Two agent groups with a chat each, and an admin of the second one. */
async function twoGroups(world: World) {
  const on = await chatHarness(world)
  const [theirs, mine] = [await on.group('Payments'), await on.group('Website')]
  const [chat, ownChat] = [await on.chat('C1'), await on.chat('C2')]
  await on.wire(chat, theirs)
  await on.wire(ownChat, mine)
  const admin = await world.person('Mal')
  await world.do({ type: 'role.grant', userId: admin.userId, role: 'admin', agentGroupId: mine })
  const tries = async (command: object) => {
    const done = await world.app.dispatch(ChatCommand.parse(command), admin)
    return done.ok ? 'done' : done.fault.code
  }
  return { on, theirs, mine, chat, ownChat, tries }
}

describeBoth('C4 C7 an admin of one agent group', (open) => {
  it('can neither listen nor speak in a chat of another group', async () => {
    await using world = await open()
    const { mine, chat, ownChat, tries } = await twoGroups(world)
    const listen = { type: 'wiring.add', id: newId(), agentGroupId: mine, engageMode: 'pattern', engagePattern: '.' }
    expect(await tries({ ...listen, chatId: chat })).toBe('chat_not_found')
    const speak = { type: 'destination.add', agentGroupId: mine, targetType: 'channel' }
    expect(await tries({ ...speak, targetId: chat })).toBe('chat_not_found')
    expect(await tries({ ...speak, targetId: ownChat, localName: 'again' })).toBe('done')
  })

  it('can not write into the direct chat that somebody has with Signalbox', async () => {
    await using world = await open()
    const { on, mine, tries } = await twoGroups(world)
    const direct = await on.chat('D1', { isGroup: false, name: null })
    const speak = { type: 'destination.add', agentGroupId: mine, targetType: 'channel', targetId: direct }
    expect(await tries(speak)).toBe('chat_not_found')
  })

  it("can not let its agents write to another group's agents, which work with other people's rights", async () => {
    await using world = await open()
    const { mine, theirs, tries } = await twoGroups(world)
    const write = { type: 'destination.add', agentGroupId: mine, targetType: 'agent', targetId: theirs }
    expect(await tries(write)).toBe('agent_group_not_found')
    expect(await world.database.read.selectFrom('agent_destinations').select('target_id').execute()).not.toContainEqual(
      { target_id: theirs },
    )
  })
})
