import * as z from 'zod'
import { notVouched } from '../common.ts'
import { reply, tool } from '../tool.ts'
import { posting, sentOutput, to, type ChatDeps } from './common.ts'

const input = z.strictObject({
  to,
  path: z.string().min(1).max(4096).describe('The file, relative to the workspace.'),
  text: z.string().max(1_000_000).optional().describe('Text to send with the file.'),
  filename: z.string().min(1).max(200).optional().describe('The file name that people see.'),
})

export const sendFile = (deps: ChatDeps) =>
  tool({
    name: 'send_file',
    title: 'Send a file to a chat',
    description: 'Send a file from your workspace to a chat. It is copied immediately; later changes are not sent.',
    input,
    output: sentOutput,
    annotations: posting,
    async run({ to: name, path, text, filename }, { session, key }) {
      if (session.workspaceClaimed) return notVouched
      const file = {
        to: name ?? null,
        text: text ?? null,
        name: filename ?? null,
        read: (most: number) => deps.readFile(session, path, most),
      }
      const sent = await deps.chat.sendFile(session, file, key)
      return sent.ok ? reply({ message_id: sent.value.messageId, status: 'queued' }) : sent
    },
  })
