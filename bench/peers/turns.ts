import { startChild, type Child } from '../lib/child.ts'
import { startServer, type PeerServer } from './servers.ts'
import type { SerialRound } from './wire-client.ts'

export const shownName = {
  ours: 'Signalbox',
  bare: 'bare Hono',
  hapi: 'HAPI 0.30.7',
  opencode: 'opencode 1.18.33',
  disk: 'the disk alone',
} as const
export type SideName = keyof typeof shownName

export type Side = PeerServer & { client: Child }
export type Measured = Partial<Record<SideName, number[]>>

/** Ours must not fail; a peer that fails is named, and the others continue. */
export function leaveOut(name: SideName, error: unknown): void {
  if (name === 'ours') throw error
  process.stderr.write(`  ${shownName[name]} is left out: ${String(error)}\n`)
}

/** A B A B …: one warm-up of each that does not count, then the rounds that do. */
export async function inTurns(rounds: number, sides: Map<SideName, () => Promise<number>>): Promise<Measured> {
  const measured: Measured = {}
  for (let round = 0; round <= rounds; round += 1)
    for (const [name, measure] of sides)
      try {
        const value = await measure()
        if (round > 0) (measured[name] ??= []).push(value)
      } catch (error) {
        leaveOut(name, error)
        sides.delete(name)
        delete measured[name]
      }
  return measured
}

/** The same for every server that can be started, each with 20 sessions and its own client, and for `others`. */
export async function serversInTurns(
  folder: string,
  rounds: number,
  measure: (side: Side) => Promise<number>,
  others: Iterable<[SideName, () => Promise<number>]> = [],
  config = '',
): Promise<Measured> {
  await using stack = new AsyncDisposableStack()
  const sides = new Map<SideName, () => Promise<number>>(others)
  for (const name of ['hapi', 'opencode', 'bare', 'ours'] as const) {
    try {
      const started = await startServer(name, folder, stack, config)
      if ('missing' in started) throw new Error(started.missing)
      const client = stack.use(await startChild(import.meta.resolve('./wire-client.ts'), null))
      const side = { ...started.server, client }
      await create(side, 20)
      sides.set(name, () => measure(side))
    } catch (error) {
      leaveOut(name, error)
    }
  }
  return await inTurns(rounds, sides)
}

let made = 0

/** A new session, unlike any before. */
export const nextSession = (side: Side): string => side.create((made += 1))

/** Sessions a second, created one after the other. */
export function create(side: Side, count: number): Promise<number> {
  const requests = Array.from({ length: count }, () => nextSession(side))
  return side.client.call<number>('serial', { port: side.program.port, requests } satisfies SerialRound)
}
