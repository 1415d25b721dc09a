import { generateKeyPairSync } from 'node:crypto'
import { once } from 'node:events'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { describe, expect, it } from 'vitest'
import { discord as platform } from '../../../src/edges/chat/discord/platform.ts'
import { systemClock } from '../../../src/lib/clock.ts'
import { escaped } from '../../support/chats/loopback-guard.ts'
import { fakeClock } from '../../support/fake-clock.ts'
import { connectAgain, never, openScene, outgoing, sent, type Scene } from './discord-harness.ts'

const route = platform.routes!.find(({ path }) => path === 'interactions')!

function ask({ credentials, inbox, discord, log }: Scene, body: Buffer, headers: object, clock = systemClock) {
  const instance = { id: 'i', name: 'discord' }
  const deps = { instance, credentials, endpoints: discord.endpoints, receiver: inbox, clock, log }
  return route.handle({ method: 'POST', headers: headers as Record<string, string>, body }, deps)
}

/** Serves the route, as a node does that is not connected itself. */
async function serve(scene: Scene) {
  const answer = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const chunks: Buffer[] = []
    for await (const chunk of request) chunks.push(chunk as Buffer)
    const { status, body, contentType } = await ask(scene, Buffer.concat(chunks), request.headers)
    response.writeHead(status, { 'content-type': contentType }).end(body)
  }
  const server = createServer((request, response) => void answer(request, response))
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  scene.discord.sendTo(`http://127.0.0.1:${(server.address() as AddressInfo).port}/chat/i/interactions`)
  return {
    async [Symbol.asyncDispose]() {
      server.closeAllConnections()
      server.close()
    },
  }
}

describe('interactions by HTTP', () => {
  it('clicks and commands are saved, then acknowledged, and answered by their token', async () => {
    await using scene = await openScene()
    await using _server = await serve(scene)
    const { discord, inbox, channel, connection } = scene
    const ann = discord.person('ann')
    const card = { title: 'Run?', tone: 'waiting' as const, lines: [], footer: null, mention: null }
    const buttons = [{ action: 'a:1:approve', label: 'Approve', style: 'primary' as const }]
    const thread = ann.startsThread(channel, 'work')
    const messageId = await sent(scene, outgoing(channel, { kind: 'card', card: { ...card, buttons } }, { thread }))
    expect(await ann.clicks(thread, messageId, 'Approve').acked).toBe(6)
    const click = await inbox.first('click')
    expect(click).toMatchObject({ chat: { id: channel }, thread, messageId, action: 'a:1:approve' })
    const command = ann.commands(channel, 'help')
    expect(await command.acked).toBe(5)
    expect(command.interaction.response).toEqual({ type: 5, data: { flags: 64 } })
    const { reply } = await inbox.first('command')
    const text = { kind: 'text' as const, text: 'help' }
    await connection.privately({ chat: channel, thread: null, handle: ann.id, reply }, text)
    expect(command.interaction.seen).toMatchObject([{ content: 'help', flags: 64 }])
    // The click was acknowledged by the answer, so a form is too late.
    const form = { action: 'a:1:reject', title: 'Reject', label: 'Why?', submit: 'Reject' }
    expect(await connection.openForm?.(form, { chat: channel, thread, messageId }, click.reply)).toMatchObject({
      kind: 'permanent',
    })
    expect(escaped).toEqual([])
  })

  it('waits for the commit, and a failed one is not acknowledged', async () => {
    await using scene = await openScene()
    await using _server = await serve(scene)
    const { discord, inbox, channel } = scene
    inbox.failNext(1)
    expect(await discord.person('ann').commands(channel, 'help').acked).toBe(0)
    expect(discord.answers).toEqual([{ status: 503, text: '' }])
    expect(inbox.events).toEqual([])
  })

  it('answers a ping, only if it is signed', async () => {
    await using scene = await openScene()
    const body = Buffer.from(JSON.stringify({ type: 1, id: '1' }))
    const signed = scene.discord.signed(body.toString())
    expect(await ask(scene, body, signed)).toEqual({ status: 200, body: '{"type":1}', contentType: 'application/json' })
    expect(await ask(scene, body, {})).toMatchObject({ status: 401, body: '' })
  })

  it('only what Discord signed in the last five minutes is read', async () => {
    await using scene = await openScene()
    const { discord, inbox } = scene
    const clock = fakeClock()
    const now = clock.now() / 1000
    const frame = { id: '5', token: 't', type: 2, channel_id: '6', user: { id: '7' }, data: { name: 'signalbox' } }
    const body = JSON.stringify(frame)
    const status = async (headers: object, text = body, on = scene) =>
      (await ask(on, Buffer.from(text), headers, clock)).status
    const good = discord.signed(body, now)
    expect(await status(good)).toBe(200)
    expect(await status(discord.signed(body, now - 299))).toBe(200)
    expect(await status(discord.signed(body, now - 301))).toBe(401)
    expect(await status(discord.signed(body, now + 301))).toBe(401)
    expect(await status(discord.signed(body, now, generateKeyPairSync('ed25519').privateKey))).toBe(401)
    expect(await status(good, `${body} `)).toBe(401)
    expect(await status({ ...good, 'x-signature-timestamp': String(now - 1) })).toBe(401)
    for (const signature of ['', 'zz', '0'.repeat(128)])
      expect(await status({ ...good, 'x-signature-ed25519': signature })).toBe(401)
    expect(await status({})).toBe(401)
    // Without a key nothing can be verified.
    for (const publicKey of ['', '00', 'f'.repeat(64)])
      expect(await status(good, body, { ...scene, credentials: { public_key: publicKey } })).toBe(401)
    expect(inbox.events).toHaveLength(1)
  })

  it.each(['{', 'null', '[]', '{"type":2}', '{"type":99}', `{"type":3,"data":${'['.repeat(9000)}`])(
    'hostile bodies are refused and left out: %.40s',
    async (text) => {
      await using scene = await openScene()
      const { discord, inbox } = scene
      expect(await ask(scene, Buffer.from(text), discord.signed(text))).toMatchObject({ status: 400 })
      expect(inbox.deliveries).toEqual([])
    },
  )
})

describe('setting up', () => {
  const check = (scene: Scene, credentials: Record<string, string>) =>
    platform.check(credentials, scene.discord.endpoints, never)

  it('says who we are', async () => {
    await using scene = await openScene()
    expect(await check(scene, scene.credentials)).toEqual({
      ok: true,
      self: { handle: scene.discord.guild.bot.id, name: 'signalbox', workspace: 'Emulated' },
      warnings: [],
    })
    expect(scene.discord.messages(scene.channel)).toEqual([])
  })

  it('says that the Message Content intent is missing, and what to do', async () => {
    await using scene = await openScene()
    scene.discord.settings.messageContent = false
    expect(await check(scene, scene.credentials)).toEqual({
      ok: false,
      message: 'The Message Content intent is turned off, so the bot cannot read messages.',
      hint: expect.stringContaining('Privileged Gateway Intents'),
      missing: ['Message Content'],
    })
    await using again = connectAgain(scene)
    await expect.poll(() => again.health().state).toBe('refused')
    expect(again.health().error).toContain('Message Content intent is turned off')
  })

  it.each([
    [{ bot_token: 'Bot a.b.c' }, 'This is not a bot token.'],
    [{ bot_token: '' }, 'This is not a bot token.'],
    [{ bot_token: 'a.wrong.token' }, 'Discord does not accept the bot token.'],
    [{ bot_token: 'MTQwMA.emulated.token', public_key: 'abc' }, 'This is not a public key.'],
    [
      { bot_token: 'MTQwMA.emulated.token', public_key: 'f'.repeat(64) },
      'The public key belongs to another application.',
    ],
  ])('refuses %j', async (credentials, message) => {
    await using scene = await openScene()
    const checked = await check(scene, credentials)
    expect(checked).toMatchObject({ ok: false, message })
    expect(JSON.stringify(checked)).not.toContain('wrong.token')
  })

  it('says that clicks go elsewhere if there is no key for them', async () => {
    await using scene = await openScene()
    scene.discord.settings.endpoint = 'https://signalbox.example.org/chat/i/interactions'
    expect(await check(scene, { bot_token: scene.discord.token })).toMatchObject({
      ok: false,
      message: expect.stringContaining('there is no public key'),
    })
    expect(await check(scene, scene.credentials)).toMatchObject({ ok: true })
  })

  it('says that Discord cannot be reached', async () => {
    const scene = await openScene()
    await scene.discord[Symbol.asyncDispose]()
    expect(await check(scene, scene.credentials)).toMatchObject({
      ok: false,
      message: expect.stringContaining("Discord can't be reached"),
    })
    await scene.connection[Symbol.asyncDispose]()
  })

  it('a bad token at the start is refused, and not tried again', async () => {
    await using scene = await openScene()
    const before = scene.discord.callsOf(/^GET \/users\/@me$/).length
    await using connection = connectAgain({ ...scene, credentials: { bot_token: 'a.wrong.token' } })
    await expect.poll(() => connection.health().state).toBe('refused')
    expect(scene.discord.callsOf(/^GET \/users\/@me$/).length - before).toBe(1)
    expect(scene.discord.gateway.opened()).toBe(1)
  })
})
