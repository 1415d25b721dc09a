import './loopback-guard.ts'
import { createHmac, randomUUID } from 'node:crypto'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { until } from '../until.ts'
import { createApi, type ApiDeps, type Args, type Caller, type SlackView, type Trigger } from './slack-api.ts'
import { createSlackPeople } from './slack-people.ts'
import { createSlackSockets } from './slack-sockets.ts'
import { botUser, createWorkspace, teamId, appId, type ChannelKind, type SlackMessage } from './slack-workspace.ts'

/** Something that goes wrong with the next calls of a method. */
export type SlackFault = {
  method: string
  /** Only calls with such arguments. */
  matches?: (args: Args) => boolean
  times?: number
  status?: number
  retryAfter?: number
  error?: string
  /** The connection breaks before Slack has done it, or after. */
  drop?: 'before' | 'after'
  /** The answer comes when this resolves; what was asked for is done already. */
  hold?: Promise<unknown>
}

export type SlackCall = { method: string; args: Args; token: string }

export type SlackOptions = {
  /** When an event that was not acknowledged comes again. Slack: at once, after 1 and after 5 minutes. */
  retryMs?: readonly number[]
}

export const allScopes = (
  'app_mentions:read channels:history groups:history im:history mpim:history channels:read groups:read im:read ' +
  'mpim:read im:write chat:write commands users:read files:read files:write reactions:read reactions:write ' +
  'metadata.message:read'
).split(' ')

export type EmulatedSlack = Awaited<ReturnType<typeof openSlack>>

/**
 * A Slack workspace on loopback, made from Slack's public documentation; no frame was ever seen on the real platform.
 * It checks tokens and scopes, keeps Slack's limits, sends again what is not acknowledged, and fails on demand.
 */
export async function openSlack({ retryMs = [1500, 4000, 10_000] }: SlackOptions = {}) {
  const workspace = createWorkspace()
  const tokens = { bot: 'xoxb-emulated', app: 'xapp-1-A1-emulated', signingSecret: 'shh-emulated' }
  const scopes = new Set(allScopes)
  const revoked = new Set<string>()
  const calls: SlackCall[] = []
  const faults: SlackFault[] = []
  const triggers = new Map<string, Trigger>()
  const views: SlackView[] = []
  const ephemerals: ApiDeps['ephemerals'] = []
  /** What was sent to response URLs. */
  const responses: { token: string; body: Args }[] = []
  let requestUrl: string | null = null

  const origin = () => `http://127.0.0.1:${(server.address() as AddressInfo).port}`

  const event = (inner: Record<string, unknown>) => ({
    type: 'event_callback',
    token: 'legacy',
    team_id: teamId,
    api_app_id: appId,
    event_id: `Ev${randomUUID().slice(0, 8).toUpperCase()}`,
    event_time: Math.floor(Date.now() / 1000),
    event: inner,
    authorizations: [{ enterprise_id: null, team_id: teamId, user_id: botUser, is_bot: true }],
    is_ext_shared_channel: false,
    event_context: 'context',
  })

  const deliver = (type: 'events_api' | 'interactive' | 'slash_commands', payload: Record<string, unknown>) =>
    requestUrl === null ? sockets.push(type, payload) : request(requestUrl, type, payload)
  const emit = (inner: Record<string, unknown>) => deliver('events_api', event(inner))

  const api = createApi({ workspace, origin, emit: (inner) => void emit(inner), triggers, views, ephemerals })

  /** An HTTP request to the app, signed as Slack does, and repeated until it is answered with 200. */
  function request(url: string, type: string, payload: Record<string, unknown>) {
    const isEvent = type === 'events_api'
    const form = type === 'interactive' ? { payload: JSON.stringify(payload) } : (payload as Record<string, string>)
    const body = isEvent ? JSON.stringify(payload) : new URLSearchParams(form).toString()
    const attempt = async (number: number): Promise<number> => {
      const headers = {
        ...signed(body),
        'content-type': isEvent ? 'application/json' : 'application/x-www-form-urlencoded',
      }
      const again = { 'x-slack-retry-num': String(number), 'x-slack-retry-reason': 'http_error' }
      const status = await fetch(url, { method: 'POST', headers: { ...headers, ...(number > 0 && again) }, body })
        .then((response) => response.status)
        .catch(() => 0)
      return status === 200 || !isEvent || number >= retryMs.length ? status : attempt(number + 1)
    }
    const acked = attempt(0)
    return { acked, id: String(payload['event_id'] ?? payload['trigger_id']) }
  }

  function signed(body: string, at = Math.floor(Date.now() / 1000), secret = tokens.signingSecret) {
    const signature = createHmac('sha256', secret).update(`v0:${at}:${body}`).digest('hex')
    return { 'x-slack-request-timestamp': String(at), 'x-slack-signature': `v0=${signature}` }
  }

  function callerOf(token: string): Caller | string {
    if (token === '') return 'not_authed'
    if (revoked.has(token)) return 'token_revoked'
    if (token === tokens.bot) return { user: botUser, isApp: true, scopes }
    const person = [...workspace.people.values()].find((one) => one.token === token)
    return person ? { user: person.id, isApp: false, scopes } : 'invalid_auth'
  }

  function answerTo(method: string, token: string, args: Args) {
    if (method === 'apps.connections.open') {
      if (revoked.has(token) || token !== tokens.app) return { ok: false, error: token ? 'invalid_auth' : 'not_authed' }
      return { ok: true, url: sockets.ticket(origin().replace('http', 'ws')) }
    }
    const caller = callerOf(token)
    return typeof caller === 'string' ? { ok: false, error: caller } : api(caller, method, args)
  }

  async function serve(incoming: IncomingMessage, response: ServerResponse): Promise<void> {
    const body = await bodyOf(incoming)
    const { pathname } = new URL(incoming.url ?? '/', origin())
    const token = (incoming.headers.authorization ?? '').replace(/^Bearer /, '')
    const json = (status: number, value: unknown, headers: Record<string, string> = {}) =>
      response.writeHead(status, { 'content-type': 'application/json', ...headers }).end(JSON.stringify(value))
    const [, folder = '', id = ''] = pathname.split('/')
    const method = folder === 'api' ? id : folder
    const args = folder === 'api' ? argsOf(incoming, body) : {}
    calls.push({ method, args, token })

    const fault = takeFault(faults, method, args)
    if (fault?.drop === 'before') return void incoming.socket.destroy()
    if (fault?.status === 429)
      return void json(429, { ok: false, error: 'ratelimited' }, { 'retry-after': String(fault.retryAfter ?? 1) })
    if (fault?.status) return void response.writeHead(fault.status, { location: '/login' }).end('<html>error</html>')
    if (fault?.error) return void json(200, { ok: false, error: fault.error })

    if (folder === 'api') {
      const answer = answerTo(method, token, args)
      await fault?.hold
      if (fault?.drop === 'after') return void incoming.socket.destroy()
      return void json(200, answer, token === tokens.bot ? { 'x-oauth-scopes': [...scopes].join(',') } : {})
    }
    const stored = workspace.files.get(id)
    if (folder === 'upload' && stored) {
      stored.bytes = body
      return void response.writeHead(200).end('OK')
    }
    if (folder === 'files' && stored) {
      // Without a valid token, Slack answers with its login page.
      if (typeof callerOf(token) === 'string') return void response.writeHead(302, { location: '/login' }).end()
      return void response.writeHead(200, { 'content-type': stored.file.mimetype }).end(stored.bytes)
    }
    if (folder === 'respond') {
      responses.push({ token: id, body: JSON.parse(body.toString()) as Args })
      return void response.writeHead(200).end('ok')
    }
    response.writeHead(folder === 'login' ? 200 : 404).end('<html>Log in</html>')
  }

  const server = createServer((incoming, response) => {
    serve(incoming, response).catch((error: unknown) => response.writeHead(500).end(String(error)))
  })
  const sockets = createSlackSockets(server, retryMs)
  await new Promise<void>((resolve) => {
    server.listen(0, '127.0.0.1', resolve)
  })
  const people = createSlackPeople({ workspace, origin, deliver, event, triggers, views })

  return {
    endpoints: { api: `${origin()}/api/` },
    tokens,
    scopes,
    revoked,
    calls,
    faults,
    views,
    ephemerals,
    responses,
    sockets,
    workspace,
    botUser,
    deliver,
    emit,
    signed,
    person: people.person,
    /** A channel with our bot in it, unless it says otherwise. */
    channel(name: string, kind: ChannelKind = 'channel', members: readonly string[] = [botUser]): string {
      return workspace.addChannel(name, kind, members).id
    },
    callsOf: (method: string) => calls.filter((call) => call.method === method),
    fail: (fault: SlackFault) => void faults.push(fault),
    /** Events go to this address by HTTP, not by Socket Mode. */
    sendTo(url: string): void {
      requestUrl = url
    },
    messages: (channel: string): SlackMessage[] => workspace.channels.get(channel)?.messages ?? [],
    thread: (channel: string, ts: string): SlackMessage[] =>
      (workspace.channels.get(channel)?.messages ?? []).filter((one) => one.thread_ts === ts && one.ts !== ts),
    connected: (count = 1) => until(() => sockets.ready() >= count, { what: `${count} connections` }),
    async [Symbol.asyncDispose]() {
      sockets.close()
      server.closeAllConnections()
      await new Promise((resolve) => {
        server.close(resolve)
      })
    },
  }
}

async function bodyOf(incoming: IncomingMessage): Promise<Buffer> {
  const chunks: Buffer[] = []
  for await (const chunk of incoming) chunks.push(chunk as Buffer)
  return Buffer.concat(chunks)
}

function argsOf(incoming: IncomingMessage, body: Buffer): Args {
  if (body.length === 0) return {}
  if ((incoming.headers['content-type'] ?? '').startsWith('application/json'))
    return JSON.parse(body.toString()) as Args
  return Object.fromEntries(new URLSearchParams(body.toString()))
}

function takeFault(faults: SlackFault[], method: string, args: Args): SlackFault | undefined {
  const fault = faults.find((one) => one.method === method && (one.matches?.(args) ?? true))
  if (!fault) return undefined
  fault.times = (fault.times ?? 1) - 1
  if (fault.times <= 0) faults.splice(faults.indexOf(fault), 1)
  return fault
}
