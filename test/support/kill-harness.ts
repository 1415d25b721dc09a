import { Agent } from 'node:http'
import { compareWithJournal } from './kill-harness-compare.ts'
import { brokenInvariants } from './kill-harness-invariants.ts'
import { newJournal, seededRandom, type Journal } from './kill-harness-journal.ts'
import { createEventReader, type EventReader } from './kill-harness-reader.ts'
import type { Rows } from './kill-harness-rows.ts'
import { startReady, type ServerLife } from './kill-harness-server.ts'
import { createWriter, type Load, type Writer } from './kill-harness-writer.ts'

export type Trial = {
  home: string
  env: Readonly<Record<string, string>>
  /** The tables, read directly. */
  rows: () => Promise<Rows>
  writers: number
  seed: number
}

/** A server under load that is killed repeatedly, and what its clients were told meanwhile. */
export type KillHarness = {
  readonly journal: Journal
  readonly reader: EventReader
  /** Ids of the events that the durable follower wrote to the log, over all runs. */
  readonly logged: ReadonlySet<string>
  /** Log lines that report a bug. */
  readonly errors: readonly string[]
  start(): Promise<ServerLife>
  /** All writers at once; `end` ends the run. Resolves when the run and the load have ended. */
  loadUntil(life: ServerLife, end: () => Promise<unknown>): Promise<void>
  /** Every writer repeats what got no answer. */
  settle(life: ServerLife): Promise<void>
  problems(): Promise<string[]>
  random(): number
}

const bug = 50

export function createKillHarness({ home, env, rows, writers: count, seed }: Trial): KillHarness {
  const random = seededRandom(seed)
  const journal = newJournal()
  const reader = createEventReader()
  const logged = new Set<string>()
  const errors: string[] = []
  const openAsks: string[] = []
  const writers: Writer[] = Array.from({ length: count }, (_, n) =>
    createWriter(`w${n}`, journal, openAsks, seededRandom(seed + n + 1)),
  )
  const load = (life: ServerLife, stopped: () => boolean): Load & Disposable => {
    const agent = new Agent({ keepAlive: true })
    return { socketPath: life.socketPath, agent, stopped, [Symbol.dispose]: () => agent.destroy() }
  }
  return {
    journal,
    reader,
    logged,
    errors,
    random,
    async start() {
      const life = await startReady({
        home,
        env: { SIGNALBOX_MAX_CONCURRENT_SESSIONS: '1000000', ...env },
        onLog(line) {
          if (line['msg'] === 'event') logged.add(String(line['id']))
          if (Number(line['level']) >= bug) errors.push(JSON.stringify(line))
        },
      })
      reader.connect(life.socketPath)
      return life
    },
    async loadUntil(life, end) {
      let over = false
      using running = load(life, () => over)
      const working = Promise.all(writers.map((writer) => writer.run(running)))
      await end()
      over = true
      await working
    },
    async settle(life) {
      using running = load(life, () => true)
      await Promise.all(writers.map((writer) => writer.settle(running)))
    },
    async problems() {
      const found = await rows()
      return [...journal.faults, ...reader.faults, ...compareWithJournal(journal, found), ...brokenInvariants(found)]
    },
  }
}

/** What the readers missed of the final log. */
export function missedEvents(harness: KillHarness, rows: Rows): { outside: string[]; inside: string[] } {
  const ids = rows.events.map((row) => String(row['id']))
  const order = harness.reader.seen
  const outside = ids.flatMap((id, at) =>
    order[at] === id ? [] : [`place ${at}: ${id}, seen ${order[at] ?? 'nothing'}`],
  )
  const byWriters = rows.events.filter((row) => row['session_id'] !== null).map((row) => String(row['id']))
  return { outside, inside: byWriters.filter((id) => !harness.logged.has(id)) }
}
