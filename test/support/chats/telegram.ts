import './loopback-guard.ts'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { createTelegramApi, Refused, type ClickAnswer } from './telegram-api.ts'
import { createTelegramPeople } from './telegram-people.ts'
import { createUpdates } from './telegram-updates.ts'
import { createWorld, type Args, type TelegramMessage } from './telegram-world.ts'

/** Something that goes wrong with the next calls of a method. */
export type TelegramFault = {
  method: string
  /** Only calls with such arguments. */
  matches?: (args: Args) => boolean
  times?: number
  code?: number
  description?: string
  retryAfter?: number
  /** An answer that is not Telegram's. */
  raw?: { status: number; body: string }
  /** The connection breaks before Telegram has done it, or after. */
  drop?: 'before' | 'after'
  /** The answer comes when this resolves; what was asked for is done already. */
  hold?: Promise<unknown>
}

export type TelegramCall = { method: string; args: Args }
export type TelegramOptions = {
  firstUpdate?: number
  /** When an update that a webhook did not accept comes again. */
  retryMs?: number
}
export type EmulatedTelegram = Awaited<ReturnType<typeof openTelegram>>

/**
 * Telegram's Bot API on loopback, made from its public documentation; no frame was ever seen on the real platform. It
 * checks the token, keeps the documented limits, reads HTML strictly, sends again what is not confirmed, and fails on
 * demand.
 */
export async function openTelegram({ firstUpdate = 1000, retryMs = 20 }: TelegramOptions = {}) {
  let token = '42:emulated-secret_token'
  const world = createWorld()
  const updates = createUpdates(firstUpdate, retryMs)
  const calls: TelegramCall[] = []
  const faults: TelegramFault[] = []
  const answers: ClickAnswer[] = []
  const openClicks = new Set<string>()
  let isRevoked = false

  const api = createTelegramApi(world, answers, (id) => openClicks.delete(id))
  const methods: Record<string, (args: Args) => unknown> = {
    ...api,
    getUpdates: updates.getUpdates,
    setWebhook: updates.setWebhook,
    deleteWebhook: updates.deleteWebhook,
  }

  async function serve(incoming: IncomingMessage, response: ServerResponse): Promise<void> {
    const args = await argsOf(incoming)
    const { pathname } = new URL(incoming.url ?? '/', 'http://localhost')
    const [, given = '', method = ''] = /^\/(?:file\/)?bot([^/]+)\/(.*)$/.exec(pathname) ?? []
    const isFile = pathname.startsWith('/file/')
    const name = isFile ? 'file' : method
    calls.push({ method: name, args })
    const refuse = (code: number, description: string, more: object = {}) => {
      const body = JSON.stringify({ ok: false, error_code: code, description, ...more })
      response.writeHead(code, { 'content-type': 'application/json' }).end(body)
    }

    const fault = takeFault(faults, name, args)
    if (fault?.drop === 'before') return void incoming.socket.destroy()
    if (fault?.raw) return void response.writeHead(fault.raw.status, { location: '/login' }).end(fault.raw.body)
    if (fault?.code === 429) {
      const retry = fault.retryAfter ?? 1
      return refuse(429, `Too Many Requests: retry after ${retry}`, { parameters: { retry_after: retry } })
    }
    if (fault?.code) return refuse(fault.code, fault.description ?? 'Bad Gateway')

    if (isRevoked || given !== token) return refuse(401, 'Unauthorized')
    if (isFile) {
      const stored = [...world.files.values()].find(({ path }) => path === method)
      return stored ? void response.writeHead(200).end(stored.bytes) : refuse(404, 'Not Found')
    }
    const run = methods[method]
    if (!run) return refuse(404, 'Not Found')
    try {
      const result = await run(args)
      await fault?.hold
      if (fault?.drop === 'after') return void incoming.socket.destroy()
      const body = JSON.stringify({ ok: true, result })
      response.writeHead(200, { 'content-type': 'application/json' }).end(body)
    } catch (error) {
      if (!(error instanceof Refused)) throw error
      refuse(error.code, error.message)
    }
  }

  const server = createServer((incoming, response) => {
    serve(incoming, response).catch((error: unknown) => response.writeHead(500).end(String(error)))
  })
  await new Promise<void>((resolve) => {
    server.listen(0, '127.0.0.1', resolve)
  })
  const people = createTelegramPeople({ world, deliver: updates.deliver, openClicks })
  let lastGroup = 0

  return {
    endpoints: { api: `http://127.0.0.1:${(server.address() as AddressInfo).port}` },
    get token() {
      return token
    },
    world,
    updates,
    calls,
    answers,
    person: people.person,
    deliver: updates.deliver,
    /** A chat with our bot in it. */
    group(title: string, type: 'group' | 'supergroup' = 'supergroup', isForum = false): string {
      lastGroup += 1
      const id = Number(`-${type === 'supergroup' ? '100' : ''}${5000 + lastGroup}`)
      return String(world.addChat({ id, type, title, ...(isForum && { is_forum: true }) }).chat.id)
    },
    /** A topic of a forum. Its beginning is a message of its own. */
    topic(chat: string): number {
      const record = world.chats.get(Number(chat))
      if (!record) throw new Error(`no chat ${chat}`)
      const { message_id: id } = world.addMessage(record, world.self, { text: 'topic created' })
      record.topics.add(id)
      return id
    },
    callsOf: (method: string) => calls.filter((call) => call.method === method),
    fail: (fault: TelegramFault) => void faults.push(fault),
    revoke(): void {
      isRevoked = true
    },
    /** A new token, as BotFather gives after a revocation. */
    renew(): string {
      isRevoked = false
      token = `${token}2`
      return token
    },
    messages: (chat: string): TelegramMessage[] => world.chats.get(Number(chat))?.messages ?? [],
    ours: (chat: string): TelegramMessage[] =>
      (world.chats.get(Number(chat))?.messages ?? []).filter(({ from }) => from.id === world.self.id),
    async [Symbol.asyncDispose]() {
      updates.close()
      server.closeAllConnections()
      await new Promise((resolve) => {
        server.close(resolve)
      })
    },
  }
}

async function argsOf(incoming: IncomingMessage): Promise<Args> {
  const chunks: Buffer[] = []
  for await (const chunk of incoming) chunks.push(chunk as Buffer)
  const body = Buffer.concat(chunks)
  const type = incoming.headers['content-type'] ?? ''
  if (type.includes('json')) return body.length === 0 ? {} : (JSON.parse(body.toString()) as Args)
  if (!type.startsWith('multipart/form-data')) return {}
  const form = await new Response(new Uint8Array(body), { headers: { 'content-type': type } }).formData()
  const args: Args = {}
  for (const [name, value] of form)
    if (typeof value !== 'string') args[name] = { name: value.name, bytes: Buffer.from(await value.arrayBuffer()) }
    else args[name] = name === 'reply_parameters' || name === 'reply_markup' ? (JSON.parse(value) as unknown) : value
  return args
}

function takeFault(faults: TelegramFault[], method: string, args: Args): TelegramFault | undefined {
  const fault = faults.find((one) => one.method === method && (one.matches?.(args) ?? true))
  if (!fault) return undefined
  fault.times = (fault.times ?? 1) - 1
  if (fault.times <= 0) faults.splice(faults.indexOf(fault), 1)
  return fault
}
