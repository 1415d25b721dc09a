import { randomBytes } from 'node:crypto'

/** What is in the emulated workspace: people, channels, messages and files. Frames follow Slack's documentation. */

export type SlackBlock = { type: string; block_id?: string; [field: string]: unknown }
export type SlackFile = {
  id: string
  name: string
  title: string
  mimetype: string
  size: number
  mode: string
  url_private_download: string
}
export type SlackMessage = {
  type: 'message'
  ts: string
  user: string
  text: string
  subtype?: string
  bot_id?: string
  app_id?: string
  thread_ts?: string
  blocks?: SlackBlock[]
  metadata?: { event_type: string; event_payload: Record<string, unknown> }
  files?: SlackFile[]
  reactions?: { name: string; users: string[]; count: number }[]
  edited?: { user: string; ts: string }
  reply_count?: number
  /** Not of Slack: how often it was edited, for tests. */
  edits?: number
}
export type ChannelKind = 'channel' | 'group' | 'im' | 'mpim'
export type SlackChannel = {
  id: string
  name: string
  kind: ChannelKind
  members: Set<string>
  messages: SlackMessage[]
  archived: boolean
}
export type SlackPersonRecord = { id: string; name: string; token: string }

export const teamId = 'T000000001'
export const botUser = 'U0BOT'
export const botId = 'B0BOT'
export const appId = 'A1'

export const slackId = (prefix: string): string => prefix + randomBytes(5).toString('hex').toUpperCase()

export type Workspace = ReturnType<typeof createWorkspace>

export function createWorkspace() {
  const channels = new Map<string, SlackChannel>()
  const people = new Map<string, SlackPersonRecord>()
  const files = new Map<string, { file: SlackFile; bytes: Buffer; complete: boolean; owner: string }>()
  let lastMicros = 0

  return {
    channels,
    people,
    files,
    /** Of `auth.test`; another workspace has another one. */
    teamId,
    /** Unique, and later than every other. */
    nextTs(): string {
      lastMicros = Math.max(lastMicros + 1, Date.now() * 1000)
      return `${Math.floor(lastMicros / 1e6)}.${String(lastMicros % 1e6).padStart(6, '0')}`
    },
    addPerson(name: string): SlackPersonRecord {
      const person = { id: slackId('U'), name, token: `xoxp-${name}` }
      people.set(person.id, person)
      return person
    },
    addChannel(name: string, kind: ChannelKind, members: readonly string[]): SlackChannel {
      const prefix = kind === 'im' ? 'D' : kind === 'channel' ? 'C' : 'G'
      const channel = { id: slackId(prefix), name, kind, members: new Set(members), messages: [], archived: false }
      channels.set(channel.id, channel)
      return channel
    },
    direct(user: string): SlackChannel | undefined {
      return [...channels.values()].find(({ kind, members }) => kind === 'im' && members.has(user))
    },
    message: (channel: string, ts: string): SlackMessage | undefined =>
      channels.get(channel)?.messages.find((one) => one.ts === ts),
    add(channel: SlackChannel, message: SlackMessage): SlackMessage {
      channel.messages.push(message)
      const root = message.thread_ts && channel.messages.find(({ ts }) => ts === message.thread_ts)
      if (root) {
        root.reply_count = (root.reply_count ?? 0) + 1
        root.thread_ts = root.ts
      }
      return message
    },
  }
}

type Problem = string | undefined
type TextObject = { type?: string; text?: unknown }

const lengthOf = (value: unknown): number => (typeof value === 'string' ? value.length : 0)
const isTextObject = (value: unknown, most: number): boolean => {
  const { type, text } = (value ?? {}) as TextObject
  return (type === 'mrkdwn' || type === 'plain_text') && typeof text === 'string' && text !== '' && text.length <= most
}

/** The limits that Slack documents for blocks, and the sum of about 13,200 characters that it does not. */
function blocksProblem(blocks: readonly SlackBlock[]): Problem {
  if (blocks.length > 50) return 'invalid_blocks'
  let total = 0
  for (const block of blocks) {
    total += JSON.stringify(block['text'] ?? block['elements'] ?? '').length
    if (block.type === 'section' && block['fields'] === undefined && !isTextObject(block['text'], 3000))
      return 'invalid_blocks'
    if (block.type === 'header' && !isTextObject(block['text'], 150)) return 'invalid_blocks'
    if (block.type === 'context' && !(block['elements'] as unknown[]).every((one) => isTextObject(one, 3000)))
      return 'invalid_blocks'
    if (block.type === 'actions' && !areButtons(block['elements'])) return 'invalid_blocks'
  }
  return total > 13_200 ? 'msg_blocks_too_long' : undefined
}

function areButtons(elements: unknown): boolean {
  const buttons = elements as { action_id?: string; value?: string; text?: TextObject; style?: string }[]
  if (!Array.isArray(buttons) || buttons.length === 0 || buttons.length > 25) return false
  if (new Set(buttons.map(({ action_id }) => action_id)).size < buttons.length) return false
  return buttons.every(
    ({ action_id, value, text, style }) =>
      lengthOf(action_id) <= 255 &&
      lengthOf(value) <= 2000 &&
      isTextObject(text, 75) &&
      (style === undefined || style === 'primary' || style === 'danger'),
  )
}

/** `chat.update` is stricter with text than `chat.postMessage`. */
export function messageProblem(method: string, args: Record<string, unknown>): Problem {
  const { text, blocks } = args as { text?: string; blocks?: SlackBlock[] }
  if (blocks !== undefined && !Array.isArray(blocks)) return 'invalid_blocks_format'
  if (!text && !blocks?.length) return 'no_text'
  if (lengthOf(text) > (method === 'chat.update' ? 4000 : 40_000)) return 'msg_too_long'
  return blocks && blocksProblem(blocks)
}
