import { generateKeyPairSync, sign } from 'node:crypto'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { until } from '../until.ts'
import { createDiscordGateway } from './discord-gateway.ts'
import { createGuild, type DiscordMessage } from './discord-guild.ts'
import { createDiscordPeople } from './discord-people.ts'
import { createDiscordRest, type Interaction, type RestBody, type RestDeps, type Uploaded } from './discord-rest.ts'

/** Something that goes wrong with the next calls. */
export type DiscordFault = {
  /** Matches `POST /channels/1/messages`. */
  call: RegExp | { test(call: string): boolean }
  times?: number
  status?: number
  code?: number
  /** In seconds. */
  retryAfter?: number
  global?: boolean
  /** The connection breaks before Discord has done it, or after. */
  drop?: 'before' | 'after'
  /** The answer comes when this resolves; what was asked for is done already. */
  hold?: Promise<unknown>
}
export type DiscordCall = { call: string; body: RestBody; files: Uploaded[]; authorization: string; agent: string }
export type DiscordOptions = { heartbeatMs?: number }
export type EmulatedDiscord = Awaited<ReturnType<typeof openDiscord>>

/**
 * A Discord server on loopback, made from Discord's public documentation; no frame was ever seen on the real platform.
 * It checks the token, keeps Discord's limits, replays what a resumed session missed, refuses late and second responses
 * to interactions, and fails on demand.
 */
export async function openDiscord({ heartbeatMs = 41_250 }: DiscordOptions = {}) {
  const guild = createGuild()
  let token = 'MTQwMA.emulated.token'
  const keys = generateKeyPairSync('ed25519')
  const publicKey = keys.publicKey.export({ format: 'der', type: 'spki' }).subarray(-32).toString('hex')
  const settings: RestDeps['settings'] = {
    messageContent: true,
    remaining: 1000,
    keepsNonces: true,
    verifyKey: publicKey,
    endpoint: null,
  }
  const revoked = new Set<string>()
  const calls: DiscordCall[] = []
  const faults: DiscordFault[] = []
  const interactions = new Map<string, Interaction>()
  const commands: RestDeps['commands'] = []
  /** Status and text of answers to HTTP interactions. */
  const answers: { status: number; text: string }[] = []
  let requestUrl: string | null = null

  const origin = () => `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  const accepts = (given: string): boolean => given === token && !revoked.has(given)
  const emit = (type: string, data: unknown): void => gateway.emit(type, data)
  const rest = createDiscordRest({ guild, origin, emit, interactions, commands, settings })

  function signed(body: string, at = Math.floor(Date.now() / 1000), key = keys.privateKey) {
    const signature = sign(null, Buffer.from(`${at}${body}`), key).toString('hex')
    return { 'x-signature-timestamp': String(at), 'x-signature-ed25519': signature }
  }

  /** Resolves with the type of the first response, by callback or by HTTP; 0 if there is none. */
  async function deliver(interaction: Interaction, frame: object): Promise<number> {
    if (requestUrl === null) {
      emit('INTERACTION_CREATE', frame)
      const responded = await until(() => interaction.response, { what: 'a response to an interaction' })
      return responded.type
    }
    const body = JSON.stringify(frame)
    const headers = { ...signed(body), 'content-type': 'application/json' }
    const response = await fetch(requestUrl, { method: 'POST', headers, body })
    const text = await response.text()
    answers.push({ status: response.status, text })
    if (!response.ok) return 0
    rest.receiveResponse(interaction, JSON.parse(text) as { type: number })
    return interaction.response?.type ?? 0
  }

  async function serve(incoming: IncomingMessage, response: ServerResponse): Promise<void> {
    const { pathname, searchParams: query } = new URL(incoming.url ?? '/', origin())
    const { body, files } = await bodyOf(incoming)
    const file = guild.files.get(pathname)
    const path = pathname.replace(/^\/api\/v10/, '')
    const call = `${incoming.method} ${path}`
    const { authorization = '', 'user-agent': agent = '' } = incoming.headers
    calls.push({ call, body, files, authorization, agent })
    const json = (status: number, value: unknown, headers: Record<string, string> = {}) =>
      response.writeHead(status, { 'content-type': 'application/json', ...headers }).end(JSON.stringify(value))

    const fault = takeFault(faults, call)
    if (fault?.drop === 'before') return void incoming.socket.destroy()
    if (fault?.status === 429) {
      const { retryAfter = 1, global = false } = fault
      const limited = { message: 'You are being rate limited.', retry_after: retryAfter, global }
      return void json(429, limited, { 'retry-after': String(Math.ceil(retryAfter)) })
    }
    if (fault?.status && fault.code === undefined) return void response.writeHead(fault.status).end('<html></html>')
    if (fault?.status) return void json(fault.status, { message: 'fault', code: fault.code })

    if (file) return void response.writeHead(200, { 'content-type': 'text/plain' }).end(file)
    const isOpen = /^\/(?:interactions|webhooks|cdn)\//.test(path)
    if (!isOpen && !accepts(authorization.replace(/^Bot /, '')))
      return void json(401, { message: '401: Unauthorized', code: 0 })
    const answer = rest.call(incoming.method ?? '', path, { body, files, query })
    await fault?.hold
    if (fault?.drop === 'after') return void incoming.socket.destroy()
    if (answer.body === undefined) return void response.writeHead(answer.status).end()
    json(answer.status, answer.body)
  }

  const server = createServer((incoming, response) => {
    serve(incoming, response).catch((error: unknown) => response.writeHead(500).end(String(error)))
  })
  const gateway = createDiscordGateway({
    server,
    heartbeatMs,
    origin: () => origin().replace('http', 'ws'),
    accepts,
    readsMessages: () => settings.messageContent,
    ready: () => ({ user: guild.bot, application: { id: guild.appId, flags: 1 << 19 }, guilds: [{ id: guild.id }] }),
    guild: () => ({
      id: guild.id,
      name: 'Emulated',
      channels: [...guild.channels.values()].filter(({ type }) => type === 0),
      threads: [...guild.channels.values()].filter(({ type }) => type > 9),
      member_count: guild.people.size,
    }),
  })
  await new Promise<void>((resolve) => {
    server.listen(0, '127.0.0.1', resolve)
  })

  return {
    endpoints: { api: `${origin()}/api/v10/` },
    get token() {
      return token
    },
    /** Resets it, as the developer portal does: the old one is refused. */
    renew(): string {
      token = `${token}2`
      return token
    },
    publicKey,
    settings,
    revoked,
    calls,
    interactions,
    commands,
    answers,
    gateway,
    guild,
    rest,
    emit,
    signed,
    person: createDiscordPeople({ guild, rest: () => rest, emit, interactions, deliver }),
    channel: (name: string, more: { hidden?: boolean } = {}): string => {
      const channel = guild.addChannel({ type: 0, name, ...more })
      emit('CHANNEL_CREATE', channel)
      return channel.id
    },
    callsOf: (pattern: RegExp) => calls.filter(({ call }) => pattern.test(call)),
    fail: (fault: DiscordFault) => void faults.push(fault),
    /** Interactions go to this address by HTTP, not by the gateway. */
    sendTo(url: string): void {
      requestUrl = url
    },
    messages: (channel: string): DiscordMessage[] => guild.in(channel),
    async [Symbol.asyncDispose]() {
      gateway.close()
      server.closeAllConnections()
      await new Promise((resolve) => {
        server.close(resolve)
      })
    },
  }
}

/** JSON, or a form with JSON and files. */
async function bodyOf(incoming: IncomingMessage): Promise<{ body: RestBody; files: Uploaded[] }> {
  const chunks: Buffer[] = []
  for await (const chunk of incoming) chunks.push(chunk as Buffer)
  const bytes = Buffer.concat(chunks)
  const type = incoming.headers['content-type'] ?? ''
  if (bytes.length === 0) return { body: {}, files: [] }
  if (!type.startsWith('multipart/form-data')) return { body: JSON.parse(bytes.toString()) as RestBody, files: [] }
  const form = await new Response(new Uint8Array(bytes), { headers: { 'content-type': type } }).formData()
  const files: Uploaded[] = []
  for (const [name, value] of form)
    if (/^files\[\d\]$/.test(name) && typeof value !== 'string')
      files.push({ name: value.name, bytes: Buffer.from(await value.arrayBuffer()) })
  return { body: JSON.parse(form.get('payload_json') as string) as RestBody, files }
}

function takeFault(faults: DiscordFault[], call: string): DiscordFault | undefined {
  const fault = faults.find((one) => one.call.test(call))
  if (!fault) return undefined
  fault.times = (fault.times ?? 1) - 1
  if (fault.times <= 0) faults.splice(faults.indexOf(fault), 1)
  return fault
}
