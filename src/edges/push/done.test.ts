import { expect, it } from 'vitest'
import type { MessageId } from '../../domain/message/schema.ts'
import type { PushDeviceId } from '../../domain/push/id.ts'
import type { QueueItemId } from '../../domain/queue/schema.ts'
import type { SessionId } from '../../domain/session/id.ts'
import { newId } from '../../lib/id.ts'
import { silentLogger } from '../../lib/log.ts'
import { openPushService, type PushBrowser } from '../../../test/support/push-service.ts'
import { until } from '../../../test/support/until.ts'
import { describeUsual, type Person, type World } from '../../../test/world.ts'
import { startPush } from './start-push.ts'

const start = (world: World) =>
  startPush({
    app: world.app,
    clock: world.clock,
    log: silentLogger,
    subject: 'mailto:ops@example.org',
    allowPrivate: true,
    isLooking: () => false,
  })

async function subscribe(world: World, { userId }: Person, { subscription }: PushBrowser): Promise<void> {
  const id = newId<PushDeviceId>()
  await world.do({ type: 'push.add_device', id, userId, ...subscription, loginHash: null })
}

async function say(world: World, sessionId: SessionId, by: Person): Promise<QueueItemId> {
  const id = newId<QueueItemId>()
  await world.do({ type: 'queue.add', id, sessionId, text: 'go on', when: 'next' }, by)
  return id
}

/** One prompt, delivered to the agent and finished. */
async function turn(world: World, sessionId: SessionId, by: Person): Promise<void> {
  const id = await say(world, sessionId, by)
  await world.do({ type: 'queue.send', id, sessionId, messageId: newId<MessageId>() })
  await world.do({ type: 'queue.settle', id, sessionId, outcome: 'ended' })
}

/** Waits until all earlier events are handled and their messages sent. */
async function caughtUp(world: World, by: Person, browser: PushBrowser): Promise<string[]> {
  const last = await world.ask(await world.session(by))
  await browser.first(({ tag }) => tag === `ask:${last}`)
  await until(async () => {
    const sends = world.database.read.selectFrom('outbox').select('id').where('status', '=', 'waiting')
    return (await sends.execute()).length === 0
  })
  return browser.received.filter(({ payload }) => payload.type === 'done').map(({ payload }) => payload.title)
}

describeUsual('the end of a turn', (open) => {
  async function scene(world: World) {
    const service = await openPushService()
    const ann = await world.person()
    const session = await world.session(ann, { agent: 'claude', protocolMode: 'acp' })
    const browser = service.browser()
    await subscribe(world, ann, browser)
    return { service, ann, session, browser }
  }

  it('is announced, unless more prompts are waiting', async () => {
    await using world = await open()
    const { service, ann, session, browser } = await scene(world)
    await using _service = service
    await using _push = await start(world)
    await turn(world, session, ann)
    expect(await caughtUp(world, ann, browser)).toEqual(['claude finished its turn'])
    await say(world, session, ann)
    await turn(world, session, ann)
    expect(await caughtUp(world, ann, browser)).toHaveLength(1)
  })

  it.each([
    ['was interrupted', { type: 'session.interrupt', reason: null }, ['claude finished its turn']],
    ['was cleaned up', { type: 'session.complete', reason: 'idle_timeout' }, ['claude finished']],
    ['was paused', { type: 'session.pause', reason: null }, []],
    // The end itself is announced anyway, once.
    ['failed', { type: 'session.fail', reason: null }, ['claude failed']],
  ] as const)('that is reported when its session %s', async (_what, command, told) => {
    await using world = await open()
    const { service, ann, session, browser } = await scene(world)
    await using _service = service
    {
      // Creates its cursor; nothing is handled while it is stopped.
      await using _push = await start(world)
    }
    await turn(world, session, ann)
    await world.do({ ...command, id: session })
    await using _again = await start(world)
    expect(await caughtUp(world, ann, browser)).toEqual(told)
  })
})
