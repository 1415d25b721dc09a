import type { Session } from '../../domain/session/schema.ts'
import type { Client } from '../../client/client.ts'
import { programName } from '../program-name.ts'
import type { Handler } from '../command.ts'
import type { Context } from '../context.ts'
import { exitOfStatus, Failure, wrongUsage } from '../failure.ts'
import { findGroup } from '../find-by-id.ts'
import { textField } from '../json-fields.ts'
import { shortId } from '../ids.ts'
import { sharedText } from './changes.ts'
import { runSession } from '../live/run-session.ts'
import { readAll } from '../read-all.ts'
import { printResult } from '../print-result.ts'
import { withIdleSessions } from '../idle-sessions.ts'
import type { startFlags } from '../table/agents.ts'
import { chooseWorkspace } from '../workspace-choice.ts'
import { attachFiles } from '../attach-files.ts'
import { cleanLine } from '../clean-text.ts'
import { didYouMean } from '../parse.ts'
import { joined, templateWords } from '../template-words.ts'

export const start: Handler<typeof startFlags> = async ({ args, flags }, context) => {
  const costUsd = flags.budget === undefined ? undefined : dollars(flags.budget)
  const connection = await context.api()
  const { client } = connection
  const { agent, prompt } = await readStartArguments(client, args)
  const agentGroupId = flags.group === undefined ? undefined : await findGroup(client, flags.group)
  const isPlaced = flags.repo !== undefined || flags.workspace !== undefined
  const place = agentGroupId === undefined || isPlaced ? await chooseWorkspace(client, flags, context) : {}
  const own = prompt === '-' ? await readAll(process.stdin) : prompt
  const from = { template: flags.template, set: flags.set, place: agentGroupId === undefined || isPlaced ? place : {} }
  const words = joined(await templateWords(client, from, context), own)
  if (flags.attach.length > 0 && (words ?? '').trim() === '')
    throw wrongUsage('Files are sent with a prompt.', 'Say what to do with them.')
  const body = {
    ...place,
    ...(await attachFiles(client, flags.attach)),
    ...(agent !== undefined && { agent }),
    ...(agentGroupId !== undefined && { agentGroupId }),
    ...(flags.model !== undefined && { model: flags.model }),
    ...(flags.effort !== undefined && { effort: flags.effort }),
    ...(flags['agent-mode'] !== undefined && { agentMode: flags['agent-mode'] }),
    ...optionsOf(flags.option),
    ...(flags.conversation !== undefined && { conversation: flags.conversation }),
    ...(flags.name !== undefined && { name: flags.name }),
    ...(words !== undefined && { prompt: words }),
    ...(flags.isolation !== undefined && { isolation: flags.isolation as 'none' | 'sandbox' | 'container' }),
    ...(flags.worktree && { worktree: true }),
    ...(flags.auth !== undefined && { authMethod: flags.auth }),
    ...(costUsd !== undefined && { budget: { costUsd } }),
  }
  const session = await client.startSession({ body }).catch(async (error: unknown) => {
    throw await withIdleSessions(withLogs(error), client, context.now())
  })
  if (!flags.worktree) await warnIfShared(client, session, context)
  // Without a prompt and without a terminal there is nothing to watch.
  if (flags.detach || (words === undefined && (context.keyboard === null || context.json)))
    return showStarted(context, session)
  return runSession({ context, connection, session, takesPart: true, isNew: true })
}

/** Two agents in one directory overwrite each other. */
async function warnIfShared(client: Client, { id }: Session, context: Context): Promise<void> {
  const { sharedWith } = await client.getSession({ params: { id }, query: { messages: 'none' } })
  if (sharedWith > 0) context.out.note(sharedText(sharedWith))
}

export function showStarted(context: Context, session: Session): void {
  printResult(context, session, ({ id, status }) => {
    const short = shortId(id)
    return [
      `Session ${id} is ${status}.`,
      `  View:       ${programName()} attach ${short}`,
      `  Prompt it:  ${programName()} prompt ${short} TEXT`,
      `  End it:     ${programName()} stop ${short}`,
    ].join('\n')
  })
}

/** `name=value`; true and false are switches. */
function optionsOf(given: readonly string[]): { options?: Record<string, string | boolean> } {
  if (given.length === 0) return {}
  const pairs = given.map((text) => {
    const at = text.indexOf('=')
    if (at < 1) throw wrongUsage(`Invalid --option "${cleanLine(text)}".`, 'Give NAME=VALUE.')
    const value = text.slice(at + 1)
    return [text.slice(0, at), value === 'true' || value === 'false' ? value === 'true' : value] as const
  })
  return { options: Object.fromEntries(pairs) }
}

function dollars(text: string): number {
  const value = Number(text.replace(/^\$/, ''))
  if (Number.isFinite(value) && value > 0) return value
  throw wrongUsage(`Invalid --budget "${text}".`, 'Give an amount in US dollars, such as 2 or 0.50.')
}

/** The stderr of an agent that failed to start is kept with the session. */
export function withLogs(error: unknown): unknown {
  if (!(error instanceof Error) || !('details' in error) || !('status' in error) || !('code' in error)) return error
  const id = textField(error.details, 'sessionId')
  if (id === null) return error
  const hint = 'hint' in error && typeof error.hint === 'string' ? `${error.hint}\n` : ''
  return new Failure({
    exit: exitOfStatus(Number(error.status)),
    code: String(error.code),
    message: error.message,
    hint: `${hint}Its error output: ${programName()} logs ${shortId(id)} --stderr`,
    cause: error,
  })
}

type StartArguments = { agent: string | undefined; prompt: string | undefined }

/** `[AGENT] [PROMPT…]`: the first of several words is the agent; quoted words are a prompt. */
async function readStartArguments(client: Client, words: readonly string[]): Promise<StartArguments> {
  const [first, ...rest] = words
  if (first === undefined) return { agent: undefined, prompt: undefined }
  const whole = words.join(' ')
  // A quoted sentence is not a name.
  if (/\s/.test(first.trim())) return { agent: undefined, prompt: whole }
  const { agents } = await client.listAgents({})
  const names = agents.map(({ name }) => name)
  if (names.includes(first)) return { agent: first, prompt: rest.length === 0 ? undefined : rest.join(' ') }
  const meant = didYouMean(first, names)
  // A single word may be a prompt, unless it looks like a misspelt name.
  if (meant !== undefined || (rest.length > 0 && /^\w[\w.-]*$/.test(first)))
    throw wrongUsage(
      `Agent ${cleanLine(first)} not found.`,
      [
        `${meant === undefined ? '' : `${meant} `}Agents: ${names.map(cleanLine).join(', ')}.`,
        'Put a prompt of several words in quotes. After changing config.toml, restart the server.',
      ].join('\n'),
    )
  return { agent: undefined, prompt: whole }
}
