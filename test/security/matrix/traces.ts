import { readdir } from 'node:fs/promises'
import { join } from 'node:path'
import type { CallerName } from './callers.ts'
import type { MatrixSetup } from './setup.ts'
import { titleOf, type Row } from './table.ts'

/** What the log and the disk contain of it. */
export async function traces({ owner, server, folder }: MatrixSetup): Promise<string[]> {
  type Page = { events: { id: string; type: string; actor: string }[] }
  const { events } = await owner.get<Page>('/api/audit?limit=200')
  const done = events
    .filter(({ type, actor }) => !type.startsWith('security.') && !actor.startsWith('system:'))
    .map(({ id, type, actor }) => `${type} by ${actor} (${id})`)
  const names = async (path: string, recursive: boolean) =>
    (await readdir(path, { recursive }).catch(() => [])).map((name) => join(path, name))
  const kept = await Promise.all(['undo'].map((name) => names(join(server.home, name), false)))
  const places = (await readdir(folder)).filter((name) => /^(?:place-\d+|repos|logs|outside)$/.test(name))
  const files = await Promise.all(places.map((name) => names(join(folder, name), true)))
  return [...done, ...kept.flat(), ...files.flat().filter((name) => !name.includes('/.git/'))]
}

/** Runs the cells of agents that ask their administrators: nothing but the ask may be left of it before an answer. */
export async function onlyAsked(
  row: Row,
  setup: MatrixSetup,
  asking: readonly CallerName[],
  cell: (caller: CallerName) => Promise<string | null>,
): Promise<string[]> {
  if (asking.length === 0) return []
  const before = await traces(setup)
  const [openBefore, groupBefore] = [await openAsks(setup), await groupNow(setup)]
  const lines = await Promise.all(asking.map(cell))
  const left = (await traces(setup)).filter((trace) => !before.includes(trace) && !trace.startsWith('ask.opened '))
  if (left.length > 0) lines.push(`${titleOf(row)}: only asked for, and yet: ${left.slice(0, 3).join('; ')}`)
  // What Signalbox itself does is no trace of a caller, so the group is looked at too.
  if ((await groupNow(setup)) !== groupBefore) lines.push(`${titleOf(row)}: only asked for, and yet the group changed`)
  const opened = (await openAsks(setup)).filter(({ id }) => !openBefore.some((ask) => ask.id === id))
  if (opened.length !== asking.length) lines.push(`${titleOf(row)}: ${opened.length} asks of ${asking.length} callers`)
  // Withdrawn, so that the next row finds nothing open.
  for (const { id } of opened) await setup.persons.self.api.post(`/api/asks/${id}/cancel`, {})
  return lines.flatMap((line) => line ?? [])
}

async function groupNow({ owner, group }: MatrixSetup): Promise<string> {
  const own = ['', '/config', '/members', '/credentials'].map((part) => `/api/agent-groups/${group}${part}`)
  const paths = [...own, '/api/agent-groups', '/api/wirings', '/api/destinations']
  return JSON.stringify(await Promise.all(paths.map((path) => owner.get<unknown>(path))))
}

async function openAsks({ owner, group }: MatrixSetup): Promise<{ id: string }[]> {
  type Page = { asks: { id: string }[] }
  return (await owner.get<Page>(`/api/asks?status=open&agentGroupId=${group}&limit=100`)).asks
}
