import type { Handler } from '../command.ts'
import { findSession } from '../find-by-id.ts'
import { messageLines } from '../message-text.ts'
import { printResult } from '../print-result.ts'
import type { messageFlags } from '../table/work.ts'
import { timeBack } from '../times.ts'

export const showMessages: Handler<typeof messageFlags> = async ({ args: [text = ''], flags }, context) => {
  const since = flags.since === undefined ? undefined : timeBack('since', flags.since, context.now())
  const { client } = await context.api()
  const id = await findSession(client, text)
  const messages = await client.listMessages({ params: { id }, ...(since !== undefined && { query: { since } }) })
  printResult(context, messages, () => {
    const lines = messages.flatMap((message) => messageLines(message, context.now(), context.out.paint))
    return lines.length === 0 ? 'No messages.' : lines.join('\n')
  })
}
