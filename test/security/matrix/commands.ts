import { request, createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import type { CommandSpec as CommandTable } from '../../../src/cli/command.ts'
import { rootCommand } from '../../../src/cli/table.ts'
import { scale } from '../../support/scale.ts'
import { cleanEnv, runCli, startServer, type Ran } from '../../support/server.ts'
import type { CallerName } from './callers.ts'
import { callerNames, pastPermission, refusals } from './callers.ts'
import type { Lanes } from './cli-lanes.ts'
import type { MatrixSetup } from './setup.ts'
import type { CommandSpec } from './requests/commands.ts'
import { none, type Prepared } from './spec.ts'
import { titleOf, type Row } from './table.ts'
import { onlyAsked, traces } from './traces.ts'

/** The endpoints a command calls, as its row says; null if it calls no server. */
export const routesOf = ({ note }: Row): string[] | null =>
  note.startsWith('local:') ? null : (note.split('; ')[0] ?? '').split(', ')

/** Every command and subcommand there is. */
export const offeredCommands = (): string[] => namesBelow(rootCommand, '')

const namesBelow = ({ children }: CommandTable, path: string): string[] =>
  children.flatMap((child) => {
    const name = path === '' ? child.name : `${path} ${child.name}`
    return [name, ...namesBelow(child, name)]
  })

/** The environment of a person with this caller's token, on the machine of the server. */
export function surroundings(setup: MatrixSetup, caller: CallerName, subject: Prepared | null, url: string) {
  const token = /^Bearer (.*)$/.exec(setup.headers(caller, subject)['authorization'] ?? '')?.[1]
  return cleanEnv({
    HOME: setup.folder,
    SIGNALBOX_HOME: setup.server.home,
    SIGNALBOX_URL: url,
    ...(token !== undefined && { SIGNALBOX_TOKEN: token }),
  })
}

/** The same in a separate process. */
export const commandLine = (setup: MatrixSetup, caller: CallerName, args: readonly string[]): Promise<Ran> =>
  runCli(args, surroundings(setup, caller, null, setup.server.address))

/** The server, called from another address each time: failures are counted by address. */
export async function openDetour(setup: MatrixSetup): Promise<AsyncDisposable & { url: string }> {
  let asked = 0
  const pass = (incoming: IncomingMessage, outgoing: ServerResponse) => {
    asked += 1
    const from = `10.${(asked >> 16) & 255}.${(asked >> 8) & 255}.${asked & 255}`
    const { hostname, port, host } = new URL(setup.server.address)
    const headers = { ...incoming.headers, host, 'x-forwarded-for': from }
    const call = request({ hostname, port, path: incoming.url, method: incoming.method, headers, agent: false })
    call.on('response', (response) => {
      outgoing.writeHead(response.statusCode ?? 502, response.headers)
      response.pipe(outgoing)
    })
    call.on('error', () => outgoing.destroy())
    incoming.pipe(call)
  }
  const server = createServer(pass)
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  return {
    url: `http://127.0.0.1:${port}`,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections()
      server.close()
    },
  }
}

export type CommandContext = { readonly setup: MatrixSetup; readonly lanes: Lanes; readonly url: string }

/**
 * Who runs a command. Permissions are the endpoints', whose rows are tried with every caller; so here one caller for each
 * result is enough, another one in each row.
 */
function wantedOf(row: Row): CallerName[] {
  const all = callerNames.filter((caller) => row.cells[caller] !== 'n/a')
  const turn = titleOf(row).length
  const alike = Object.values(Object.groupBy(all, (caller) => row.cells[caller]))
  return scale({ test: alike.flatMap((some = []) => some[turn % some.length] ?? []), long: all })
}

/** Runs one row of the commands; returns one line for every cell that does not hold. */
export async function runCommand(row: Row, spec: CommandSpec, context: CommandContext): Promise<string[]> {
  const { setup } = context
  const wanted = wantedOf(row)
  // A caller who can't see it can't change it either.
  const isRefused = (caller: CallerName) => row.cells[caller] in refusals || ['no', 'own'].includes(row.cells[caller])
  const refused = wanted.filter(isRefused)
  const asking = wanted.filter((caller) => row.cells[caller] === 'asks')
  const others = wanted.filter((caller) => !isRefused(caller) && !asking.includes(caller) && !spec.last)
  const subjectOf = () => spec.on?.(setup) ?? Promise.resolve(none)
  const subject = await subjectOf()
  const before = await traces(setup)
  const lines = await Promise.all(refused.map((caller) => cell(row, spec, context, caller, subject)))
  const changed = (await traces(setup)).filter((trace) => !before.includes(trace))
  if (changed.length > 0) lines.push(`${titleOf(row)}: refused, and yet: ${changed.slice(0, 3).join('; ')}`)
  lines.push(...(await onlyAsked(row, setup, asking, (caller) => cell(row, spec, context, caller, subject))))
  if (spec.fresh && spec.on)
    for (const caller of others) lines.push(await cell(row, spec, context, caller, await subjectOf()))
  else lines.push(...(await Promise.all(others.map((caller) => cell(row, spec, context, caller, subject)))))
  return lines.flatMap((line) => line ?? [])
}

async function cell(
  row: Row,
  spec: CommandSpec,
  { setup, lanes, url }: CommandContext,
  caller: CallerName,
  subject: Prepared,
): Promise<string | null> {
  const expected = row.cells[caller]
  const words = spec.words?.(subject, setup, caller) ?? []
  const args = [...row.name.split(' '), ...words, ...(spec.plain ? [] : ['--json'])]
  const isDead = expected === '401' || ['rvkd', 'expd', 'rmvd', 'none'].includes(caller)
  const env = surroundings(setup, caller, subject, isDead ? url : setup.server.address)
  const line = {
    args,
    env,
    cwd: setup.folder,
    stdin: spec.stdin?.(subject, setup) ?? '',
    heldUntil: spec.heldUntil ?? '',
  }
  const isLet = !(expected in refusals) && expected !== 'no'
  const [ran] = await Promise.all([lanes.run(line), isLet ? spec.meanwhile?.(subject, setup) : undefined])
  const got = verdict(expected, spec, subject.marker, ran)
  return got === null ? null : `${titleOf(row)}, ${caller}: expected ${expected}, got ${got}`
}

/** Exit codes by HTTP status, as in docs/cli.md. */
const exits: Readonly<Record<number, number>> = { 400: 2, 401: 4, 403: 4, 404: 5, 409: 6 }

/** Null if the result is what the cell says, otherwise the result. */
function verdict(expected: string, spec: CommandSpec, marker: string | undefined, ran: Ran): string | null {
  const { code, stdout, stderr } = ran
  const said = `exit ${code}: ${(stderr || stdout).trim().slice(-300)}`
  const isDone = code === 0 && (spec.done === undefined || spec.done.test(`${stdout}\n${stderr}`))
  if (expected === 'no') return isDone ? `${said} (it was done)` : null
  const refusal = refusals[expected]
  if (refusal) {
    const why = /"code":"(\w+)"/.exec(stderr)?.[1] ?? ''
    const fits = code === exits[refusal.status] && (refusal.codes === null || refusal.codes.includes(why))
    return fits ? null : said
  }
  if (expected === 'asks') return code === exits[409] && stderr.includes('"code":"pending"') ? null : said
  if (expected === 'nil') return [2, 5, 6].includes(code ?? 0) ? null : said
  if (expected === 'past' && [...pastPermission].some((code) => stderr.includes(`"code":"${code}"`))) return null
  if (!isDone) return said
  if (marker === undefined) return null
  const shows = stdout.includes(marker)
  if (expected === 'own') return shows ? 'what is not theirs' : null
  return shows || spec.fresh ? null : `nothing of what is asked for: ${stdout.slice(0, 200)}`
}

/** Runs a command that calls no server, with an invalid token and its own data directory. */
export async function runLocally(
  title: string,
  words: readonly string[],
  setup: MatrixSetup,
  lanes: Lanes,
): Promise<Ran> {
  const [name = ''] = title.split(' ~ ')
  const env = {
    ...surroundings(setup, 'rvkd', null, setup.server.address),
    SIGNALBOX_HOME: join(setup.folder, 'alone'),
  }
  if (name === 'serve') {
    await using started = await startServer({ env: { ...env, SIGNALBOX_HOME: join(setup.folder, 'served') } })
    return { code: 0, stdout: started.printed(), stderr: '' }
  }
  const args = [...name.split(' '), ...words]
  return lanes.run({ args, env, cwd: setup.folder })
}
