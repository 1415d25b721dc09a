import { randomUUID } from 'node:crypto'
import { openChatsHarness, type ChatsHarness } from '../../conformance/chats/harness.ts'
import type { Shown } from '../../conformance/chats/driver.ts'
import { openSlackDriver, type SlackDriver } from '../../conformance/chats/slack-driver.ts'
import { lookInto, type Look } from '../../conformance/look.ts'
import { signIn } from '../../conformance/people.ts'
import type { Session } from '../../conformance/shapes.ts'
import { newToken } from '../../conformance/work.ts'
import type { Api } from '../../support/api.ts'
import { until } from '../../support/until.ts'
import { callerNames, type ChatCaller } from './callers.ts'

/** Somebody in the channel, and what only they were told. */
export type Speaking = {
  readonly handle: string
  readonly name: string
  readonly identity: string
  readonly userId: string | null
  told(): string[]
  commands(text: string): void
  mentions(text: string, under: string): void
  says(text: string, under: string): void
  presses(card: Shown, action: string): void
  submits(card: Shown, action: string, text: string): void
}

/** A session of `self` with a thread in the channel. */
export type ChatSubject = {
  readonly id: string
  readonly short: string
  /** Only responses that show the session have it. */
  readonly marker: string
  readonly root: string
  /** An id of something else that belongs to it. */
  readonly of: string
  readonly card: Shown | null
  readonly self: Api
}

export type ChatMatrixSetup = AsyncDisposable & {
  readonly harness: ChatsHarness<SlackDriver>
  readonly api: Api
  readonly look: Look
  /** For one row. */
  cast(): Promise<Cast>
  /** In the group and in a thread of the channel, delegated to `dlg`. */
  session(cast: Cast, more?: Record<string, unknown>): Promise<ChatSubject>
  agentOf(subject: ChatSubject): Promise<Api>
  /** How often each account was counted as a stranger. */
  counted(): Promise<ReadonlyMap<string, number>>
}

/** Everyone in the table, and what `self` does elsewhere. */
export type Cast = { readonly people: Readonly<Record<ChatCaller, Speaking>>; readonly self: Api }

const mostUses = 20

export async function openChatMatrixSetup(): Promise<ChatMatrixSetup> {
  await using stack = new AsyncDisposableStack()
  const config = () => '[stall]\nenabled = false\n[commands]\nmark = "touch ran"\n'
  const env = { SIGNALBOX_MAX_CONCURRENT_SESSIONS: '10000' }
  const harness = stack.use(await openChatsHarness(openSlackDriver, { config, env }))
  const { server, api, driver, groupId } = harness
  const look = stack.use(await lookInto(server))
  const other = await api.post<{ id: string }>('/api/agent-groups', { name: 'Other', agent: 'practice' })
  const [repo] = await api.list<{ id: string }>('/api/repos')
  const outsider = driver.person('Somebody')
  const kept = stack.move()

  const grant = (userId: string, role: string, agentGroupId?: string) =>
    api.post(`/api/users/${userId}/roles`, { role, ...(agentGroupId && { agentGroupId }) })
  const join = (userId: string) => api.put(`/api/agent-groups/${groupId}/members/${userId}`)

  let names = 0
  function speaker(caller: ChatCaller, userId: string | null, identity: string, name: string): Speaking {
    const handle = identity.replace('slack:', '')
    const { slack, chat } = driver
    const interaction = (payload: object) => void slack.deliver('interactive', payload as Record<string, unknown>)
    const user = { id: handle, username: caller, name: caller, team_id: 'T1' }
    const write = (text: string, under: string) => {
      const channel = slack.workspace.channels.get(chat)
      if (!channel) throw new Error('no channel')
      const bot = caller === 'agnt' ? { bot_id: 'B0OTHER' } : {}
      const message = { type: 'message' as const, ts: slack.workspace.nextTs(), user: handle, text, thread_ts: under }
      slack.workspace.add(channel, message)
      void slack.emit({ ...message, ...bot, channel: chat, channel_type: 'channel', event_ts: message.ts })
    }
    return {
      handle,
      name,
      identity,
      userId,
      told: () => slack.ephemerals.filter((one) => one.user === handle).map((one) => JSON.stringify(one)),
      commands: (text) =>
        void slack.deliver('slash_commands', {
          command: '/signalbox',
          text,
          user_id: handle,
          user_name: caller,
          channel_id: chat,
          channel_name: 'ops',
          response_url: `${driver.settings['api']}/respond/x`,
          trigger_id: `1.2.${randomUUID()}`,
          team_id: 'T1',
        }),
      mentions: (text, under) => write(`<@${slack.botUser}> ${text}`, under),
      says: write,
      // As anyone with the frame of another's click could send it: the button need not be theirs.
      presses: (card, action) =>
        interaction({
          type: 'block_actions',
          user,
          container: { type: 'message', message_ts: card.id, channel_id: card.chat, thread_ts: undefined },
          trigger_id: `1.2.${randomUUID()}`,
          channel: { id: card.chat, name: 'ops' },
          response_url: `${driver.settings['api']}/respond/x`,
          actions: [{ type: 'button', action_id: action, value: action, action_ts: slack.workspace.nextTs() }],
        }),
      submits: (card, action, text) =>
        interaction({
          type: 'view_submission',
          user,
          trigger_id: `1.2.${randomUUID()}`,
          view: {
            id: `V${randomUUID()}`,
            callback_id: 'signalbox_form',
            private_metadata: JSON.stringify({ action, chat: card.chat, thread: null, messageId: card.id }),
            state: { values: { text: { text: { type: 'plain_text_input', value: text } } } },
          },
        }),
    }
  }

  async function enter(caller: ChatCaller): Promise<Speaking> {
    names += 1
    const name = `${caller}-${names}`
    const { identity } = driver.person(name)
    if (caller === 'strn' || caller === 'unlk' || caller === 'agnt') return speaker(caller, null, identity, name)
    const linksLater = caller === 'link'
    const user = await api.post<{ id: string }>('/api/users', {
      displayName: name,
      identities: linksLater ? [] : [identity],
    })
    const userId = user.id
    const speaks = speaker(caller, userId, identity, name)
    if (caller === 'own') await grant(userId, 'owner')
    if (caller === 'adm') await grant(userId, 'admin')
    if (caller === 'gadm') await grant(userId, 'admin', groupId)
    if (caller === 'oadm') await grant(userId, 'admin', other.id)
    if (caller === 'memb' || caller === 'made' || caller === 'self') await join(userId)
    if (caller === 'memb' || caller === 'dlg') await signIn(server, userId)
    if (caller === 'gues') {
      const { id } = await api.post<Session>('/api/sessions', { protocolMode: 'mcp', repoId: repo?.id, prompt: 'mine' })
      await api.put(`/api/sessions/${id}/delegates/${userId}`)
    }
    if (linksLater) {
      const { code } = await (await signIn(server, userId)).api.post<{ code: string }>('/api/me/link-codes')
      speaks.commands(`link ${code}`)
      await until(() => speaks.told().length > 0, { what: 'the linked account' })
    }
    return speaks
  }

  let cast: Promise<Cast> | null = null
  let rows = 0
  async function newCast(): Promise<Cast> {
    const entered = await Promise.all(callerNames.map(async (caller) => [caller, await enter(caller)] as const))
    const people = Object.fromEntries(entered) as Record<ChatCaller, Speaking>
    const { api: selfApi } = await signIn(server, people.self.userId ?? '')
    return { people, self: selfApi }
  }

  return {
    harness,
    api,
    look,
    /** People may use 30 commands a minute, so others take their places before that. */
    cast() {
      rows += 1
      if (cast === null || rows % mostUses === 0) cast = newCast()
      return cast
    },
    async session({ people, self }, more = {}) {
      const marker = `roof-${randomUUID().slice(0, 8)}`
      const started = await self.post<Session>('/api/sessions', {
        protocolMode: 'mcp',
        repoId: repo?.id,
        prompt: `Mend the ${marker}`,
        ...more,
      })
      const root = outsider.says('A thread')
      const place = `agent_group_id = ?, messaging_group_id = ?, thread_id = ?, channel_id = ?, thread_ts = ?, session_mode = 'per-thread'`
      const values = [groupId, harness.chatId, root, driver.chat, root]
      await look.change(`update sessions set ${place} where id = ?`, ...values, started.id)
      await self.put(`/api/sessions/${started.id}/delegates/${people.dlg.userId}`)
      return { id: started.id, short: started.id.slice(0, 8), marker, root, of: '', card: null, self }
    },
    async agentOf({ id, self }) {
      return server.api((await newToken(self, { name: 'an agent', scope: 'agent', sessionId: id })).token)
    },
    async counted() {
      type Stranger = { identity: string; messageCount: number }
      const counts = new Map<string, number>()
      for (const { identity, messageCount } of await api.list<Stranger>('/api/strangers'))
        counts.set(identity, (counts.get(identity) ?? 0) + messageCount)
      return counts
    },
    [Symbol.asyncDispose]: () => kept.disposeAsync(),
  }
}
