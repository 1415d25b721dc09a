import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
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

/** Lines of `name ~ variant    cell cell … | note`; `#` begins a comment, and the first line names the columns. */
export function readTable(area: string): Row[] {
  const lines = readFileSync(join(folder, `${area}.txt`), 'utf8').split('\n')
  const rows = lines.filter((line) => line.trim() !== '' && !line.startsWith('#'))
  const [head = '', ...rest] = rows
  const columns = head.trim().split(/\s+/).slice(1)
  if (columns.join(' ') !== callerNames.join(' ')) throw new Error(`${area}.txt: its columns are ${columns.join(' ')}`)
  return rest.map((line) => rowOf(area, line))
}

function rowOf(area: string, line: string): Row {
  const [, title = '', values = '', note = ''] = /^(\S.*?) {2,}([^|]*?)\s*(?:\|\s*(.*))?$/.exec(line) ?? []
  const [name = '', variant = ''] = title.split(' ~ ')
  const cells = values.split(/\s+/)
  const wrong = cells.find((cell) => !(cell in codes))
  if (wrong !== undefined) throw new Error(`${area}.txt, ${title}: ${wrong} is not a code`)
  if (cells.length !== callerNames.length) throw new Error(`${area}.txt, ${title}: ${cells.length} cells`)
  if (cells.includes('n/a') && note === '') throw new Error(`${area}.txt, ${title}: n/a needs a note`)
  const byCaller = Object.fromEntries(callerNames.map((caller, index) => [caller, cells[index]]))
  return { area, name, variant, cells: byCaller as Row['cells'], note }
}

export const titleOf = ({ name, variant }: Pick<Row, 'name' | 'variant'>): string =>
  variant === '' ? name : `${name} ~ ${variant}`

/** Areas whose rows are endpoints of the API. */
export const routeAreas = readdirSync(folder)
  .map((file) => file.replace(/\.txt$/, ''))
  .filter((area) => !['pages', 'tools', 'events', 'commands'].includes(area))
