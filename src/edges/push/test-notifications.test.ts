import { expect, it } from 'vitest'
import type { PushDeviceId } from '../../domain/push/id.ts'
import { newId } from '../../lib/id.ts'
import { silentLogger } from '../../lib/log.ts'
import { openPushService } from '../../../test/support/push-service.ts'
import { describeUsual } from '../../../test/world.ts'
import { startPush } from './start-push.ts'

describeUsual('test notifications', (open) => {
  it('are limited per person', async () => {
    await using world = await open()
    await using service = await openPushService()
    const ann = await world.person()
    const browser = service.browser()
    const id = newId<PushDeviceId>()
    await world.do({ type: 'push.add_device', id, userId: ann.userId, ...browser.subscription, loginHash: null }, ann)
    await using push = await startPush({
      app: world.app,
      clock: world.clock,
      log: silentLogger,
      subject: 'mailto:ops@example.org',
      allowPrivate: true,
      isLooking: () => false,
    })
    for (let count = 0; count < 5; count += 1)
      expect(await push.test(ann.userId, id)).toMatchObject({ value: { delivered: true } })
    expect(await push.test(ann.userId, id)).toMatchObject({ fault: { kind: 'limited', details: { retryAfter: 60 } } })
    expect(browser.tries()).toBe(5)
    world.clock.advance(60_000)
    expect(await push.test(ann.userId, id)).toMatchObject({ ok: true })
  })
})
