import { mkdirSync, watch } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import type { LoopAgent, Phase } from './loop-agent.ts'
import type { LoopServer } from './loop-server.ts'
import { until } from './until.ts'

/** When to kill: a time after an agent reached a phase, or at the n-th change in a directory. */
export type Moment =
  | { readonly at: Phase; readonly afterMs: number; readonly what: 'server' | 'client' }
  | { readonly at: 'journal' | 'files'; readonly event: number; readonly what: 'server' }
  | { readonly at: 'starting'; readonly afterMs: number; readonly what: 'server' }

export const describeMoment = (moment: Moment): string =>
  `${moment.what} at ${moment.at} ${'event' in moment ? `event ${moment.event}` : `+${moment.afterMs.toFixed(1)} ms`}`

/** Evenly over all moments, and at random within each. */
export function momentsOf(count: number, random: () => number): Moment[] {
  const within = (most: number) => random() * most
  const kinds: (() => Moment)[] = [
    () => ({ at: 'files', event: 1 + Math.floor(within(12)), what: 'server' }),
    () => ({ at: 'asking', afterMs: within(25), what: 'server' }),
    () => ({ at: 'accepting', afterMs: within(40), what: 'server' }),
    () => ({ at: 'asking', afterMs: within(25), what: 'client' }),
    () => ({ at: 'answered', afterMs: within(8), what: 'server' }),
    () => ({ at: 'journal', event: 1 + Math.floor(within(10)), what: 'server' }),
    () => ({ at: 'answering', afterMs: within(8), what: 'server' }),
    () => ({ at: 'held', afterMs: within(30), what: 'client' }),
    () => ({ at: 'files', event: 1 + Math.floor(within(12)), what: 'server' }),
    () => ({ at: 'held', afterMs: within(30), what: 'server' }),
    () => ({ at: 'starting', afterMs: 150 + within(500), what: 'server' }),
    () => ({ at: 'accepting', afterMs: within(40), what: 'client' }),
    () => ({ at: 'resting', afterMs: within(10), what: 'server' }),
  ]
  return Array.from(
    { length: count },
    (_, n) => kinds[n % kinds.length]?.() ?? { at: 'held', afterMs: 0, what: 'server' },
  )
}

/** Tracks agents' phases, and waits for one. */
export type Killer = {
  entered(agent: LoopAgent, phase: Phase): void
  /** Resolves at that moment, with the agent. */
  moment(moment: Moment): Promise<LoopAgent | null>
}

export function createKiller(server: LoopServer, agents: readonly LoopAgent[]): Killer {
  let wanted: { phase: Phase; hit(agent: LoopAgent): void } | null = null
  return {
    entered(agent, phase) {
      if (wanted?.phase !== phase) return
      const { hit } = wanted
      wanted = null
      hit(agent)
    },
    async moment(moment) {
      if (moment.at === 'starting') return null
      if ('event' in moment) {
        const journals = join(server.home, 'journal')
        mkdirSync(journals, { recursive: true })
        await happens(moment.at === 'journal' ? [journals] : agents.map(({ root }) => root), moment.event)
        return null
      }
      const found = Promise.withResolvers<LoopAgent>()
      wanted = { phase: moment.at, hit: found.resolve }
      const agent = await found.promise
      await spin(moment.afterMs)
      return agent
    },
  }
}

/** After this many changes in or below one of these directories. */
function happens(directories: readonly string[], times: number): Promise<void> {
  const done = Promise.withResolvers<void>()
  const watchers = directories.map((directory) => {
    let left = times
    return watch(directory, { recursive: true }, () => {
      left -= 1
      if (left === 0) done.resolve()
    })
  })
  return done.promise.finally(() => {
    for (const watcher of watchers) watcher.close()
  })
}

/** Timers are too coarse for the time between an answer and its result. */
async function spin(milliseconds: number): Promise<void> {
  const end = performance.now() + milliseconds
  if (milliseconds > 10) await pause(milliseconds - 5)
  while (performance.now() < end) await new Promise((resolve) => setImmediate(resolve))
}

/** No client is being started, which would start a server itself. */
export const nobodyConnects = (agents: readonly LoopAgent[]): Promise<boolean> =>
  until(() => !agents.some(({ connecting }) => connecting), { what: 'a client that is connected' })
