import type { Handler } from '../command.ts'
import { printResult } from '../print-result.ts'
import { relativeTime } from '../times.ts'

export const login: Handler = async (_invocation, context) => {
  const { client } = await context.api()
  const link = await client.createLoginLink({ body: {} })
  printResult(context, link, ({ url }) => url)
  if (!context.json)
    context.out.note(`Open it in a browser. It works once, and expires ${relativeTime(link.expiresAt, context.now())}.`)
}
