import { expect, it } from 'vitest'
import { createRetention } from '../../src/app/retention.ts'
import { describeBoth } from '../world.ts'
import { chatHarness, sender } from './chat-harness.ts'

const day = 24 * 3_600_000
const limits = { idempotencyHours: 24, eventDays: 0, historyDays: 90 }

describeBoth('strangers', (open) => {
  it('C3 who has not written for 90 days is forgotten', async () => {
    await using world = await open()
    const on = await chatHarness(world)
    const group = await on.group('Dev')
    await on.wire(await on.chat('C1', { unknownSenderPolicy: 'strict' }), group)
    await on.say('let me in', { from: sender('U8', 'Old') })
    world.clock.advance(60 * day)
    await on.say('me too', { from: sender('U9', 'New') })
    world.clock.advance(31 * day)
    const retention = createRetention(world.database)
    await retention.forgetRows(world.clock.now(), limits)
    expect((await on.strangers()).map(({ user_id: id }) => id)).toEqual(['slack:U9'])
  })
})
