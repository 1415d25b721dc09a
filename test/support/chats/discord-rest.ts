import {
  messageProblem,
  nextId,
  type DiscordChannel,
  type DiscordComponent,
  type DiscordEmbed,
  type DiscordMessage,
  type Guild,
} from './discord-guild.ts'

export type Uploaded = { name: string; bytes: Buffer }
export type RestBody = {
  content?: string
  embeds?: DiscordEmbed[]
  components?: DiscordComponent[]
  flags?: number
  nonce?: string
  enforce_nonce?: boolean
  allowed_mentions?: { parse?: unknown[]; users?: string[] }
  message_reference?: { message_id: string; fail_if_not_exists?: boolean }
  name?: string
  recipient_id?: string
  type?: number
  data?: RestBody & { custom_id?: string; title?: string; components?: unknown[] }
}
export type RestAnswer = { status: number; body?: unknown }

/** A click, command or form, and what we said to it. */
export type Interaction = {
  id: string
  token: string
  user: string
  channel: string
  type: number
  at: number
  message?: DiscordMessage
  /** The first response, by callback or by HTTP. */
  response?: { type: number; data?: NonNullable<RestBody['data']> }
  respondedMs?: number
  /** What the person alone sees, in order. The first one may have been edited. */
  seen: RestBody[]
}

export class DiscordError extends Error {
  readonly status: number
  readonly code: number
  constructor(status: number, code: number, message: string) {
    super(message)
    this.status = status
    this.code = code
  }
}
const fail = (status: number, code: number, message: string): never => {
  throw new DiscordError(status, code, message)
}

export type RestDeps = {
  guild: Guild
  origin(): string
  emit(type: string, data: unknown): void
  interactions: Map<string, Interaction>
  commands: { name: string; description: string; options: { name: string }[] }[]
  settings: {
    messageContent: boolean
    remaining: number
    keepsNonces: boolean
    verifyKey: string
    endpoint: string | null
  }
}

type Call = { params: string[]; body: RestBody; files: Uploaded[]; query: URLSearchParams }
type Route = readonly [method: string, path: RegExp, run: (call: Call) => unknown]

/** Discord's REST API, version 10, as far as we use it. */
export function createDiscordRest({ guild, origin, emit, interactions, commands, settings }: RestDeps) {
  /** Messages by nonce, for the "few minutes" that Discord compares them. */
  const recent = new Map<string, DiscordMessage>()

  function channelOf(id = ''): DiscordChannel {
    const channel = guild.channels.get(id) ?? fail(404, 10003, 'Unknown Channel')
    return channel.hidden ? fail(403, 50001, 'Missing Access') : channel
  }
  function messageOf(channel: string | undefined, id = ''): DiscordMessage {
    return guild.message(channelOf(channel).id, id) ?? fail(404, 10008, 'Unknown Message')
  }
  function check(body: RestBody, files: readonly Uploaded[]): void {
    const problem = messageProblem(body, files.length)
    if (problem === 'Cannot send an empty message') fail(400, 50006, problem)
    if (problem) fail(400, 50035, `Invalid Form Body: ${problem}`)
    if (files.some(({ bytes }) => bytes.length > 10 * 1024 * 1024)) fail(413, 40005, 'Request entity too large')
  }

  /** History may not show nonces. */
  const inHistory = ({ nonce, allowed: _allowed, ...message }: DiscordMessage) =>
    settings.keepsNonces && nonce ? { ...message, nonce } : message

  function post({ params: [id], body, files }: Call) {
    const channel = channelOf(id)
    check(body, files)
    const before = body.enforce_nonce && body.nonce ? recent.get(body.nonce) : undefined
    if (before) return before
    const reference = body.message_reference
    if (reference && !reference.fail_if_not_exists && !guild.message(channel.id, reference.message_id))
      if (reference.fail_if_not_exists !== false) fail(400, 50035, 'Invalid Form Body: Unknown message')
    const isReply = reference !== undefined && guild.message(channel.id, reference.message_id) !== undefined
    const message = guild.add({
      channel_id: channel.id,
      author: guild.bot,
      content: (body.content ?? '').trim(),
      embeds: body.embeds ?? [],
      components: body.components ?? [],
      flags: body.flags ?? 0,
      ...(body.nonce !== undefined && { nonce: body.nonce }),
      ...(isReply && {
        type: 19,
        message_reference: { type: 0, message_id: reference.message_id, channel_id: channel.id },
      }),
      allowed: body.allowed_mentions,
      attachments: files.map(({ name, bytes }) => attach(channel.id, name, bytes)),
    })
    if (message.nonce !== undefined) recent.set(message.nonce, message)
    emit('MESSAGE_CREATE', { ...message, guild_id: channel.guild_id })
    return message
  }

  function attach(channel: string, name: string, bytes: Buffer) {
    const id = nextId()
    const path = `/cdn/attachments/${channel}/${id}/${encodeURIComponent(name)}`
    guild.files.set(path, bytes)
    return { id, filename: name, size: bytes.length, content_type: 'text/plain', url: `${origin()}${path}?ex=1&hm=2` }
  }

  function edit({ params: [channel, id], body, files }: Call) {
    const message = messageOf(channel, id)
    if (message.author.id !== guild.bot.id) fail(403, 50005, 'Cannot edit a message authored by another user')
    const { content, embeds, components, flags } = body
    // What is left out stays.
    const changed = {
      ...(content !== undefined && { content }),
      ...(embeds !== undefined && { embeds }),
      ...(components !== undefined && { components }),
      ...(flags !== undefined && { flags }),
    }
    check({ ...message, ...changed }, files)
    Object.assign(message, changed, { allowed: body.allowed_mentions })
    emit('MESSAGE_UPDATE', { ...message, edited_timestamp: new Date().toISOString() })
    return message
  }

  function startThread({ params: [channel, id], body }: Call) {
    const parent = channelOf(channel)
    if (parent.type !== 0) fail(400, 50024, 'Cannot execute action on this channel type')
    const message = messageOf(parent.id, id)
    if (guild.channels.has(message.id)) fail(400, 160004, 'A thread has already been created for this message')
    if (!body.name || body.name.length > 100) fail(400, 50035, 'Invalid Form Body: name')
    const thread = guild.addChannel({ id: message.id, type: 11, name: body.name ?? '', parent_id: parent.id })
    emit('THREAD_CREATE', thread)
    return thread
  }

  function read({ params: [id], query }: Call) {
    const channel = channelOf(id)
    const limit = Number(query.get('limit') ?? 50)
    const after = BigInt(query.get('after') ?? 0)
    // The first ones after it, the latest of them first.
    const page = guild.in(channel.id).filter((one) => BigInt(one.id) > after)
    return page.slice(0, limit).toReversed().map(inHistory)
  }

  function respond({ params: [id, token], body }: Call) {
    const found = interactions.get(id ?? '')
    if (!found || found.token !== token || Date.now() - found.at > 3000) return fail(404, 10062, 'Unknown interaction')
    if (found.response) fail(400, 40060, 'Interaction has already been acknowledged')
    receiveResponse(found, body as NonNullable<Interaction['response']>)
    return undefined
  }

  /** Also used for answers by HTTP. */
  function receiveResponse(interaction: Interaction, response: NonNullable<Interaction['response']>): void {
    if (response.type === 4) {
      check(response.data ?? {}, [])
      interaction.seen.push(response.data ?? {})
    }
    interaction.response = response
    interaction.respondedMs = Date.now() - interaction.at
  }

  function followUp({ params: [app, token], body }: Call, isOriginal: boolean) {
    const found = [...interactions.values()].find((one) => one.token === token)
    if (!found?.response || app !== guild.appId) return fail(404, 10015, 'Unknown Webhook')
    check(body, [])
    if (isOriginal && found.response.type === 6) fail(404, 10008, 'Unknown Message')
    if (isOriginal) found.seen[0] = { ...body, flags: found.response.data?.flags ?? 0 }
    else found.seen.push(body)
    return { id: nextId(), channel_id: found.channel }
  }

  function react({ params: [channel, id, emoji] }: Call): undefined {
    const message = messageOf(channel, id)
    if (!/\p{Extended_Pictographic}/u.test(emoji ?? '')) fail(400, 10014, 'Unknown Emoji')
    if (emoji && !message.reactions.includes(emoji)) message.reactions.push(emoji)
  }

  function openDirect({ body: { recipient_id: user = '' } }: Call) {
    if (!guild.people.has(user)) fail(404, 10013, 'Unknown User')
    return guild.direct(user) ?? guild.addChannel({ type: 1, name: null, recipient: user })
  }

  const routes: readonly Route[] = [
    [
      'GET',
      /^\/gateway\/bot$/,
      () => ({
        url: origin().replace('http', 'ws'),
        shards: 1,
        session_start_limit: { total: 1000, remaining: settings.remaining, reset_after: 60_000, max_concurrency: 1 },
      }),
    ],
    ['GET', /^\/users\/@me$/, () => guild.bot],
    ['GET', /^\/users\/@me\/guilds$/, () => [{ id: guild.id, name: 'Emulated' }]],
    [
      'GET',
      /^\/applications\/@me$/,
      () => ({
        id: guild.appId,
        name: 'signalbox',
        flags: settings.messageContent ? 1 << 19 : 0,
        verify_key: settings.verifyKey,
        interactions_endpoint_url: settings.endpoint,
      }),
    ],
    ['GET', /^\/users\/(\d+)$/, ({ params: [id = ''] }) => guild.people.get(id) ?? fail(404, 10013, 'Unknown User')],
    ['POST', /^\/users\/@me\/channels$/, openDirect],
    ['GET', /^\/applications\/(\d+)\/commands$/, () => commands],
    [
      'PUT',
      /^\/applications\/(\d+)\/commands$/,
      ({ body }) => commands.splice(0, commands.length, ...(body as unknown as typeof commands)),
    ],
    ['GET', /^\/channels\/(\d+)$/, ({ params: [id] }) => channelOf(id)],
    ['GET', /^\/channels\/(\d+)\/messages$/, read],
    ['POST', /^\/channels\/(\d+)\/messages$/, post],
    ['PATCH', /^\/channels\/(\d+)\/messages\/(\d+)$/, edit],
    ['POST', /^\/channels\/(\d+)\/messages\/(\d+)\/threads$/, startThread],
    ['PUT', /^\/channels\/(\d+)\/messages\/(\d+)\/reactions\/([^/]+)\/@me$/, react],
    ['POST', /^\/interactions\/(\d+)\/([^/]+)\/callback$/, respond],
    ['PATCH', /^\/webhooks\/(\d+)\/([^/]+)\/messages\/@original$/, (call) => followUp(call, true)],
    ['POST', /^\/webhooks\/(\d+)\/([^/]+)$/, (call) => followUp(call, false)],
  ]

  function call(method: string, path: string, more: Omit<Call, 'params'>): RestAnswer {
    for (const [wanted, pattern, run] of routes) {
      const found = wanted === method && pattern.exec(path)
      if (!found) continue
      try {
        const body = run({ ...more, params: found.slice(1).map(decodeURIComponent) })
        return body === undefined ? { status: 204 } : { status: 200, body }
      } catch (error) {
        if (!(error instanceof DiscordError)) throw error
        return { status: error.status, body: { message: error.message, code: error.code } }
      }
    }
    return { status: 404, body: { message: '404: Not Found', code: 0 } }
  }

  return { call, attach, receiveResponse, /** As after some minutes. */ forgetNonces: () => recent.clear() }
}
export type DiscordRest = ReturnType<typeof createDiscordRest>
