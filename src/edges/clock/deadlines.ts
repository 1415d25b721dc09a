import type { App } from '../../app/app.ts'
import type { Change } from '../../app/command.ts'
import { deadlineKinds, type DeadlineKinds } from '../../app/slices.ts'
import { iso, type Clock } from '../../lib/clock.ts'
import type { Logger } from '../../lib/log.ts'
import { createSerialQueue } from '../../lib/serial-queue.ts'

const pageSize = 100
const retryMs = 5000

/**
 * Deadlines are rows; one timer is set for the earliest. Every node runs this: the core decides what is due, and refuses
 * the second of two nodes that dispatch at once.
 */
export function startDeadlines(deps: {
  app: App
  clock: Clock
  log: Logger
  /** After a start, people get this long to act on what came due while the server was down. */
  graceMs: number
  /** What to do for each kind of row; a test may pass its own. */
  kinds?: DeadlineKinds
}): AsyncDisposable {
  const { app, clock, log, kinds = deadlineKinds } = deps
  const notBefore = clock.now() + deps.graceMs
  const names = Object.keys(kinds)
  const unknownKinds = new Set<string>()
  let timer: (Disposable & { at: number }) | null = null
  let stopped = false
  const queue = createSerialQueue()

  function arm(at: number): void {
    if (stopped || (timer && timer.at <= at)) return
    timer?.[Symbol.dispose]()
    const armed = clock.at(at, () => {
      timer = null
      void queue.run(actOnDue)
    })
    timer = { at, [Symbol.dispose]: () => armed[Symbol.dispose]() }
  }

  const actsAt = (kind: string, dueAt: string): number =>
    Math.max(kinds[kind]?.waitsForPeople ? notBefore : 0, Date.parse(dueAt))

  /** `tried`: rows that were just handled, or failed. They are retried later, so that the timer does not spin. */
  async function armNext(kind: string, tried: ReadonlySet<string> = new Set()): Promise<void> {
    const [next] = await app.read.deadlines(kind, null, 1)
    if (next) arm(Math.max(actsAt(kind, next.due_at), tried.has(next.subject_id) ? clock.now() + retryMs : 0))
  }

  async function actOnDue(): Promise<void> {
    try {
      // Kind by kind, so that failing rows of one kind do not block others.
      for (const kind of names) await actOn(kind)
      await reportUnknownKinds()
    } catch (error) {
      log.error({ error: String(error) }, 'deadlines could not be read; trying again')
      arm(clock.now() + retryMs)
    }
  }

  async function actOn(kind: string): Promise<void> {
    const now = clock.now()
    if (kinds[kind]?.waitsForPeople && now < notBefore) return armNext(kind)
    const rows = await app.read.deadlines(kind, iso(now), pageSize)
    const done = new Set<string>()
    for (const row of rows) if (await act(kind, row.subject_id)) done.add(row.subject_id)
    await armNext(kind, done.size === 0 ? new Set(rows.map((row) => row.subject_id)) : done)
  }

  async function act(kind: string, subjectId: string): Promise<boolean> {
    const command = kinds[kind]?.command(subjectId)
    if (!command) return false
    const result = await app.dispatch(command, { kind: 'system', name: 'clock' })
    if (!result.ok && result.fault.kind === 'unavailable') throw new Error(result.fault.code)
    return result.ok
  }

  /** Kinds of a newer version on another node, perhaps: left alone. */
  async function reportUnknownKinds(): Promise<void> {
    for (const kind of await app.read.strangeDeadlines(names, iso(clock.now())))
      if (!unknownKinds.has(kind)) {
        unknownKinds.add(kind)
        log.warn({ kind }, 'deadlines of an unknown kind are due and are left alone')
      }
  }

  const listening = app.tail.listen((events) => {
    for (const event of events) {
      if (event.type === 'unreadable') continue
      for (const kind of names) {
        const dueAt = kinds[kind]?.setBy(event as Change)
        if (dueAt) arm(actsAt(kind, dueAt))
      }
    }
  })
  queue
    .run(async () => {
      for (const kind of names) await armNext(kind)
      await reportUnknownKinds()
    })
    .catch((error: unknown) => {
      log.error({ error: String(error) }, 'deadlines could not be read; trying again')
      arm(clock.now() + retryMs)
    })

  return {
    async [Symbol.asyncDispose]() {
      stopped = true
      listening[Symbol.dispose]()
      timer?.[Symbol.dispose]()
      await queue.idle()
    },
  }
}
