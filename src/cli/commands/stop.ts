import { hasEnded } from '../../domain/session/status.ts'
import { programName } from '../program-name.ts'
import type { Handler } from '../command.ts'
import type { Context } from '../context.ts'
import { exit, Failure, wrongUsage } from '../failure.ts'
import { findSession } from '../find-by-id.ts'
import { shortId } from '../ids.ts'
import { adviceOn } from '../live/outcome.ts'
import { lockHolder } from '../server-process.ts'
import { printResult } from '../print-result.ts'
import { agentsThatEnd } from '../agents-that-end.ts'
import { confirmed } from '../confirm.ts'
import { endKeeper, openWork, runningServer, untilGone } from '../running-server.ts'
import type { stopFlags } from '../table/agents.ts'
import { counted } from '../display-text.ts'

export const stop: Handler<typeof stopFlags> = async ({ args: [text], flags }, context) => {
  const keep = flags['keep-agents']
  if (text === undefined) {
    if (flags.reason !== undefined) throw wrongUsage('--reason needs a session.')
    return stopServer(context, { keep, sure: flags.yes })
  }
  if (flags.yes) throw wrongUsage('--yes works only for the server, not for a session.')
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

type How = { readonly keep: boolean; readonly sure: boolean }

async function stopServer(context: Context, { keep, sure }: How): Promise<void> {
  const { client } = await context.api()
  const running = await runningServer(client)
  if (running === null) {
    // A stopping server no longer answers, but is still ending its agents.
    const ending = context.url === undefined ? lockHolder(context.dataDir) : null
    if (ending === null) return endLeftovers(context, { keep, sure })
    if (!context.json) context.out.note(`The server (process ${ending}) is already stopping.`)
    const next = await untilGone(client, ending, context)
    return next === null
      ? endLeftovers(context, { keep, sure })
      : printResult(context, { stopped: true }, () => 'Stopped, but another program restarted the server immediately.')
  }
  if (!keep && !sure && running.agentsRunning > 0) {
    for (const line of await agentsThatEnd(client, context.now())) context.out.note(line)
    await confirmed(context, `Stop the server and end ${agentCount(running.agentsRunning)}?`, stopAnyway())
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
  const next = await untilGone(client, running.pid, context)
  const held = !keep && next === null && context.url === undefined ? await endKeeper(context.dataDir) : null
  printResult(context, { stopped: true, agents: keep ? 'keep' : 'end', live }, () =>
    [
      'Stopped.',
      ...terminalWords(held?.terminals ?? 0),
      ...(next === null ? [] : [`Another program restarted the server immediately (process ${next}). Stop it there.`]),
      ...(keep && live > 0 ? [`The next start reconnects to the agents; ${programName()} stop ends them too.`] : []),
    ].join('\n'),
  )
}

const stopAnyway = () => `${programName()} stop --yes. To keep the agents running: ${programName()} stop --keep-agents`

/** Without a server, its keeper may still hold running programs. */
async function endLeftovers(context: Context, { keep, sure }: How): Promise<void> {
  if (context.url !== undefined)
    return printResult(context, { stopped: false }, () => `No response from Signalbox at ${context.url}.`)
  if (keep) return printResult(context, { stopped: false }, () => `No server is running for ${context.dataDir}.`)
  const open = sure ? 0 : ((await openWork(context.dataDir))?.agents ?? 0)
  if (open > 0) {
    context.out.note('No server is running; its keeper still holds agents.')
    await confirmed(context, `End ${agentCount(open)}?`, `${programName()} stop --yes`)
  }
  const ended = await endKeeper(context.dataDir)
  printResult(context, { stopped: ended !== null, agents: 'end', live: ended?.agents ?? 0 }, () => {
    if (ended === null) return `Nothing is running for ${context.dataDir}.`
    const { agents, terminals } = ended
    const held = agents === 0 ? 'which had no programs' : `with ${agentCount(agents)}`
    if (terminals === 0) return `No server was running. Its keeper has ended, ${held.replace(' else', '')}.`
    return [
      'No server was running.',
      ...(agents > 0 ? [`${agentCount(agents)} ended.`] : []),
      ...terminalWords(terminals),
    ].join('\n')
  })
}

/** Terminals belong to people: they and the keeper keep running. */
const terminalWords = (terminals: number): string[] =>
  terminals === 0
    ? []
    : [
        `${counted(terminals, 'terminal')} ${terminals === 1 ? 'keeps' : 'keep'} running in the background; to attach: ${programName()} attach ID`,
      ]
