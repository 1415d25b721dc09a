import * as z from 'zod'
import { reply, tool } from '../tool.ts'
import { doneOutput, messageId, posting, type ChatDeps } from './common.ts'

const input = z.strictObject({
  message_id: messageId('A message that you sent, or "last" for the last message you received.'),
  emoji: z
    .string()
    .min(1)
    .max(64)
    .regex(/^[^\s\p{Cc}]+$/u, 'must be one emoji')
    .describe('One emoji, such as 👍.'),
})

export const addReaction = (deps: ChatDeps) =>
  tool({
    name: 'add_reaction',
    title: 'React to a message',
    description: 'Add an emoji to a message in a chat: yours, or one that you received.',
    input,
    output: doneOutput,
    annotations: { ...posting, idempotentHint: true },
    async run({ message_id, emoji }, { session }) {
      const done = await deps.chat.react(session, message_id, emoji)
      return done.ok ? reply({ status: 'queued' }) : done
    },
  })
