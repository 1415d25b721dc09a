import { describe, expect, it } from 'vitest'
import '../../support/chats/loopback-guard.ts'
import { fakeClock } from '../../support/fake-clock.ts'
import { until } from '../../support/until.ts'
import { createTelegramInbox, openScene, textsOf } from './telegram-harness.ts'

describe('an update', () => {
  it('is confirmed after its commit, and never before', async () => {
    await using scene = await openScene()
    const { telegram, inbox, group } = scene
    const release = inbox.hold()
    const { updateId, confirmed } = telegram.person('ann').writes(group, 'hello')
    await until(() => inbox.deliveries.length === 1)
    const polls = telegram.updates.polls()
    await until(() => telegram.updates.polls() > polls)
    expect(telegram.updates.pending()).toHaveLength(1)
    release()
    await confirmed
    expect(inbox.cursor()).toMatchObject({ offset: updateId + 1 })
    expect(inbox.deliveries).toHaveLength(1)
  })

  it('that is not saved is tried again, before what follows it in its chat', async () => {
    await using scene = await openScene()
    const { telegram, inbox, group, log, connection } = scene
    inbox.failNext(2)
    const ann = telegram.person('ann')
    const written = [ann.writes(group, 'one'), ann.writes(group, 'two')]
    await until(() => connection.health().error?.includes("can't be saved"))
    await Promise.all(written.map(({ confirmed }) => confirmed))
    expect(textsOf(inbox.events)).toEqual(['one', 'two'])
    expect(log.lines.filter(({ message }) => message === 'not saved, so not confirmed')).toHaveLength(2)
    expect(connection.health()).toMatchObject({ state: 'connected', error: null })
  })

  it('of a slow chat does not hold up another chat, nor its own followers overtake it', async () => {
    await using scene = await openScene()
    const { telegram, inbox, group } = scene
    const ann = telegram.person('ann')
    const release = inbox.holdChat(group)
    const slow = [ann.writes(group, 'one'), ann.writes(group, 'two')]
    const direct = ann.direct()
    ann.writes(direct, 'at the same time')
    await until(() => inbox.events.length === 1)
    // Later updates come although the first is not confirmed.
    for (const text of ['later', 'and later']) {
      ann.writes(direct, text)
      await until(() => textsOf(inbox.events).includes(text))
    }
    expect(textsOf(inbox.events)).toEqual(['at the same time', 'later', 'and later'])
    expect(telegram.updates.pending()).toHaveLength(5)
    expect(inbox.cursor()).toMatchObject({ offset: slow[0]!.updateId })
    release()
    await Promise.all(slow.map(({ confirmed }) => confirmed))
    await until(() => telegram.updates.pending().length === 0)
    expect(textsOf(inbox.events)).toEqual(['at the same time', 'later', 'and later', 'one', 'two'])
    expect(inbox.deliveries).toHaveLength(5)
    await until(() => inbox.cursor()?.offset === slow[0]!.updateId + 5)
  })

  it('comes again to the next connection if it was not saved, and counts once if it was', async () => {
    const scene = await openScene()
    await using telegram = scene.telegram
    const { inbox, group, connect } = scene
    const ann = telegram.person('ann')
    const release = inbox.hold()
    const saved = ann.writes(group, 'saved')
    await until(() => inbox.deliveries.length === 1)
    ann.writes(group, 'not saved')
    // The process ends: nothing is confirmed.
    telegram.fail({ method: 'getUpdates', drop: 'before', times: 2 })
    const stopped = scene.connection[Symbol.asyncDispose]()
    release()
    await stopped
    expect(textsOf(inbox.events)).toEqual(['saved'])
    expect(telegram.updates.pending().length).toBeGreaterThan(0)
    await using second = connect({ cursor: inbox.cursor() })
    await until(() => inbox.events.length === 2)
    expect(textsOf(inbox.events)).toEqual(['saved', 'not saved'])
    await until(() => telegram.updates.pending().length === 0)
    expect(second.health().state).toBe('connected')
    expect(await saved.confirmed).toBe(saved.updateId)
  })

  it('that is being saved is finished and confirmed when we stop', async () => {
    const scene = await openScene()
    const { telegram, inbox, group, connection } = scene
    const release = inbox.hold()
    const { confirmed } = telegram.person('ann').writes(group, 'hello')
    await until(() => inbox.deliveries.length === 1)
    const stopped = connection[Symbol.asyncDispose]()
    release()
    await stopped
    await confirmed
    expect(connection.health()).toMatchObject({ state: 'stopped' })
    await telegram[Symbol.asyncDispose]()
  })

  it('with a lower id, after a quiet week, is not missed', async () => {
    await using scene = await openScene({ firstUpdate: 900_000 })
    const { telegram, inbox, group } = scene
    const ann = telegram.person('ann')
    await ann.writes(group, 'before').confirmed
    await until(() => telegram.updates.isPolled())
    // The poll that confirmed the last one ends without an update.
    const polls = telegram.updates.polls()
    telegram.updates.endPoll()
    await until(() => telegram.updates.polls() > polls && telegram.updates.isPolled())
    telegram.updates.continueAt(500)
    await ann.writes(group, 'after').confirmed
    await ann.writes(group, 'and then').confirmed
    expect(textsOf(inbox.events)).toEqual(['before', 'after', 'and then'])
  })

  it.each([
    ['another bot', (now: number) => ({ offset: 5000, bot: 7, at: now })],
    ['last week', (now: number) => ({ offset: 5000, bot: 42, at: now - 8 * 24 * 3_600_000 })],
    ['unknown format', () => 'x'],
  ])('is not forgotten because of a cursor of %s', async (_what, cursor) => {
    await using scene = await openScene()
    const { telegram, group, connect } = scene
    await scene.connection[Symbol.asyncDispose]()
    const { confirmed } = telegram.person('ann').writes(group, 'hello')
    const inbox = createTelegramInbox()
    await using _second = connect({ inbox, cursor: cursor(Date.now()) })
    await confirmed
    expect(textsOf(inbox.events)).toEqual(['hello'])
  })

  it('is one of many: a thousand arrive once and in order, with broken polls and failed commits between them', async () => {
    await using scene = await openScene()
    const { telegram, inbox } = scene
    const people = Array.from({ length: 10 }, (_, index) => telegram.person(`p${index}`))
    const written: { confirmed: Promise<number> }[] = []
    for (let round = 0; round < 100; round += 1) {
      for (const one of people) written.push(one.writes(one.direct(), `${round}`))
      if (round % 30 === 5) telegram.fail({ method: 'getUpdates', drop: 'after' })
      if (round % 30 === 10) inbox.failNext(3)
      if (round % 30 === 15) await Promise.all(written.map(({ confirmed }) => confirmed))
    }
    await Promise.all(written.map(({ confirmed }) => confirmed))
    for (const one of people) {
      const mine = inbox.events.filter(({ chat }) => chat.id === one.handle)
      expect(textsOf(mine)).toEqual(Array.from({ length: 100 }, (_, round) => `${round}`))
    }
  })
})

describe('polling', () => {
  it('removes a webhook first', async () => {
    await using scene = await openScene({ connects: false })
    const { telegram, connection } = scene
    await until(() => connection.health().state === 'connected')
    telegram.updates.setWebhook({ url: 'http://127.0.0.1:1/elsewhere' })
    telegram.fail({ method: 'getUpdates', drop: 'before' })
    telegram.updates.close()
    await until(() => telegram.updates.webhook() === null)
    await until(() => connection.health().state === 'connected')
    expect(telegram.callsOf('deleteWebhook')[0]?.args).toEqual({ drop_pending_updates: false })
  })

  it('is tried again while Telegram answers 5xx, 429 or nothing', async () => {
    const clock = fakeClock()
    await using scene = await openScene({ clock, connects: false })
    const { telegram, connection } = scene
    await until(() => telegram.updates.isPolled())
    telegram.fail({ method: 'deleteWebhook', drop: 'before' })
    telegram.fail({ method: 'deleteWebhook', code: 429, retryAfter: 40 })
    telegram.fail({ method: 'getUpdates', code: 502 })
    // Ends the open poll; the next one fails.
    telegram.person('ann').writes(scene.group, 'hello')
    await until(() => connection.health().error?.includes('502'))
    expect(connection.health().state).toBe('reconnecting')
    clock.advance(500)
    await until(() => connection.health().error?.includes('deleteWebhook failed'))
    clock.advance(1000)
    await until(() => connection.health().error?.includes('429'))
    expect(clock.timers()).toEqual([clock.now() + 40_000])
    clock.advance(40_000)
    await until(() => connection.health().state === 'connected')
  })

  it('gives up a poll that is never answered', async () => {
    const clock = fakeClock()
    await using scene = await openScene({ clock })
    const { telegram, connection } = scene
    await until(() => telegram.updates.isPolled())
    const answer = Promise.withResolvers<void>()
    telegram.fail({ method: 'getUpdates', hold: answer.promise })
    const { confirmed } = telegram.person('ann').writes(scene.group, 'hello')
    await confirmed
    clock.advance(35_000)
    await until(() => connection.health().error?.includes('no answer in time'))
    expect(connection.health().state).toBe('reconnecting')
    clock.advance(500)
    await until(() => connection.health().state === 'connected')
    answer.resolve()
  })

  it('says so if another program polls, and works again when it has stopped', async () => {
    const clock = fakeClock()
    await using scene = await openScene({ clock })
    const { telegram, connection, group } = scene
    await until(() => telegram.updates.isPolled())
    const other = telegram.updates.getUpdates({ timeout: 20 }).catch(() => [])
    await until(() => connection.health().state === 'reconnecting')
    expect(connection.health().error).toBe(
      'Another program receives the messages of this bot. Stop it, or give this account a bot of its own.',
    )
    clock.advance(500)
    await other
    // The short poll at the beginning says nothing about the other program.
    await until(() => telegram.updates.isPolled())
    expect(connection.health().state).toBe('reconnecting')
    await telegram.person('ann').writes(group, 'hello').confirmed
    await until(() => connection.health().state === 'connected')
  })

  it('is refused for good if the token is not valid', async () => {
    await using scene = await openScene()
    const { telegram, connection, log, group } = scene
    await until(() => telegram.updates.isPolled())
    telegram.revoke()
    telegram.person('ann').writes(group, 'hello')
    await until(() => connection.health().state === 'refused')
    const calls = telegram.calls.length
    expect(connection.health().error).toBe('Telegram answered 401 to getUpdates: Unauthorized')
    await using wrong = scene.connect({ token: 'not/../a-token' })
    await until(() => wrong.health().state === 'refused')
    expect(telegram.calls).toHaveLength(calls)
    expect(JSON.stringify(log.lines)).not.toContain('emulated-secret_token')
  })

  it('stops at once while a poll is open', async () => {
    await using scene = await openScene()
    await until(() => scene.telegram.updates.isPolled())
    await scene.connection[Symbol.asyncDispose]()
    expect(scene.connection.health().state).toBe('stopped')
  })
})
