import { called } from '../called.ts'
import type { Session } from '../../domain/session/schema.ts'
import type { Handler } from '../command.ts'
import type { Context } from '../context.ts'
import { exitOfStatus } from '../exit.ts'
import { Failure, wrongUsage } from '../failure.ts'
import { textField } from '../fields.ts'
import { shortId } from '../ids.ts'
import { runSession } from '../live/run-session.ts'
import { readAll } from '../read-all.ts'
import { show } from '../show.ts'
import { readStartWords } from '../start-words.ts'
import { withIdleSessions } from '../slots.ts'
import type { startFlags } from '../table/agents.ts'
import { placeOf } from '../where.ts'

export const start: Handler<typeof startFlags> = async ({ args, flags }, context) => {
  const costUsd = flags.budget === undefined ? undefined : dollars(flags.budget)
  const connection = await context.api()
  const { client } = connection
  const { agent, prompt } = await readStartWords(client, args)
  const place = await placeOf(client, flags, context)
  const words = prompt === '-' ? await readAll(process.stdin) : prompt
  const body = {
    ...place,
    ...(agent !== undefined && { agent }),
    ...(words !== undefined && { prompt: words }),
    ...(flags.isolation !== undefined && { isolation: flags.isolation as 'none' | 'sandbox' }),
    ...(flags.worktree && { worktree: true }),
    ...(flags.auth !== undefined && { authMethod: flags.auth }),
    ...(costUsd !== undefined && { budget: { costUsd } }),
  }
  const session = await client.startSession({ body }).catch(async (error: unknown) => {
    throw await withIdleSessions(withLogs(error), client, context.now())
  })
  // Without words and without somebody to say some, there is nothing to watch.
  if (flags.detach || (words === undefined && (context.keyboard === null || context.json)))
    return showStarted(context, session)
  return runSession({ context, connection, session, takesPart: true, isNew: true })
}

export function showStarted(context: Context, session: Session): void {
  show(context, session, ({ id, status }) => {
    const short = shortId(id)
    return [
      `Session ${id} is ${status}.`,
      `  View:       ${called()} attach ${short}`,
      `  Prompt it:  ${called()} prompt ${short} TEXT`,
      `  End it:     ${called()} stop ${short}`,
    ].join('\n')
  })
}

function dollars(text: string): number {
  const value = Number(text.replace(/^\$/, ''))
  if (Number.isFinite(value) && value > 0) return value
  throw wrongUsage(`Invalid --budget "${text}".`, 'Give an amount in US dollars, such as 2 or 0.50.')
}

/** An agent that could not start said why on its error output, which is kept with the session. */
export function withLogs(error: unknown): unknown {
  if (!(error instanceof Error) || !('details' in error) || !('status' in error) || !('code' in error)) return error
  const id = textField(error.details, 'sessionId')
  if (id === null) return error
  const hint = 'hint' in error && typeof error.hint === 'string' ? `${error.hint}\n` : ''
  return new Failure({
    exit: exitOfStatus(Number(error.status)),
    code: String(error.code),
    message: error.message,
    hint: `${hint}What it said: ${called()} logs ${shortId(id)} --stderr`,
    cause: error,
  })
}
