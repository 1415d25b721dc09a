import { setTimeout as pause } from 'node:timers/promises'
import * as z from 'zod'
import type { MessageId } from '../../../domain/message/schema.ts'
import { derivedId } from '../../../lib/derived-id.ts'
import { newId } from '../../../lib/id.ts'
import { fail } from '../../../lib/result.ts'
import type { ToolCall } from '../calls/tool-call.ts'
import { reply, tool } from './tool.ts'

const input = z.strictObject({
  message: z.string().min(1).max(1_000_000).describe('What your operator should read; Markdown is fine.'),
  level: z.enum(['info', 'success', 'warning', 'error']).default('info'),
  thread_ts: z.string().max(200).optional().describe("Your session's own thread; leave it out."),
})

const output = z.object({ posted: z.boolean(), ts: z.string() })

/** A chat that is slow must not hold the agent up. */
const longestMs = 2000
const lookMs = 40

/** Whether the message is about to be posted in a chat. */
async function isForChat({ app, session }: ToolCall): Promise<boolean> {
  const { mode, channelId, messagingGroupId, agentGroupId } = session
  if (mode === 'local' || (channelId === null && messagingGroupId === null && agentGroupId === null)) return false
  return (await app.chat.instances.list()).some(({ state }) => state === 'connected')
}

/** The id of the message in the session's thread; until the platform has named it, or without a thread, our own. */
async function placeOf(call: ToolCall, id: MessageId): Promise<string> {
  const { posts } = call.app.chat
  const end = Date.now() + ((await isForChat(call)) ? longestMs : 0)
  for (;;) {
    const [first] = await posts.about({ kind: 'message', id })
    const named = first?.platformMessageId ?? null
    if (named !== null || Date.now() >= end) return named ?? id
    await pause(lookMs)
  }
}

export const remoteLog = tool({
  name: 'remote_log',
  aliases: ['broadcast'],
  title: 'Tell your operator something',
  description: 'Report milestones, results and problems to your operator. Does not ask or wait.',
  input,
  output,
  annotations: { readOnlyHint: false, destructiveHint: false, idempotentHint: false, openWorldHint: true },
  async run({ message, level, thread_ts }, call) {
    const { app, link, session, key } = call
    if (thread_ts !== undefined && thread_ts !== session.threadTs)
      return fail({
        kind: 'forbidden',
        code: 'wrong_thread',
        message: `This session writes to its own thread${session.threadTs === null ? ', and has none yet' : ''}.`,
        hint: 'Leave thread_ts out.',
      })
    const id = key === null ? newId<MessageId>() : derivedId<MessageId>('mcp log', link.sessionId, key)
    const [before] = await app.read.messagesById([id])
    if (before) return reply({ posted: true, ts: await placeOf(call, id) })
    const content = { type: 'text' as const, text: message, partial: false, level }
    const done = await app.dispatch(
      { type: 'message.add', id, sessionId: link.sessionId, role: 'agent', content },
      link.actor,
    )
    if (!done.ok) return done
    return reply({ posted: true, ts: await placeOf(call, id) })
  },
})
