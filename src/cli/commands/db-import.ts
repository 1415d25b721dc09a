import { resolve } from 'node:path'
import type { Handler } from '../command.ts'
import { exit, Failure } from '../failure.ts'
import { printResult, tableOr } from '../print-result.ts'
import type { importFlags } from '../table/server.ts'
import { refuseIfRunning } from './db.ts'

/** More lines of one kind are counted, not listed; `--json` has all. */
const mostLines = 20

export const importDatabase: Handler<typeof importFlags> = async ({ args: [file = ''], flags }, context) => {
  const loaded = await context.config()
  const dryRun = flags['dry-run']
  if (!dryRun) await refuseIfRunning(context, 'Stop it first, and start it again after the import.')
  const maintenance = await context.parts.maintenance()
  const done = await maintenance.importDatabase(loaded, { file: resolve(file), dryRun })
  if (!done.ok) throw new Failure({ ...done.fault, exit: exit.failed })
  printResult(context, { dryRun, ...done.value }, ({ tables, leftOut, changed, backup }) => {
    const shown = tables.filter(({ read }) => read > 0)
    type Row = (typeof shown)[number]
    const count = (n: number) => (n === 0 ? '' : `${n}`)
    const columns = [
      { title: 'TABLE', cell: ({ table }: Row) => table },
      { title: dryRun ? 'TO IMPORT' : 'IMPORTED', cell: ({ imported }: Row) => count(imported) },
      { title: 'UNCHANGED', cell: ({ unchanged }: Row) => count(unchanged) },
      { title: 'LEFT OUT', cell: (row: Row) => count(row.leftOut) },
    ]
    return [
      tableOr(context, shown, columns, 'The file has no rows.'),
      ...section('Skipped:', leftOut),
      ...section('Changed:', changed),
      ...(backup === null ? [] : ['', `Backup of the database: ${backup}`]),
      ...(dryRun ? ['', 'Nothing was changed.'] : []),
    ].join('\n')
  })
}

type Remark = { table: string; id: string; reason: string }

function section(title: string, remarks: readonly Remark[]): string[] {
  if (remarks.length === 0) return []
  const lines = remarks.slice(0, mostLines).map(({ table, id, reason }) => `  ${table} ${id}: ${reason}`)
  const more = remarks.length - mostLines
  return ['', title, ...lines, ...(more > 0 ? [`  and ${more} more`] : [])]
}
