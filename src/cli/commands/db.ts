import { programName } from '../program-name.ts'
import type { Handler } from '../command.ts'
import type { Context, HeavyParts } from '../context.ts'
import { confirmed } from '../confirm.ts'
import { exit, Failure } from '../failure.ts'
import { printResult, tableOr } from '../print-result.ts'
import type { rollbackFlags } from '../table/server.ts'
import { relativeTime } from '../times.ts'
import { ownServer } from '../terminal/register-terminal.ts'

type Steps = Awaited<ReturnType<Awaited<ReturnType<HeavyParts['maintenance']>>['migrateDatabase']>>

export const databaseStatus: Handler = async (_invocation, context) => {
  const maintenance = await context.parts.maintenance()
  const status = await maintenance.databaseStatus(await context.config())
  const steps = [
    ...status.applied.map((step) => ({ ...step, done: true })),
    ...status.pending.map((step) => ({ ...step, applied: '', done: false })),
  ]
  const { now } = context
  printResult(context, status, ({ current, newest }) => {
    const columns = [
      { title: 'STEP', cell: ({ version }: (typeof steps)[number]) => `${version}` },
      { title: 'NAME', cell: ({ name }: (typeof steps)[number]) => name },
      {
        title: 'DONE',
        cell: ({ applied, done }: (typeof steps)[number]) =>
          done ? relativeTime(applied, now()) : ({ text: 'to do', colour: 'yellow' } as const),
      },
    ]
    return `${tableOr(context, steps, columns, 'No steps.')}\n\n${verdict(current, newest)}`
  })
}

function verdict(current: number, newest: number): string {
  if (current > newest)
    return `Schema ${current} is newer than this Signalbox supports (${newest}). Start the newer version.`
  if (current === newest) return `Schema ${current}: up to date.`
  return `Schema ${current} of ${newest}: the next start brings it up to date, or: ${programName()} db migrate`
}

export const migrateDatabase: Handler = async (_invocation, context) => {
  const maintenance = await context.parts.maintenance()
  report(context, await maintenance.migrateDatabase(await context.config()), 'done', 'The schema is up to date.')
}

export const rollBackDatabase: Handler<typeof rollbackFlags> = async ({ flags }, context) => {
  const loaded = await context.config()
  await refuseIfRunning(context, 'Stop it first: it needs the schema it started with.')
  const maintenance = await context.parts.maintenance()
  const { applied, current, newest } = await maintenance.databaseStatus(loaded)
  const to = flags.to ?? Math.max(0, current - 1)
  const undone = applied.filter(({ version }) => version > to).toReversed()
  // Steps of a newer version are refused below.
  if (undone.length > 0 && current <= newest && !flags.yes) {
    for (const { version, name } of undone) context.out.note(`${version} ${name}`)
    const what = undone.length === 1 ? 'this step' : `these ${undone.length} steps`
    const command = `${programName()} db rollback${flags.to === undefined ? '' : ` --to ${flags.to}`} --yes`
    await confirmed(context, `Roll back ${what}? Data that only they can store is lost.`, command)
  }
  report(context, await maintenance.rollBackDatabase(loaded, to), 'rolled back', 'Nothing to roll back.')
}

function report(context: Context, result: Steps, done: string, nothing: string): void {
  if (!result.ok) throw new Failure({ ...result.fault, exit: exit.failed })
  const { value: steps, backup } = result
  printResult(context, { steps, backup }, () => {
    const lines = steps.map(({ version, name }) => `${version} ${name}: ${done}`)
    if (lines.length === 0) lines.push(nothing)
    if (backup !== null) lines.push(`Backup of the database: ${backup}`)
    return lines.join('\n')
  })
}

export async function refuseIfRunning(context: Context, hint: string): Promise<void> {
  if (!(await isRunning(context))) return
  const message = `A server is running for ${context.dataDir}.`
  throw new Failure({ exit: exit.conflict, code: 'server_running', message, hint })
}

/** Whether a server is running for this data directory. */
async function isRunning(context: Context): Promise<boolean> {
  try {
    // A remote server of --url has another data directory.
    const { client } = await ownServer(context)
    await client.getStatus({})
    return true
  } catch (error) {
    return !(error instanceof Failure && error.exit === exit.noServer)
  }
}
