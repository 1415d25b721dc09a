import { once } from 'node:events'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'

/** The part of Telegram's Bot API that the adapter of the Chat SDK uses, on loopback. Written from the public reference. */

type Args = Record<string, unknown>
type Update = { update_id: number } & Record<string, unknown>
type Fault = { method: string; status: number; retryAfter?: number; drop?: true }
export type SentMessage = {
  message_id: number
  text: string
  chat_id: string
  reply_markup?: unknown
  document?: string
}

export async function openBotApi({ token = '42:secret' } = {}) {
  const me = { id: 42, is_bot: true, first_name: 'Signalbox', username: 'signalbox_bot' }
  const queue: Update[] = []
  const sent = new Map<number, SentMessage>()
  const calls: { method: string; args: Args }[] = []
  const faults: Fault[] = []
  let [lastUpdate, lastMessage] = [1000, 0]
  let wake = () => {}

  const chatOf = (id: string) =>
    id.startsWith('-')
      ? { id: Number(id), type: 'supergroup', title: 'ops' }
      : { id: Number(id), type: 'private', first_name: 'Ann' }
  const shown = ({ message_id, text, chat_id, reply_markup }: SentMessage) => ({
    message_id,
    from: me,
    chat: chatOf(chat_id),
    date: 1_767_225_600,
    text,
    ...(reply_markup !== undefined && { reply_markup }),
  })
  const post = (args: Args, text: string, document?: string) => {
    const message: SentMessage = {
      message_id: (lastMessage += 1),
      text,
      chat_id: String(args['chat_id']),
      reply_markup: args['reply_markup'],
      ...(document !== undefined && { document }),
    }
    sent.set(message.message_id, message)
    return shown(message)
  }

  const methods: Record<string, (args: Args, response: ServerResponse) => unknown> = {
    getMe: () => me,
    deleteWebhook: () => true,
    getWebhookInfo: () => ({ url: '' }),
    answerCallbackQuery: () => true,
    setMessageReaction: () => true,
    sendChatAction: () => true,
    async getUpdates({ offset, timeout }, response) {
      if (typeof offset === 'number') while (queue[0] && queue[0].update_id < offset) queue.shift()
      if (queue.length === 0 && Number(timeout) > 0)
        await new Promise<void>((resolve) => {
          wake = resolve
          response.once('close', resolve)
        })
      return [...queue]
    },
    sendMessage: (args) => post(args, String(args['text'])),
    sendDocument: (args) => post(args, '', String(args['document'])),
    editMessageText(args) {
      const message = sent.get(Number(args['message_id']))
      if (!message) throw new Refusal(400, 'Bad Request: message to edit not found')
      message.text = String(args['text'])
      message.reply_markup = args['reply_markup']
      return shown(message)
    },
    getChat: ({ chat_id }) => chatOf(String(chat_id)),
  }

  class Refusal extends Error {
    readonly status: number
    constructor(status: number, message: string) {
      super(message)
      this.status = status
    }
  }

  async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const [, given, method = ''] = /^\/bot([^/]+)\/(\w+)$/.exec(request.url ?? '') ?? []
    const args = await argsOf(request)
    if (method !== 'getUpdates') calls.push({ method, args })
    const reply = (status: number, body: object) =>
      response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body))
    const refuse = (status: number, description: string, more: object = {}) =>
      reply(status, { ok: false, error_code: status, description, ...more })
    if (given !== token) return void refuse(401, 'Unauthorized')
    const at = faults.findIndex((fault) => fault.method === method)
    const [fault] = at < 0 ? [] : faults.splice(at, 1)
    if (fault?.drop) return void request.socket.destroy()
    if (fault)
      return void refuse(fault.status, `fault ${fault.status}`, { parameters: { retry_after: fault.retryAfter } })
    try {
      const found = methods[method]
      if (!found) return void refuse(404, 'Not Found')
      reply(200, { ok: true, result: await found(args, response) })
    } catch (error) {
      if (!(error instanceof Refusal)) throw error
      refuse(error.status, error.message)
    }
  }

  const server = createServer((request, response) => void answer(request, response))
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')

  function update(of: Record<string, unknown>): Update {
    const made = { update_id: (lastUpdate += 1), ...of }
    queue.push(made)
    wake()
    return made
  }
  const ann = { id: 101, is_bot: false, first_name: 'Ann', username: 'ann' }
  const said = (text: string, chat: string, id = (lastMessage += 1)) => ({
    message_id: id,
    from: ann,
    chat: chatOf(chat),
    date: 1_767_225_600,
    text,
    entities: [...text.matchAll(/(^\/\w+)|(@\w+)/g)].map((found) => ({
      type: found[1] ? 'bot_command' : 'mention',
      offset: found.index,
      length: found[0].length,
    })),
  })
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    token,
    queue,
    calls,
    faults,
    sent: () => [...sent.values()],
    said,
    say: (text: string, chat = '-100') => update({ message: said(text, chat) }),
    edit: (text: string, id: number, chat = '-100') => update({ edited_message: said(text, chat, id) }),
    click(message: SentMessage, data: string) {
      return update({
        callback_query: { id: `q${lastUpdate}`, from: ann, message: shown(message), chat_instance: 'c', data },
      })
    },
    async [Symbol.asyncDispose]() {
      wake()
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}
export type BotApi = Awaited<ReturnType<typeof openBotApi>>

async function argsOf(request: IncomingMessage): Promise<Args> {
  const chunks: Buffer[] = []
  for await (const chunk of request) chunks.push(chunk as Buffer)
  const body = Buffer.concat(chunks)
  const type = request.headers['content-type'] ?? ''
  if (type.includes('json')) return body.length === 0 ? {} : (JSON.parse(body.toString()) as Args)
  if (!type.includes('multipart')) return {}
  const form = await new Response(body, { headers: { 'content-type': type } }).formData()
  const fields = await Promise.all(
    [...form].map(async ([name, value]) => [
      name,
      typeof value === 'string' ? value : `${value.name}: ${await value.text()}`,
    ]),
  )
  return Object.fromEntries(fields) as Args
}
