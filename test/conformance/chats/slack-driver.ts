import { openSlack, type EmulatedSlack } from '../../support/chats/slack.ts'
import type { SlackView } from '../../support/chats/slack-api.ts'
import type { SlackMessage } from '../../support/chats/slack-workspace.ts'
import { until } from '../../support/until.ts'
import { troubles, type ChatDriver, type Shown } from './driver.ts'

/** Slack, where a message in the channel itself can begin a thread. */
export type SlackDriver = ChatDriver & {
  readonly slack: EmulatedSlack
  /** People write, and Slack does not tell us. */
  unheard(write: () => void): void
  /** Replies of ours in a thread that the whole channel was shown. */
  broadcasts(): { thread: string; text: string }[]
}

type Block = { type: string; text?: { text: string }; elements?: unknown[]; fields?: { text: string }[] }
type Element = { text?: { text: string } | string; value?: string; action_id?: string }

const textOf = (blocks: readonly Block[]): string =>
  blocks
    .filter(({ type }) => type !== 'actions')
    .map((block) => JSON.stringify([block.text?.text, block.fields, block.elements]))
    .join('\n')

export async function openSlackDriver(): Promise<SlackDriver> {
  const slack = await openSlack()
  const chat = slack.channel('ops')
  const shownOf =
    (channel: string) =>
    (message: SlackMessage): Shown => {
      const blocks = (message.blocks ?? []) as Block[]
      const buttons = blocks
        .filter(({ type }) => type === 'actions')
        .flatMap(({ elements = [] }) => elements as Element[])
        .map(({ text, value, action_id: id }) => ({
          label: typeof text === 'object' ? text.text : (text ?? ''),
          action: value ?? id ?? '',
        }))
      const files = (message.files ?? []).map((file) => file.name ?? '')
      return { id: message.ts, chat: channel, text: `${message.text}\n${textOf(blocks)}`, buttons, files }
    }
  const isOurs = ({ user }: SlackMessage) => user === slack.botUser
  return {
    slack,
    platform: 'slack',
    credentials: { bot_token: slack.tokens.bot, app_token: slack.tokens.app },
    settings: slack.endpoints,
    chat,
    person(name) {
      const person = slack.person(name)
      const filled = new Set<string>()
      const mention = `<@${slack.botUser}>`
      slack.workspace.channels.get(chat)?.members.add(person.id)
      const write = (text: string, under?: string, to = chat) =>
        person.writes(to, text, under === undefined ? {} : { thread: under }).ts
      return {
        name,
        identity: `slack:${person.id}`,
        mentions: (text, under, to) => write(`${mention} ${text}`, under, to),
        sends: (text, files, under) =>
          person.writes(chat, `${mention} ${text}`, { files, ...(under !== undefined && { thread: under }) }).ts,
        says: write,
        saysUnheard(text, under) {
          const channel = slack.workspace.channels.get(chat)
          const message = { type: 'message' as const, ts: slack.workspace.nextTs(), user: person.id, text }
          if (channel) slack.workspace.add(channel, { ...message, thread_ts: under })
        },
        clicks(message, label) {
          const button = message.buttons.find((one) => one.label === label)
          if (!button) throw new Error(`no button ${label}: ${JSON.stringify(message.buttons)}`)
          person.clicks(message.chat, message.id, button.action)
        },
        async fills(text) {
          const isOpen = ({ by, shown, id }: SlackView) => by === person.id && shown && !filled.has(id)
          const { id } = await until(() => slack.views.find(isOpen), { what: 'a form' })
          filled.add(id)
          person.submits(id, text)
        },
        commands: (text) => void person.commands(chat, text),
        toldPrivately: () =>
          slack.ephemerals.filter(({ user }) => user === person.id).map((one) => JSON.stringify(one)),
        async picks(label) {
          const { message, action } = await until(
            () => {
              const shown = slack.ephemerals.findLast(({ user }) => user === person.id)
              const button = ((shown?.blocks ?? []) as Block[])
                .filter(({ type }) => type === 'actions')
                .flatMap(({ elements = [] }) => elements as Element[])
                .find(({ text }) => label.test(typeof text === 'object' ? text.text : ''))
              return shown && button ? { message: shown, action: button.value ?? '' } : null
            },
            { what: `a button ${label} in ${JSON.stringify(slack.ephemerals.at(-1))}` },
          )
          person.picks(message, action)
        },
        direct() {
          const channel = slack.workspace.direct(person.id)
          return channel ? channel.messages.filter(isOurs).map(shownOf(channel.id)) : []
        },
      }
    },
    another: (name) => slack.channel(name),
    posted: (root, channel = chat) => slack.thread(channel, root).filter(isOurs).map(shownOf(channel)),
    inChat: () =>
      slack
        .messages(chat)
        .filter((one) => isOurs(one) && (one.thread_ts ?? one.ts) === one.ts)
        .map(shownOf(chat)),
    revoke: () => void slack.revoked.add(slack.tokens.bot),
    renew() {
      slack.tokens.bot += '-new'
      return { bot_token: slack.tokens.bot, app_token: slack.tokens.app }
    },
    unheard(write) {
      slack.sockets.keepBack(() => true)
      write()
      const lost = new Set(slack.sockets.unacknowledged().map(({ envelope_id: id }) => id))
      slack.sockets.keepBack(({ envelope_id: id }) => lost.has(id))
    },
    broadcasts: () =>
      slack
        .callsOf('chat.postMessage')
        .filter(({ args }) => args['reply_broadcast'] === true)
        .map(({ args }) => ({ thread: String(args['thread_ts']), text: String(args['text']) })),
    fail(how, times) {
      slack.fail({
        method: 'chat.postMessage',
        times,
        ...(how === 'wait' ? { status: 429, retryAfter: 1 } : { drop: 'after' }),
      })
    },
    trouble(channel, how) {
      const healed = Promise.withResolvers<void>()
      let isOver = false
      const matches = (args: Record<string, unknown>) => !isOver && args['channel'] === channel
      const fault = troubles(healed.promise, { status: 429, retryAfter: 1 })[how]
      for (const method of ['chat.postMessage', 'chat.update'])
        slack.fail({ method, matches, times: Infinity, ...fault })
      return () => {
        isOver = true
        healed.resolve()
      }
    },
    async answerLate(released) {
      const before = slack.callsOf('chat.postMessage').length
      slack.fail({ method: 'chat.postMessage', hold: released })
      await until(() => slack.callsOf('chat.postMessage').length > before, { what: 'a message', seconds: 60 })
    },
    unacknowledged: () => slack.sockets.unacknowledged().length,
    loseAcknowledgements: () => slack.sockets.loseAcknowledgements(),
    drop: () => slack.sockets.drop(),
    fileContents: () =>
      [...slack.workspace.files.values()]
        .filter(({ owner, complete }) => owner === slack.botUser && complete)
        .map(({ bytes }) => bytes.toString()),
    reactions: () =>
      [...slack.workspace.channels.values()].flatMap(({ messages }) =>
        messages.flatMap((message) => (message.reactions ?? []).map((reaction) => reaction.name)),
      ),
    fetches: () => slack.callsOf('files').length,
    sends: () => slack.callsOf('chat.postMessage').length,
    directsOpened: () => slack.callsOf('conversations.open').length,
    [Symbol.asyncDispose]: () => slack[Symbol.asyncDispose](),
  }
}
