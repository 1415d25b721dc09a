import { once } from 'node:events'
import { createServer } from 'node:http'
import { describe, expect, it } from 'vitest'
import { connectDiscord } from '../../../src/edges/chat/discord/connect.ts'
import { escaped } from '../../support/chats/loopback-guard.ts'
import { fakeClock } from '../../support/fake-clock.ts'
import { until } from '../../support/until.ts'
import { connectAgain, connected, createDiscordInbox, never, openScene } from './discord-harness.ts'
import { createTestLog } from './slack-harness.ts'

describe('the connection', () => {
  it('asks for the intents it needs, and comes back in milliseconds after it broke', async () => {
    await using scene = await openScene()
    const { discord, channel, connection, inbox } = scene
    expect(discord.gateway.identifies).toMatchObject([{ intents: 46_593 }])
    discord.gateway.drop()
    discord.person('ann').writes(channel, 'hello')
    await until(() => inbox.events.length === 1)
    await connected(connection)
    expect(discord.gateway.identifies).toHaveLength(1)
    expect(discord.gateway.resumes).toHaveLength(1)
  })

  it('is resumed when Discord asks for it', async () => {
    await using scene = await openScene()
    const { discord, channel, inbox } = scene
    discord.gateway.reconnect()
    discord.person('ann').writes(channel, 'hello')
    await until(() => discord.gateway.resumes.length === 1)
    await until(() => inbox.events.length === 1)
    expect(discord.gateway.closes).toEqual([4900])
    expect(discord.gateway.identifies).toHaveLength(1)
  })

  it('sends heartbeats with the last saved event, and answers a request for one', async () => {
    const clock = fakeClock()
    await using scene = await openScene({ clock, heartbeatMs: 10_000 })
    const { discord, inbox } = scene
    const { seq } = await until(() => inbox.cursor())
    clock.advance(10_000)
    await until(() => discord.gateway.heartbeats.length === 1)
    discord.gateway.askForHeartbeat()
    await until(() => discord.gateway.heartbeats.length === 2)
    expect(discord.gateway.heartbeats.every((said) => Number(said) >= seq)).toBe(true)
    expect(discord.gateway.opened()).toBe(1)
  })

  it('that no longer answers heartbeats is closed and resumed', async () => {
    const clock = fakeClock()
    await using scene = await openScene({ clock, heartbeatMs: 10_000 })
    const { discord, connection } = scene
    discord.gateway.answer(false)
    clock.advance(10_000)
    await until(() => discord.gateway.heartbeats.length > 0)
    expect(discord.gateway.opened()).toBe(1)
    discord.gateway.answer(true)
    clock.advance(10_000)
    await until(() => discord.gateway.resumes.length === 1)
    await connected(connection)
    expect(discord.gateway.identifies).toHaveLength(1)
  })

  it('that never greets is given up', async () => {
    const clock = fakeClock()
    await using scene = await openScene({ clock })
    const { discord, connection } = scene
    discord.gateway.answer(false)
    discord.gateway.drop()
    await until(() => discord.gateway.opened() === 2)
    discord.gateway.answer(true)
    clock.advance(10_000)
    await until(() => {
      clock.advance(500)
      return discord.gateway.resumes.length === 1
    })
    await connected(connection)
    expect(discord.gateway.identifies).toHaveLength(1)
  })

  it('resumes after an invalid session if Discord says so, else it begins a new one', async () => {
    const clock = fakeClock()
    await using scene = await openScene({ clock })
    const { discord, connection, log } = scene
    discord.gateway.invalidate(true)
    await until(() => discord.gateway.resumes.length === 1)
    await connected(connection)
    expect(discord.gateway.identifies).toHaveLength(1)
    discord.gateway.invalidate(false)
    await until(() => connection.health().state === 'reconnecting')
    await until(() => {
      clock.advance(500)
      return discord.gateway.identifies.length === 2
    })
    await connected(connection)
    expect(discord.gateway.resumes).toHaveLength(1)
    expect(log.lines.filter(({ message }) => message.startsWith('a new session'))).toHaveLength(2)
  })

  it.each([4007, 4009])('begins a new session after the close code %d, and reads up the gap', async (code) => {
    const clock = fakeClock()
    await using scene = await openScene({ clock })
    const { discord, connection, channel, inbox } = scene
    const ann = discord.person('ann')
    const seen = ann.writes(channel, 'seen')
    await until(() => inbox.events.length === 1)
    discord.gateway.expire()
    ann.writes(channel, 'missed')
    discord.gateway.closeWith(code)
    await until(() => {
      clock.advance(500)
      return discord.gateway.identifies.length === 2
    })
    await connected(connection)
    expect(discord.gateway.resumes).toEqual([])
    const chat = { id: channel, name: 'ops', isGroup: true, isDirect: false }
    const read = await connection.missed(chat, null, seen.id, never)
    expect(read).toMatchObject({ kind: 'read', events: [{ text: 'missed' }], more: false })
  })

  it('after a session that Discord no longer knows begins a new one', async () => {
    await using scene = await openScene()
    await scene.connection[Symbol.asyncDispose]()
    scene.discord.gateway.expire()
    const clock = fakeClock()
    await using again = connectAgain(scene, { clock, cursor: scene.inbox.cursor() })
    await until(() => {
      clock.advance(500)
      return again.health().state === 'connected'
    })
    expect(scene.discord.gateway.identifies).toHaveLength(2)
    expect(scene.discord.gateway.resumes).toHaveLength(1)
  })

  it('never begins sessions in a quick loop', async () => {
    const clock = fakeClock()
    await using scene = await openScene({ clock, heartbeatMs: 3_600_000 })
    const { discord, connection } = scene
    const began = clock.now()
    const rounds = 12
    // Discord ends every session as soon as it begins.
    for (let round = 2; round <= rounds; round += 1) {
      discord.gateway.invalidate(false)
      await until(() => {
        clock.advance(30_000)
        return discord.gateway.identifies.length === round
      })
      await connected(connection)
    }
    // More than 1,000 sessions in a day would be one every 86 seconds.
    expect((clock.now() - began) / rounds).toBeGreaterThan(200_000)
  })

  it('waits if Discord allows no more new sessions', async () => {
    const clock = fakeClock()
    await using scene = await openScene({ clock })
    const { discord, connection } = scene
    discord.settings.remaining = 0
    discord.gateway.invalidate(false)
    await until(() => {
      clock.advance(1000)
      return connection.health().error?.includes('no more new sessions')
    })
    expect(discord.gateway.identifies).toHaveLength(1)
    discord.settings.remaining = 10
    await until(() => {
      clock.advance(5000)
      return discord.gateway.identifies.length === 2
    })
    await connected(connection)
  })

  it.each([
    [4004, 'Discord does not accept the bot token'],
    [4014, 'The Message Content intent is turned off. Turn it on in the Discord developer portal'],
    [4013, 'Discord does not accept the intents (4013)'],
  ])('is refused for good after the close code %d', async (code, error) => {
    await using scene = await openScene()
    const { discord, connection } = scene
    discord.gateway.closeWith(code)
    await until(() => connection.health().state === 'refused')
    expect(connection.health().error).toContain(error)
    expect(discord.gateway.opened()).toBe(1)
  })

  it('is tried again while Discord answers 5xx, 429 or nothing', async () => {
    await using scene = await openScene({ connects: false })
    const { discord, connection } = scene
    discord.fail({ call: /^GET \/gateway\/bot$/, status: 503 })
    discord.fail({ call: /^GET \/gateway\/bot$/, status: 429, retryAfter: 0.05 })
    discord.fail({ call: /^GET \/gateway\/bot$/, drop: 'before' })
    await connected(connection)
    expect(discord.callsOf(/^GET \/gateway\/bot$/)).toHaveLength(4)
    expect(discord.gateway.identifies).toHaveLength(1)
  })

  it('stops at once while it is being opened', async () => {
    await using scene = await openScene({ connects: false })
    const answer = Promise.withResolvers<void>()
    scene.discord.fail({ call: /^GET \/gateway\/bot$/, hold: answer.promise, times: 5 })
    await until(() => scene.discord.callsOf(/^GET \/gateway\/bot$/).length > 0)
    await scene.connection[Symbol.asyncDispose]()
    expect(scene.connection.health().state).toBe('stopped')
    answer.resolve()
  })
})

it('a server that names a foreign gateway is not followed, nor is a foreign address to resume at', async () => {
  const server = createServer((_request, response) => {
    const answer = { id: '1', username: 'x', url: 'wss://gateway.evil.test', flags: 0 }
    response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(answer))
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as { port: number }
  const connection = connectDiscord({
    instance: { id: 'i', name: 'discord' },
    credentials: { bot_token: 'a.secret.c' },
    endpoints: { api: `http://127.0.0.1:${port}/api/v10/` },
    receiver: createDiscordInbox(),
    clock: fakeClock(),
    log: createTestLog(),
    cursor: { session_id: 's', seq: 5, resume_gateway_url: 'wss://gateway.evil.test' },
  })
  await until(() => connection.health().error?.includes('not its own'))
  expect(escaped).toEqual([])
  await connection[Symbol.asyncDispose]()
  server.closeAllConnections()
  server.close()
})
