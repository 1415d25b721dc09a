import { readdirSync, readFileSync } from 'node:fs'
import { request } from 'node:http'
import { join, relative } from 'node:path'
import { stripVTControlCharacters } from 'node:util'
import pg from 'pg'
import { optionsOf, type Api } from '../support/api.ts'

/** Every file below a folder, by its path in it; sockets and pipes hold nothing. */
export function filesOf(folder: string): Map<string, Buffer> {
  const files = readdirSync(folder, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile())
  return new Map(
    files.flatMap((entry) => {
      const path = join(entry.parentPath, entry.name)
      try {
        return [[`file ${relative(folder, path)}`, readFileSync(path)] as const]
      } catch {
        // A file that was removed meanwhile.
        return []
      }
    }),
  )
}

/** The output in recordings, joined across pieces. */
export function shownIn(files: ReadonlyMap<string, Buffer>): Map<string, Buffer> {
  return new Map(
    [...files]
      .filter(([name]) => name.endsWith('.cast'))
      .map(([name, content]) => {
        const pieces = content.toString().split('\n').slice(1).filter(Boolean)
        const events = pieces.map((piece) => JSON.parse(piece) as [number, string, string])
        const text = events.map(([, kind, data]) => (kind === 'o' ? data : '')).join('')
        return [`shown in ${name}`, Buffer.from(stripVTControlCharacters(text))] as const
      }),
  )
}

/** Every row of every table. */
export async function rowsOf(url: string): Promise<Map<string, Buffer>> {
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  try {
    const tables = await client.query<{ name: string }>(
      `select quote_ident(schemaname) || '.' || quote_ident(tablename) as name from pg_tables
       where schemaname not in ('pg_catalog', 'information_schema')`,
    )
    const rows = new Map<string, Buffer>()
    for (const { name } of tables.rows) {
      const found = await client.query<{ row: string }>(`select t::text as row from ${name} t`)
      rows.set(`table ${name}`, Buffer.from(found.rows.map(({ row }) => row).join('\n')))
    }
    return rows
  } finally {
    await client.end()
  }
}

/** The arguments of this machine's processes. */
export function argumentsOf(): Buffer {
  const all = readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name) && name !== String(process.pid))
    .map((pid) => {
      try {
        return readFileSync(`/proc/${pid}/cmdline`)
      } catch {
        return Buffer.alloc(0)
      }
    })
  return Buffer.concat(all)
}

/** Everything received over one open connection, byte for byte. */
export function listenTo(api: Api, path: string): Disposable & { heard(): Buffer } {
  const chunks: Buffer[] = []
  const call = request({ ...optionsOf(api.place), path, headers: api.headers, agent: false })
  call.on('error', () => undefined)
  call.on('response', (response) => {
    response.on('error', () => undefined)
    response.on('data', (chunk: Buffer) => chunks.push(chunk))
  })
  call.end()
  return { heard: () => Buffer.concat(chunks), [Symbol.dispose]: () => void call.destroy() }
}

/** Every request about a terminal that anyone can make, with its response. */
export async function answersOf(api: Api, ids: readonly string[]): Promise<Map<string, Buffer>> {
  const paths = [
    '/api/terminals',
    '/api/sessions',
    '/api/asks',
    '/api/audit/export',
    '/api/catch-up',
    '/api/patterns',
    '/api/alerts',
    ...ids.flatMap((id) => [
      `/api/terminals/${id}`,
      `/api/terminals/${id}/detection`,
      `/api/terminals/${id}/screen`,
      `/api/terminals/${id}/screen?format=ansi`,
      `/api/terminals/${id}/screen?format=scrollback`,
      `/api/terminals/${id}/updates?maxLines=10000`,
      `/api/terminals/${id}/cast`,
      `/api/sessions/${id}`,
      `/api/sessions/${id}/inputs`,
      `/api/sessions/${id}/inputs/export`,
    ]),
  ]
  const answers = new Map<string, Buffer>()
  for (const path of paths) answers.set(`GET ${path}`, Buffer.from((await api.send('GET', path)).text))
  return answers
}
