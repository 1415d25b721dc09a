import type { Client } from '../../client/client.ts'
import { hasEnded } from '../../domain/session/status.ts'
import { connectKeeper } from '../../keeper-client/client.ts'
import { silentLogger } from '../../lib/log.ts'
import { programName } from '../program-name.ts'
import type { Handler } from '../command.ts'
import type { Context } from '../context.ts'
import { exit, Failure, wrongUsage } from '../failure.ts'
import { findSession } from '../find-by-id.ts'
import { shortId } from '../ids.ts'
import { adviceOn } from '../live/outcome.ts'
import { isAlive, lockHolder } from '../server-process.ts'
import { printResult } from '../print-result.ts'
import type { stopFlags } from '../table/agents.ts'
import { waitUntilGone } from '../wait-until-gone.ts'
import { counted } from '../display-text.ts'

export const stop: Handler<typeof stopFlags> = async ({ args: [text], flags }, context) => {
  const keep = flags['keep-agents']
  if (text === undefined) {
    if (flags.reason !== undefined) throw wrongUsage('--reason needs a session.')
    return stopServer(context, keep)
  }
  if (keep) throw wrongUsage('--keep-agents works only for the server, not for a session.')
  const { client } = await context.api()
  const id = await findSession(client, text)
  const { status: before } = await client.getSession({ params: { id } })
  if (hasEnded(before))
    throw new Failure({
      exit: exit.conflict,
      code: 'session_ended',
      message: `Session already ended (${before}).`,
      hint: adviceOn(before, shortId(id)),
    })
  const query = flags.reason === undefined ? {} : { query: { reason: flags.reason } }
  const ended = await client.cancelSession({ params: { id }, ...query })
  printResult(context, ended, ({ status }) =>
    [`Session ${shortId(id)} is ${status}.`, `  ${adviceOn(status, shortId(id))}`].join('\n'),
  )
}

const agentCount = (count: number): string => counted(count, 'agent')

async function stopServer(context: Context, keep: boolean): Promise<void> {
  const { client } = await context.api()
  const pid = await runningPid(client)
  if (pid === null) {
    // A stopping server no longer answers, but is still ending its agents.
    const ending = context.url === undefined ? lockHolder(context.dataDir) : null
    if (ending === null) return endLeftovers(context, keep)
    if (!context.json) context.out.note(`The server (process ${ending}) is already stopping.`)
    const next = await gone(client, ending, context)
    return next === null
      ? endLeftovers(context, keep)
      : printResult(context, { stopped: true }, () => 'Stopped, but another program restarted the server immediately.')
  }
  const { live } = await client.stopServer({ body: { agents: keep ? 'keep' : 'end' } })
  if (!context.json) {
    const kept =
      live === 0
        ? 'no agent is running'
        : `${agentCount(live)} ${live === 1 ? 'keeps' : 'keep'} running in the background`
    const ended = live === 0 ? 'no agent is running' : `${agentCount(live)} ${live === 1 ? 'ends' : 'end'} with it`
    context.out.note(`Stopping the server; ${keep ? kept : ended}.`)
  }
  const next = await gone(client, pid, context)
  const held = !keep && next === null ? await endKeeper(context) : null
  printResult(context, { stopped: true, agents: keep ? 'keep' : 'end', live }, () =>
    [
      'Stopped.',
      ...terminalWords(held?.terminals ?? 0),
      ...(next === null ? [] : [`Another program restarted the server immediately (process ${next}). Stop it there.`]),
      ...(keep && live > 0 ? [`The next start reconnects to the agents; ${programName()} stop ends them too.`] : []),
    ].join('\n'),
  )
}

/** The process that answers; null if none does. */
async function runningPid(client: Client): Promise<number | null> {
  try {
    return (await client.getStatus({})).pid
  } catch (error) {
    if (error instanceof Failure && error.exit === exit.noServer) return null
    throw error
  }
}

/** Resolves when the process is gone, not only silent: until then it uses the keeper to end its agents. */
const gone = (client: Client, pid: number, context: Context): Promise<number | null> =>
  waitUntilGone({
    pid,
    // On another machine or in a container, only silence shows that it ended.
    isNear: context.url === undefined && isAlive(pid),
    // A stopping server may drop or refuse calls.
    answering: () => runningPid(client).catch(() => pid),
    note: (text) => context.json || context.out.note(text),
  })

/** Without a server, its keeper may still hold running programs. */
async function endLeftovers(context: Context, keep: boolean): Promise<void> {
  if (context.url !== undefined)
    return printResult(context, { stopped: false }, () => `No Signalbox answers at ${context.url}.`)
  if (keep) return printResult(context, { stopped: false }, () => `No server is running for ${context.dataDir}.`)
  const ended = await endKeeper(context)
  printResult(context, { stopped: ended !== null, agents: 'end', live: ended?.agents ?? 0 }, () => {
    if (ended === null) return `Nothing is running for ${context.dataDir}.`
    const { agents, terminals } = ended
    const held = agents === 0 ? 'which held nothing else' : `with ${agentCount(agents)}`
    if (terminals === 0) return `No server was running. Its keeper has ended, ${held.replace(' else', '')}.`
    return [
      'No server was running.',
      ...(agents > 0 ? [`${agentCount(agents)} ended.`] : []),
      ...terminalWords(terminals),
    ].join('\n')
  })
}

/** What the keeper was running. */
type OpenWork = { agents: number; terminals: number }

/** Ends the keeper of the data directory unless terminals keep running there; returns what it held, or null if there was none. */
async function endKeeper({ dataDir, url }: Context): Promise<OpenWork | null> {
  if (url !== undefined) return null
  const connected = await connectKeeper({ dataDir, log: silentLogger, start: false })
  if (!connected.ok || connected.value === null) return null
  const children = await connected.value.list().catch(() => [])
  await connected.value.stop()
  const live = children.filter(({ exit: ended }) => ended === null)
  const terminals = live.filter(({ pty }) => pty !== null).length
  return { agents: live.length - terminals, terminals }
}

/** Terminals belong to people: they and the keeper keep running. */
const terminalWords = (terminals: number): string[] =>
  terminals === 0
    ? []
    : [
        `${counted(terminals, 'terminal')} ${terminals === 1 ? 'keeps' : 'keep'} running in the background; to attach: ${programName()} attach ID`,
      ]
