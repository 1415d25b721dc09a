import {
  appId,
  botId,
  botUser,
  messageProblem,
  slackId,
  type SlackBlock,
  type SlackChannel,
  type SlackMessage,
  type Workspace,
} from './slack-workspace.ts'

/** Who calls: our app with its bot token, or a person of the test. */
export type Caller = { user: string; isApp: boolean; scopes: ReadonlySet<string> }
export type Args = Record<string, unknown>
export type Answer = { ok: boolean; error?: string; [field: string]: unknown }

export type SlackView = {
  id: string
  view: Record<string, unknown>
  by: string
  /** False: Slack answers ok, but people see nothing, because the click was inside a thread. */
  shown: boolean
}
export type Trigger = { user: string; inThread: boolean; at: number; used: boolean }

export type ApiDeps = {
  workspace: Workspace
  origin(): string
  /** Sends an event to the app. */
  emit(inner: Record<string, unknown>): void
  triggers: Map<string, Trigger>
  views: SlackView[]
  ephemerals: { channel: string; user: string; text: string; thread_ts?: string; blocks?: SlackBlock[] }[]
}

const error = (code: string, more: Args = {}): Answer => ({ ok: false, error: code, ...more })
const text = (value: unknown): string => (typeof value === 'string' ? value : '')

/** Scopes as in Slack's reference of each method; the kind of a channel decides for those that read it. */
const scopeOf: Record<string, string> = {
  'chat.postMessage': 'chat:write',
  'chat.update': 'chat:write',
  'chat.postEphemeral': 'chat:write',
  'conversations.open': 'im:write',
  'users.info': 'users:read',
  'reactions.add': 'reactions:write',
  'files.getUploadURLExternal': 'files:write',
  'files.completeUploadExternal': 'files:write',
  'files.info': 'files:read',
}

export function createApi(deps: ApiDeps) {
  const { workspace } = deps

  /** A channel that the caller is in; Slack shows nothing of private ones to others. */
  function channelFor(caller: Caller, id: unknown): SlackChannel | Answer {
    const channel = workspace.channels.get(text(id))
    const isMember = channel?.members.has(caller.user)
    if (!channel || (!isMember && channel.kind !== 'channel')) return error('channel_not_found')
    return isMember ? channel : error('not_in_channel')
  }
  const isError = (found: SlackChannel | Answer): found is Answer => 'ok' in found

  function post(caller: Caller, args: Args): Answer {
    const channel = channelFor(caller, args['channel'])
    if (isError(channel)) return channel
    if (channel.archived) return error('is_archived')
    const message = workspace.add(channel, {
      type: 'message',
      ts: workspace.nextTs(),
      user: caller.user,
      text: text(args['text']),
      ...(caller.isApp && { bot_id: botId, app_id: appId }),
      ...(args['thread_ts'] !== undefined && { thread_ts: text(args['thread_ts']) }),
      ...(args['blocks'] !== undefined && { blocks: withIds(args['blocks'] as SlackBlock[]) }),
      ...(args['metadata'] !== undefined && { metadata: args['metadata'] as NonNullable<SlackMessage['metadata']> }),
    })
    if (caller.isApp) deps.emit({ ...message, channel: channel.id, channel_type: channel.kind, event_ts: message.ts })
    return { ok: true, channel: channel.id, ts: message.ts, message }
  }

  function update(caller: Caller, args: Args): Answer {
    const channel = channelFor(caller, args['channel'])
    if (isError(channel)) return channel
    const message = channel.messages.find(({ ts }) => ts === args['ts'])
    if (!message) return error('message_not_found')
    if (message.user !== caller.user) return error('cant_update_message')
    const previous = { ...message }
    message.text = text(args['text'])
    // Left out, the old blocks stay.
    if (args['blocks'] !== undefined) message.blocks = withIds(args['blocks'] as SlackBlock[])
    if (args['metadata'] !== undefined) message.metadata = args['metadata'] as NonNullable<SlackMessage['metadata']>
    message.edited = { user: caller.user, ts: workspace.nextTs() }
    message.edits = (message.edits ?? 0) + 1
    deps.emit({
      type: 'message',
      subtype: 'message_changed',
      channel: channel.id,
      channel_type: channel.kind,
      ts: message.edited.ts,
      message: { ...message },
      previous_message: previous,
      event_ts: message.edited.ts,
    })
    return { ok: true, channel: channel.id, ts: message.ts, text: message.text }
  }

  function read(caller: Caller, args: Args, inThread: boolean): Answer {
    const channel = channelFor(caller, args['channel'])
    if (isError(channel)) return channel
    const history = { channel: 'channels', group: 'groups', im: 'im', mpim: 'mpim' }[channel.kind] + ':history'
    if (caller.isApp && !caller.scopes.has(history)) return error('missing_scope', { needed: history })
    const root = text(args['ts'])
    if (inThread && !channel.messages.some(({ ts }) => ts === root)) return error('thread_not_found')
    const oldest = text(args['oldest']) || '0'
    const isRoot = (one: SlackMessage) => !one.thread_ts || one.thread_ts === one.ts
    const matching = channel.messages.filter((one) =>
      inThread ? one.ts === root || (one.thread_ts === root && one.ts > oldest) : isRoot(one) && one.ts > oldest,
    )
    // A thread is read from its beginning, a channel from its end.
    const ordered = inThread ? matching : matching.toReversed()
    const from = Number(args['cursor'] ?? 0)
    const limit = Math.min(Number(args['limit'] ?? 100), 999)
    const page = ordered.slice(from, from + limit)
    const more = ordered.length > from + limit
    const seesMetadata = args['include_all_metadata'] === true && caller.scopes.has('metadata.message:read')
    return {
      ok: true,
      messages: page.map(({ metadata, edits: _edits, ...message }) =>
        seesMetadata && metadata ? Object.assign(message, { metadata }) : message,
      ),
      has_more: more,
      ...(more && { response_metadata: { next_cursor: String(from + limit) } }),
    }
  }

  function completeUpload(caller: Caller, args: Args): Answer {
    const channel = channelFor(caller, args['channel_id'])
    if (isError(channel)) return channel
    const wanted = (args['files'] ?? []) as { id: string; title?: string }[]
    const found = wanted.flatMap(({ id }) => workspace.files.get(id) ?? [])
    if (found.length === 0 || found.length < wanted.length) return error('file_not_found')
    if (found.some(({ complete, bytes, file }) => complete || bytes.length !== file.size))
      return error('file_update_failed')
    for (const one of found) one.complete = true
    const message = workspace.add(channel, {
      type: 'message',
      ts: workspace.nextTs(),
      user: caller.user,
      text: text(args['initial_comment']),
      files: found.map(({ file }) => file),
      ...(caller.isApp && { bot_id: botId, app_id: appId }),
      ...(args['thread_ts'] !== undefined && { thread_ts: text(args['thread_ts']) }),
    })
    deps.emit({ ...message, subtype: 'file_share', channel: channel.id, channel_type: channel.kind })
    return { ok: true, files: found.map(({ file: { id, title } }) => ({ id, title })) }
  }

  function openView(args: Args): Answer {
    const trigger = deps.triggers.get(text(args['trigger_id']))
    if (!trigger) return error('invalid_trigger_id')
    if (trigger.used) return error('exchanged_trigger_id')
    if (Date.now() - trigger.at > 3000) return error('expired_trigger_id')
    trigger.used = true
    const view = args['view'] as Record<string, unknown>
    if (text(view['private_metadata']).length > 3000) return error('view_too_large')
    const opened = { id: slackId('V'), view, by: trigger.user, shown: !trigger.inThread }
    deps.views.push(opened)
    return { ok: true, view: { ...view, id: opened.id } }
  }

  const methods: Record<string, (caller: Caller, args: Args) => Answer> = {
    'auth.test': (caller) => ({
      ok: true,
      url: 'https://emulated.slack.com/',
      team: 'Emulated',
      user: caller.isApp ? 'signalbox' : 'person',
      team_id: workspace.teamId,
      user_id: caller.user,
      ...(caller.isApp && { bot_id: botId, is_enterprise_install: false }),
    }),
    'chat.postMessage': post,
    'chat.update': update,
    'chat.postEphemeral'(caller, args) {
      const channel = channelFor(caller, args['channel'])
      if (isError(channel)) return channel
      if (!channel.members.has(text(args['user']))) return error('user_not_in_channel')
      deps.ephemerals.push(args as ApiDeps['ephemerals'][number])
      return { ok: true, message_ts: workspace.nextTs() }
    },
    'conversations.history': (caller, args) => read(caller, args, false),
    'conversations.replies': (caller, args) => read(caller, args, true),
    'conversations.info'(_caller, args) {
      const channel = workspace.channels.get(text(args['channel']))
      return channel ? { ok: true, channel: { id: channel.id, name: channel.name } } : error('channel_not_found')
    },
    'conversations.open'(_caller, args) {
      const user = text(args['users'])
      if (!workspace.people.has(user)) return error('user_not_found')
      const channel = workspace.direct(user) ?? workspace.addChannel(user, 'im', [user, botUser])
      return { ok: true, channel: { id: channel.id } }
    },
    'users.info'(_caller, args) {
      const person = workspace.people.get(text(args['user']))
      return person
        ? {
            ok: true,
            user: { id: person.id, name: person.name, real_name: person.name, profile: { display_name: '' } },
          }
        : error('user_not_found')
    },
    'reactions.add'(caller, args) {
      const message = workspace.message(text(args['channel']), text(args['timestamp']))
      if (!message) return error('message_not_found')
      const name = text(args['name'])
      if (!/^[a-z0-9_+-]+$/.test(name)) return error('invalid_name')
      const given = (message.reactions ??= [])
      if (given.some((one) => one.name === name && one.users.includes(caller.user))) return error('already_reacted')
      given.push({ name, users: [caller.user], count: 1 })
      return { ok: true }
    },
    'files.getUploadURLExternal'(caller, args) {
      const name = text(args['filename'])
      const size = Number(args['length'])
      if (!name || !(size > 0)) return error('invalid_arguments')
      const id = slackId('F')
      const url = `${deps.origin()}/files/${id}`
      const file = { id, name, title: name, mimetype: 'text/plain', size, mode: 'hosted', url_private_download: url }
      workspace.files.set(id, { file, bytes: Buffer.alloc(0), complete: false, owner: caller.user })
      return { ok: true, upload_url: `${deps.origin()}/upload/${id}`, file_id: id }
    },
    'files.completeUploadExternal': completeUpload,
    'files.info'(_caller, args) {
      const found = workspace.files.get(text(args['file']))
      if (!found?.complete) return error('file_not_found')
      const shares: Record<string, { ts: string }[]> = {}
      for (const { id, messages } of workspace.channels.values())
        for (const { ts, files } of messages)
          if (files?.some((one) => one.id === found.file.id)) (shares[id] ??= []).push({ ts })
      return { ok: true, file: { ...found.file, shares: { public: shares } } }
    },
    'views.open': (_caller, args) => openView(args),
  }

  return (caller: Caller, method: string, args: Args): Answer => {
    const run = methods[method]
    if (!run) return error('unknown_method')
    const needed = scopeOf[method]
    if (caller.isApp && needed && !caller.scopes.has(needed))
      return error('missing_scope', { needed, provided: [...caller.scopes].join(',') })
    const problem = method.startsWith('chat.') ? messageProblem(method, args) : undefined
    return problem ? error(problem) : run(caller, args)
  }
}

const withIds = (blocks: readonly SlackBlock[]): SlackBlock[] =>
  blocks.map((block, index) => ({ block_id: `b${index}`, ...block }))
