import { expect, it } from 'vitest'
import { chatHarness, sender } from '../app/chat-harness.ts'
import { answers } from '../app/samples.ts'
import { describeBoth, type World } from '../world.ts'

async function withOwner(world: World) {
  const on = await chatHarness(world)
  const owner = await world.person('Olu')
  await world.do({ type: 'role.grant', userId: owner.userId, role: 'owner', agentGroupId: null })
  return { on, owner, group: await on.group('Dev') }
}
const chats = async ({ database }: World) =>
  (await database.read.selectFrom('messaging_groups').select('id').execute()).length

describeBoth('C3 a flood of strangers', (open) => {
  it('in one chat asks admins twenty times at most; who is refused is counted, and may ask when others are answered', async () => {
    await using world = await open()
    const { on, owner, group } = await withOwner(world)
    const chatId = await on.chat('C1', { unknownSenderPolicy: 'request_approval' })
    await on.wire(chatId, group, { engageMode: 'mention' })
    for (let n = 0; n < 40; n += 1) await on.say('let me in', { from: sender(`S${n}`), messageId: `${n}.0` })
    expect([(await on.asks()).length, (await on.strangers()).length]).toEqual([20, 40])
    expect((await on.inbox()).filter(({ body }) => body.includes('let me in'))).toHaveLength(20)
    const [first] = await on.asks()
    await world.do({ type: 'ask.answer', id: first!.id, answer: answers.reject }, owner)
    await on.knocks.settle(first!.id)
    await on.say('let me in', { from: sender('S39') })
    expect(await on.asks()).toHaveLength(21)
  })

  it('one person who adds us to many groups asks three times, and the groups are not all kept', async () => {
    await using world = await open()
    const { on } = await withOwner(world)
    const mal = sender('U6', 'Mal')
    for (let n = 0; n < 100; n += 1) await on.say('hello', { from: mal, chat: `G${n}`, messageId: `${n}.0` })
    expect((await on.asks()).map(({ kind, status }) => `${kind} ${status}`)).toEqual(Array(3).fill('new_chat open'))
    expect(await chats(world)).toBeLessThanOrEqual(60)
    // Somebody else is still heard.
    world.clock.advance(3_600_001)
    await on.say('hello', { from: sender('U7', 'Ben'), chat: 'G-other' })
    expect(await on.asks()).toHaveLength(4)
  })

  it('many people in many groups of their own ask twenty times at most', async () => {
    await using world = await open()
    const { on } = await withOwner(world)
    for (let n = 0; n < 40; n += 1) await on.say('hello', { from: sender(`S${n}`), chat: `G${n}`, messageId: `${n}.0` })
    expect(await on.asks()).toHaveLength(20)
  })
})
