import type { Client } from '../../client/client.ts'
import type { Session } from '../../domain/session/schema.ts'
import { hasEnded, sessionStatuses } from '../../domain/session/status.ts'
import { programName } from '../program-name.ts'
import type { Handler } from '../command.ts'
import type { Context } from '../context.ts'
import { exit, Failure, wrongUsage } from '../failure.ts'
import { textField } from '../json-fields.ts'
import { findSession } from '../find-by-id.ts'
import { shortId } from '../ids.ts'
import { adviceOn } from '../live/outcome.ts'
import { runSession } from '../live/run-session.ts'
import { readAll } from '../read-all.ts'
import { sessionHere } from '../session-here.ts'
import { attachFiles } from '../attach-files.ts'
import { joined, templateWords } from '../template-words.ts'
import { printResult } from '../print-result.ts'
import { withIdleSessions } from '../idle-sessions.ts'
import type { continueFlags, promptFlags } from '../table/agents.ts'
import type { terminalAttachFlags } from '../table/run.ts'
import { showStarted, withLogs } from './start.ts'

const lastMessages = 10

export const attach: Handler<typeof terminalAttachFlags> = async ({ args: [text], flags }, context) => {
  const connection = await context.api()
  const { client } = connection
  const found = await sessionMeant(text, client, context).catch(async (error: unknown) => {
    // Terminals live in the keeper and work without a server.
    const isAlone = error instanceof Failure && error.exit === exit.noServer && context.url === undefined
    const code = isAlone ? await (await import('../terminal/attach-here.ts')).attachAlone(context, text, flags) : null
    if (code === null) throw error
    return code
  })
  if (typeof found === 'number') return found
  const session = await client.getSession({ params: { id: found } })
  if (session.protocolMode === 'terminal')
    return (await import('../terminal/attach-here.ts')).attachKnown(context, session.id, {
      ...flags,
      named: text !== undefined,
    })
  return runSession({ context, connection, session, last: lastMessages, takesPart: true })
}

/** A session by id, a terminal by name, or the open session of this workspace. */
async function sessionMeant(text: string | undefined, client: Client, context: Context): Promise<Session['id']> {
  if (text === undefined) return sessionHere(client, context)
  const isId = /^[0-9a-f-]{4,}$/i.test(text)
  return isId ? findSession(client, text) : (await import('../terminal/find-terminal.ts')).findTerminal(client, text)
}

export const prompt: Handler<typeof promptFlags> = async ({ args: [text = '', ...words], flags }, context) => {
  if (flags.now && flags.later) throw wrongUsage('Give --now or --later, not both.')
  const connection = await context.api()
  const { client } = connection
  const id = await findSession(client, text)
  const when = flags.now ? ('now' as const) : ('next' as const)
  const from = { template: flags.template, set: flags.set, place: { sessionId: id } }
  const template = await templateWords(client, from, context)
  const own = template === undefined || words.length > 0 ? await promptWords(words, context) : undefined
  const said = joined(template, own) ?? ''
  const files = await attachFiles(client, flags.attach)
  const body = { text: said, when: flags.later ? ('later' as const) : when, ...files }
  const before = flags.wait ? await client.getSession({ params: { id } }) : null
  const item = await client.promptSession({ params: { id }, body }).catch((error: unknown) => {
    throw withAdvice(error, id)
  })
  if (before) return runSession({ context, connection, session: before, known: before.messages, takesPart: true })
  printResult(context, item, ({ position, status }) => {
    const place = position === 0 ? 'It is next' : `${position} before it`
    return `${status === 'waiting' ? `Queued. ${place}` : 'Sent'}: ${programName()} attach ${shortId(id)} to watch.`
  })
  return exit.ok
}

/** For a session that takes no prompts, name the command that helps. */
function withAdvice(error: unknown, id: Session['id']): unknown {
  if (!(error instanceof Error) || !('code' in error) || !('details' in error)) return error
  const status = sessionStatuses.find((one) => one === textField(error.details, 'status'))
  if (error.code !== 'session_not_active' || status === undefined || status === 'created') return error
  return new Failure({
    exit: exit.conflict,
    code: error.code,
    message: hasEnded(status) ? `Session ${shortId(id)} has ended (${status}): it takes no prompts.` : error.message,
    hint: adviceOn(status, shortId(id)),
    cause: error,
  })
}

async function promptWords(words: readonly string[], context: Context): Promise<string> {
  const text = words.join(' ')
  const read = text === '-' ? await readAll(process.stdin) : text
  if (read.trim() !== '') return read
  throw wrongUsage(
    context.keyboard ? 'The prompt is empty.' : 'The prompt is missing.',
    'Give it after the session, in quotes, or - to read it from standard input.',
  )
}

/** Continuing ends an open session, so it needs --replace. */
async function refuseLive(client: Client, id: Session['id']): Promise<void> {
  const { status } = await client.getSession({ params: { id } })
  if (hasEnded(status)) return
  const short = shortId(id)
  const goOn = {
    paused: [`Resume it:        ${programName()} sessions resume ${short}`],
    interrupted: [`Recover it: ${programName()} sessions recover ${short}`],
  }
  throw new Failure({
    exit: exit.conflict,
    code: 'session_not_ended',
    message: `Session ${short} is ${status}; only an ended session can be continued.`,
    hint: [
      ...(status === 'paused' || status === 'interrupted' ? goOn[status] : []),
      `Watch it:         ${programName()} attach ${short}`,
      `Message it:       ${programName()} prompt ${short} TEXT`,
      `End it first:     ${programName()} stop ${short}`,
      'Or end it and continue as a new one: --replace',
    ].join('\n'),
  })
}

export const continueSession: Handler<typeof continueFlags> = async (
  { args: [text = '', ...words], flags },
  context,
) => {
  const connection = await context.api()
  const { client } = connection
  const id = await findSession(client, text)
  if (!flags.replace) await refuseLive(client, id)
  const said = words.join(' ') === '-' ? await readAll(process.stdin) : words.join(' ')
  const session = await client
    .restartSession({ params: { id }, body: said.trim() === '' ? {} : { prompt: said } })
    .catch(async (error: unknown) => {
      throw await withIdleSessions(withLogs(error), client, context.now())
    })
  if (!context.json) context.out.note(`Session ${shortId(id)} continues as ${shortId(session.id)}.`)
  const nobody = said.trim() === '' && (context.keyboard === null || context.json)
  if (flags.detach || nobody) {
    showStarted(context, session)
    return exit.ok
  }
  return runSession({ context, connection, session, takesPart: true, isNew: true })
}
