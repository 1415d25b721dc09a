import type { Client } from '../client/client.ts'
import { connectKeeper, type Keeper } from '../keeper-client/client.ts'
import { silentLogger } from '../lib/log.ts'
import type { Context } from './context.ts'
import { exit, Failure } from './failure.ts'
import { isAlive } from './server-process.ts'
import { waitUntilGone } from './wait-until-gone.ts'

/** The status of the server that answers; null if none does. */
export async function runningServer(client: Client): Promise<Awaited<ReturnType<Client['getStatus']>> | null> {
  try {
    return await client.getStatus({})
  } catch (error) {
    if (error instanceof Failure && error.exit === exit.noServer) return null
    throw error
  }
}

export const runningPid = async (client: Client): Promise<number | null> => (await runningServer(client))?.pid ?? null

/**
 * Resolves when the process is gone, not only silent: until then it uses the keeper to end its agents. Returns the process that
 * answers in its place.
 */
export const untilGone = (client: Client, pid: number, context: Context): Promise<number | null> =>
  waitUntilGone({
    pid,
    // On another machine or in a container, only silence shows that it ended.
    isNear: context.url === undefined && isAlive(pid),
    // A stopping server may drop or refuse calls.
    answering: () => runningPid(client).catch(() => pid),
    note: (text) => context.json || context.out.note(text),
  })

/** What the keeper of a data directory was running. */
export type OpenWork = { readonly agents: number; readonly terminals: number }

/**
 * Ends the keeper of a data directory unless terminals keep running there; returns what it held, or null if there was none.
 * Only when no server runs: the keeper serves one at a time, and this would take its place.
 */
export async function endKeeper(dataDir: string): Promise<OpenWork | null> {
  const connected = await connectKeeper({ dataDir, log: silentLogger, start: false })
  if (!connected.ok || connected.value === null) return null
  const held = await workOf(connected.value)
  await connected.value.stop()
  return held
}

/** What the keeper of a data directory is running; null if there is none. */
export async function openWork(dataDir: string): Promise<OpenWork | null> {
  const connected = await connectKeeper({ dataDir, log: silentLogger, start: false })
  if (!connected.ok || connected.value === null) return null
  const held = await workOf(connected.value)
  await connected.value[Symbol.asyncDispose]()
  return held
}

async function workOf(keeper: Keeper): Promise<OpenWork> {
  const children = await keeper.list().catch(() => [])
  const live = children.filter(({ exit: ended }) => ended === null)
  const terminals = live.filter(({ pty }) => pty !== null).length
  return { agents: live.length - terminals, terminals }
}
