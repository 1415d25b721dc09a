import { readdirSync, readFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import { callerNames, codes, type CallerName } from './callers.ts'

/** One line of the table: a request, and what each kind of caller gets. */
export type Row = {
  readonly area: string
  /** `GET /api/sessions/{id}`, a tool, an event type, an address. */
  readonly name: string
  /** How this request differs, for routes with several rows. */
  readonly variant: string
  readonly cells: Readonly<Record<CallerName, string>>
  readonly note: string
}

const folder = join(import.meta.dirname, 'table')

export const readTable = (area: string): Row[] =>
  readRows(join(folder, `${area}.txt`), callerNames, codes).map((row) => Object.assign(row, { area }))

type Cells<Caller extends string> = Pick<Row, 'name' | 'variant' | 'note'> & {
  readonly cells: Readonly<Record<Caller, string>>
}

/** Lines of `name ~ variant    cell cell … | note`; `#` begins a comment, and the first line names the columns. */
export function readRows<Caller extends string>(
  file: string,
  callers: readonly Caller[],
  known: Readonly<Record<string, string>>,
): Cells<Caller>[] {
  const lines = readFileSync(file, 'utf8').split('\n')
  const rows = lines.filter((line) => line.trim() !== '' && !line.startsWith('#'))
  const [head = '', ...rest] = rows
  const columns = head.trim().split(/\s+/).slice(1)
  if (columns.join(' ') !== callers.join(' ')) throw new Error(`${file}: its columns are ${columns.join(' ')}`)
  return rest.map((line) => rowOf(basename(file), line, callers, known))
}

function rowOf<Caller extends string>(
  file: string,
  line: string,
  callers: readonly Caller[],
  known: Readonly<Record<string, string>>,
): Cells<Caller> {
  const [, title = '', values = '', note = ''] = /^(\S.*?) {2,}([^|]*?)\s*(?:\|\s*(.*))?$/.exec(line) ?? []
  const [name = '', variant = ''] = title.split(' ~ ')
  const cells = values.split(/\s+/)
  const wrong = cells.find((cell) => !(cell in known))
  if (wrong !== undefined) throw new Error(`${file}, ${title}: ${wrong} is not a code`)
  if (cells.length !== callers.length) throw new Error(`${file}, ${title}: ${cells.length} cells`)
  if (cells.includes('n/a') && note === '') throw new Error(`${file}, ${title}: n/a needs a note`)
  const byCaller = Object.fromEntries(callers.map((caller, index) => [caller, cells[index]]))
  return { name, variant, cells: byCaller as Record<Caller, string>, note }
}

export const titleOf = ({ name, variant }: Pick<Row, 'name' | 'variant'>): string =>
  variant === '' ? name : `${name} ~ ${variant}`

/** Areas whose rows are endpoints of the API. */
export const routeAreas = readdirSync(folder)
  .map((file) => file.replace(/\.txt$/, ''))
  .filter((area) => !['pages', 'tools', 'events', 'commands'].includes(area))
