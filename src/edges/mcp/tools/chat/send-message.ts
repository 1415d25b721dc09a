import * as z from 'zod'
import { reply, tool } from '../tool.ts'
import { messageId, posting, sentOutput, to, type ChatDeps } from './common.ts'

const input = z.strictObject({
  to,
  text: z.string().max(1_000_000).describe('The text of the message. Markdown is supported.'),
  reply_to: messageId('The message_id to reply to; "last" is the last message you received.').optional(),
})

export const sendMessage = (deps: ChatDeps) =>
  tool({
    name: 'send_message',
    title: 'Send a message to a chat or another agent',
    description: [
      'Send a message to a chat, or to another agent. Does not wait for a reply: replies reach you as messages.',
      'Only names from list_destinations work. To ask someone and wait, use ask_user_question.',
    ].join(' '),
    input,
    output: sentOutput,
    annotations: posting,
    async run({ to: name, text, reply_to }, { session, key }) {
      const sent = await deps.chat.send(session, { to: name ?? null, text, replyTo: reply_to ?? null }, key)
      return sent.ok ? reply({ message_id: sent.value.messageId, status: 'queued' }) : sent
    },
  })
