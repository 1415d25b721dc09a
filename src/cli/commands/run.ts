import type { Column } from '../columns.ts'
import type { Handler } from '../command.ts'
import { findSession } from '../find.ts'
import { cleanText } from '../clean-text.ts'
import { sessionHere } from '../sessions-here.ts'
import { show, tableOr } from '../show.ts'
import type { runFlags } from '../table/run.ts'

type Known = { alias: string; command: string; shell: boolean }

const columns: Column<Known>[] = [
  { title: 'ALIAS', cell: (one) => one.alias },
  { title: 'COMMAND', cell: (one) => one.command, shrinks: true },
  { title: 'SHELL', cell: (one) => (one.shell ? 'yes' : 'no') },
]

/** Runs a command of the server's configuration in the workspace of a session; without a name, lists them. */
export const run: Handler<typeof runFlags> = async ({ args: [alias], flags }, context) => {
  const { client } = await context.api()
  if (alias === undefined) {
    const { commands } = await client.listCommands({})
    return show(context, { commands }, () =>
      tableOr(
        context,
        commands,
        columns,
        'No commands. Add some under [commands] in config.toml, and start the server anew.',
      ),
    )
  }
  const id = flags.session === undefined ? await sessionHere(client, context) : await findSession(client, flags.session)
  const ran = await client.runCommand({ params: { id }, body: { alias } })
  if (context.json) context.out.json(ran)
  else {
    if (ran.stdout !== '') context.out.print(cleanText(ran.stdout.replace(/\n$/, '')))
    if (ran.stderr !== '') context.out.note(cleanText(ran.stderr.replace(/\n$/, '')))
    if (ran.truncated) context.out.note('There was more output than is kept.')
    if (ran.timedOut) context.out.note(`It was ended after ${Math.round(ran.seconds)} seconds.`)
  }
  return ran.exitCode ?? 1
}
