import type { Client } from '../../client/client.ts'
import type { Column } from '../columns.ts'
import type { Handler } from '../command.ts'
import type { Context } from '../context.ts'
import { cleanLine, cleanText } from '../clean-text.ts'
import { exit, Failure, wrongUsage } from '../failure.ts'
import { findSession } from '../find-by-id.ts'
import { sessionHere } from '../session-here.ts'
import { printResult, tableOr } from '../print-result.ts'
import type { runFlags } from '../table/run.ts'

type RunningProgram = { alias: string; command: string; shell: boolean }

const columns: Column<RunningProgram>[] = [
  { title: 'ALIAS', cell: (one) => one.alias },
  { title: 'COMMAND', cell: (one) => one.command, shrinks: true },
  { title: 'SHELL', cell: (one) => (one.shell ? 'yes' : 'no') },
]

/** After `--`: a program in a terminal. Otherwise: a configured command, or their list. */
export const run: Handler<typeof runFlags> = async ({ args: [first, ...words], dashes, flags }, context) => {
  if (dashes === 0) {
    if (first === undefined) throw wrongUsage('No program given after --.', 'Example: signalbox run -- npm init')
    if (flags.session !== undefined) throw wrongUsage('--session needs an ALIAS, not a program.')
    const { startProgram } = await import('../terminal/start-program.ts')
    const { detachOptions } = await import('../terminal/detach-keys.ts')
    return startProgram(context, { argv: [first, ...words], type: 'script', name: flags.name }, detachOptions(flags))
  }
  const line = [first, ...words].join(' ')
  if (words.length > 0)
    throw wrongUsage(
      `Unexpected argument "${cleanLine(words[0] ?? '')}": commands of config.toml take none.`,
      `To run a program in a terminal: signalbox run -- ${cleanLine(line)}`,
    )
  if (flags.detach || flags.name !== undefined || flags['detach-keys'] !== undefined)
    throw wrongUsage('--name, --detach and --detach-keys need a program after --.')
  return runAlias(context, first, flags.session)
}

const asProgram = (alias: string, more = ''): string =>
  `To run a program in a terminal${more}: signalbox run -- ${cleanLine(alias)}`

/** A word that is not an alias was most likely meant as a program: say so first. */
async function refuseStranger(client: Client, alias: string): Promise<void> {
  const { commands } = await client.listCommands({}).catch((error: unknown) => {
    if (!(error instanceof Failure) || error.exit !== exit.noServer) throw error
    const { code, message } = error
    const hint = [error.hint ?? '', asProgram(alias, ', without a server')].join('\n').trim()
    throw new Failure({ exit: error.exit, code, message, hint, cause: error })
  })
  if (commands.some((one) => one.alias === alias)) return
  const there = commands.length === 0 ? 'None yet; add them there.' : `Available: ${someOf(commands)}`
  throw new Failure({
    exit: exit.notFound,
    code: 'command_not_found',
    message: `Command ${cleanLine(alias)} not found under [commands] in config.toml.`,
    hint: `${asProgram(alias)}\n${there}`,
  })
}

const mostNamed = 10
const someOf = (commands: readonly RunningProgram[]): string => {
  const names = commands.slice(0, mostNamed).map(({ alias }) => cleanLine(alias))
  return commands.length > mostNamed ? `${names.join(', ')}, …: signalbox run` : names.join(', ')
}

async function runAlias(context: Context, alias: string | undefined, session: string | undefined) {
  const { client } = await context.api()
  if (alias === undefined) {
    const { commands } = await client.listCommands({})
    return printResult(context, { commands }, () =>
      tableOr(
        context,
        commands,
        columns,
        'No commands. Add some under [commands] in config.toml, and restart the server.',
      ),
    )
  }
  await refuseStranger(client, alias)
  const id = session === undefined ? await sessionHere(client, context) : await findSession(client, session)
  const ran = await client.runCommand({ params: { id }, body: { alias } })
  if (context.json) context.out.json(ran)
  else {
    if (ran.stdout !== '') context.out.print(cleanText(ran.stdout.replace(/\n$/, '')))
    if (ran.stderr !== '') context.out.note(cleanText(ran.stderr.replace(/\n$/, '')))
    if (ran.truncated) context.out.note('The output was truncated.')
    if (ran.timedOut) context.out.note(`Stopped after ${Math.round(ran.seconds)} seconds.`)
  }
  return ran.exitCode ?? 1
}
