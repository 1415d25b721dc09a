import * as z from 'zod'
import { reply, tool } from '../tool.ts'
import { doneOutput, messageId, posting, type ChatDeps } from './common.ts'

const input = z.strictObject({
  message_id: messageId('What send_message returned.'),
  text: z.string().max(1_000_000).describe('The complete new text.'),
})

export const editMessage = (deps: ChatDeps) =>
  tool({
    name: 'edit_message',
    title: 'Edit a message you sent',
    description: 'Replace the text of a message that you sent with send_message.',
    input,
    output: doneOutput,
    annotations: { ...posting, idempotentHint: true },
    async run({ message_id, text }, { session }) {
      const done = await deps.chat.edit(session, message_id, text)
      return done.ok ? reply({ status: 'queued' }) : done
    },
  })
