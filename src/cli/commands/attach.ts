import type { Handler } from '../command.ts'
import type { Context } from '../context.ts'
import { exit } from '../exit.ts'
import { wrongUsage } from '../failure.ts'
import { findSession } from '../find.ts'
import { shortId } from '../ids.ts'
import { runSession } from '../live/run-session.ts'
import { readAll } from '../read-all.ts'
import { show } from '../show.ts'
import type { continueFlags, promptFlags } from '../table/agents.ts'
import { showStarted, withLogs } from './start.ts'

const lastMessages = 10

export const attach: Handler = async ({ args: [text = ''] }, context) => {
  const connection = await context.api()
  const id = await findSession(connection.client, text)
  const session = await connection.client.getSession({ params: { id } })
  return runSession({ context, connection, session, last: lastMessages, takesPart: true })
}

export const prompt: Handler<typeof promptFlags> = async ({ args: [text = '', ...words], flags }, context) => {
  if (flags.now && flags.later) throw wrongUsage('Give --now or --later, not both.')
  const connection = await context.api()
  const { client } = connection
  const id = await findSession(client, text)
  const when = flags.now ? ('now' as const) : ('next' as const)
  const body = { text: await promptWords(words, context), when: flags.later ? ('later' as const) : when }
  const before = flags.wait ? await client.getSession({ params: { id } }) : null
  const item = await client.promptSession({ params: { id }, body })
  if (before) return runSession({ context, connection, session: before, known: before.messages, takesPart: true })
  show(context, item, ({ position, status }) => {
    const place = position === 0 ? 'It is next' : `${position} before it`
    return `${status === 'waiting' ? `Queued. ${place}` : 'Sent'}: signalbox attach ${shortId(id)} shows the work.`
  })
  return exit.ok
}

async function promptWords(words: readonly string[], context: Context): Promise<string> {
  const text = words.join(' ')
  const read = text === '-' ? await readAll(process.stdin) : text
  if (read.trim() !== '') return read
  throw wrongUsage(
    context.keyboard ? 'The prompt is empty.' : 'The prompt is missing.',
    'Write it after the session, in quotes, or - to read it from standard input.',
  )
}

export const continueSession: Handler<typeof continueFlags> = async (
  { args: [text = '', ...words], flags },
  context,
) => {
  const connection = await context.api()
  const { client } = connection
  const id = await findSession(client, text)
  const said = words.join(' ') === '-' ? await readAll(process.stdin) : words.join(' ')
  const session = await client
    .restartSession({ params: { id }, body: said.trim() === '' ? {} : { prompt: said } })
    .catch((error: unknown) => {
      throw withLogs(error)
    })
  if (!context.json) context.out.note(`Session ${shortId(id)} goes on as ${shortId(session.id)}.`)
  const nobody = said.trim() === '' && (context.keyboard === null || context.json)
  if (flags.detach || nobody) {
    showStarted(context, session)
    return exit.ok
  }
  return runSession({ context, connection, session, takesPart: true })
}
