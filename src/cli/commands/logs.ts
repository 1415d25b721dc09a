import { setTimeout as delay } from 'node:timers/promises'
import type { AgentLife } from '../../domain/agent/about.ts'
import type { Session } from '../../domain/session/schema.ts'
import { programName } from '../program-name.ts'
import { cleanText } from '../clean-text.ts'
import type { Handler } from '../command.ts'
import type { ServerConnection, Context } from '../context.ts'
import { exit } from '../failure.ts'
import { findSession } from '../find-by-id.ts'
import { shortId } from '../ids.ts'
import { runSession } from '../live/run-session.ts'
import { createScreen } from '../live/screen.ts'
import { createTextView } from '../live/text-view.ts'
import { printResult } from '../print-result.ts'
import type { logFlags } from '../table/agents.ts'

const every = 1000

export const logs: Handler<typeof logFlags> = async ({ args: [text = ''], flags }, context) => {
  const connection = await context.api()
  const id = await findSession(connection.client, text)
  if (flags.agent) return showLives(context, connection, id)
  if (flags.stderr) return showErrors(context, connection, id, flags.follow)
  if (flags.follow) {
    const session = await connection.client.getSession({ params: { id } })
    return runSession({ context, connection, session, takesPart: false, untilSessionEnds: true })
  }
  const messages = await connection.client.listMessages({ params: { id } })
  if (context.json) return context.out.json(messages)
  if (messages.length === 0) return context.out.print(await nothingSaid(connection, id))
  const screen = createScreen(context.out)
  const view = createTextView(screen, context.out, flags.all ? { resultLines: Infinity } : {})
  for (const message of messages) view.message(message)
  view.settle()
  screen.finish()
  await screen.flush()
}

/** Terminal output is not a message. */
async function nothingSaid({ client }: ServerConnection, id: Session['id']): Promise<string> {
  const { protocolMode } = await client.getSession({ params: { id } })
  if (protocolMode !== 'terminal') return 'No messages.'
  return `This is a terminal. To see its output: ${programName()} terminals replay ${shortId(id)}`
}

async function showLives(context: Context, { client }: ServerConnection, id: Session['id']): Promise<void> {
  const { lives } = await client.agentLives({ params: { id } })
  printResult(context, lives, () =>
    lives.length === 0
      ? 'No process of the agent is known.'
      : lives.map((life) => lifeText(context, life)).join('\n\n'),
  )
}

function lifeText(context: Context, { startedAt, endedAt, exitCode, exitSignal, stderr }: AgentLife): string {
  const how = exitSignal === null ? (exitCode === null ? '' : ` with code ${exitCode}`) : ` on ${exitSignal}`
  const end = endedAt === null ? 'running' : `ended ${endedAt}${how}`
  const output = cleanText(stderr).trimEnd()
  return `${context.out.paint('bold', `Started ${startedAt}, ${end}`)}${output === '' ? '' : `\n${output}`}`
}

async function showErrors(
  context: Context,
  { client }: ServerConnection,
  id: Session['id'],
  goesOn: boolean,
): Promise<number> {
  const read = () => client.sessionErrors({ params: { id } })
  const first = await read()
  if (!goesOn) {
    const none = "The agent's error output is empty."
    printResult(context, first, ({ text }) => (text === '' ? none : cleanText(text).trimEnd()))
    return exit.ok
  }
  const signal = context.interrupted()
  await context.out.write(cleanText(first.text))
  for (let known = first.text; !signal.aborted;) {
    await delay(every, undefined, { signal }).catch(() => {})
    if (signal.aborted) break
    const { text } = await read()
    await context.out.write(cleanText(newText(known, text)))
    known = text
  }
  return exit.interrupted
}

const enough = 512

/** The text added since `before`. Both are tails of a longer text and may lack its start. */
export function newText(before: string, now: string): string {
  if (before === '' || now.startsWith(before)) return now.slice(before.length)
  const tail = before.slice(-enough)
  const at = now.lastIndexOf(tail)
  return at === -1 ? now : now.slice(at + tail.length)
}
