import type { App } from '../../app/app.ts'
import type { AskId } from '../../domain/ask/schema.ts'
import { iso, type Clock } from '../../lib/clock.ts'
import type { Logger } from '../../lib/log.ts'

const pageSize = 100
const retryMs = 5000

/** Deadlines are rows; one timer stands over the earliest of them. */
export function startDeadlines(deps: {
  app: App
  clock: Clock
  log: Logger
  /** Nothing expires this long after a start: people had no chance to answer while the server was away. */
  graceMs: number
}): AsyncDisposable {
  const { app, clock, log } = deps
  const notBefore = clock.now() + deps.graceMs
  let timer: (Disposable & { at: number }) | null = null
  let stopped = false
  let turn: Promise<void> = Promise.resolve()

  function arm(at: number): void {
    if (stopped || (timer && timer.at <= at)) return
    timer?.[Symbol.dispose]()
    const armed = clock.at(at, () => {
      timer = null
      turn = turn.then(expireDue)
    })
    timer = { at, [Symbol.dispose]: () => armed[Symbol.dispose]() }
  }

  const due = (dueAt: string): number => Math.max(notBefore, Date.parse(dueAt))

  async function armNext(earliest = 0): Promise<void> {
    const [next] = await app.read.deadlines(null, 1)
    if (next) arm(Math.max(due(next.due_at), earliest))
  }

  async function expireDue(): Promise<void> {
    try {
      const rows = await app.read.deadlines(iso(clock.now()), pageSize)
      let done = 0
      for (const row of rows) done += Number(await expire(row))
      // A row nobody can act on must not keep the clock turning.
      await armNext(rows.length > 0 && done === 0 ? clock.now() + retryMs : 0)
    } catch (error) {
      log.error({ error: String(error) }, 'deadlines could not be looked at; trying again')
      arm(clock.now() + retryMs)
    }
  }

  async function expire(row: { subject_id: string; kind: string }): Promise<boolean> {
    const result = await app.dispatch(
      { type: 'ask.expire', id: row.subject_id as AskId },
      { kind: 'system', name: 'clock' },
    )
    if (!result.ok && result.fault.kind === 'unavailable') throw new Error(result.fault.code)
    return result.ok
  }

  const listening = app.tail.listen((events) => {
    for (const event of events) {
      const dueAt = event.type === 'ask.opened' ? (event.data.expiresAt ?? event.data.alertAt) : null
      if (typeof dueAt === 'string') arm(due(dueAt))
    }
  })
  turn = turn
    .then(() => armNext())
    .catch((error: unknown) => {
      log.error({ error: String(error) }, 'deadlines could not be looked at; trying again')
      arm(clock.now() + retryMs)
    })

  return {
    async [Symbol.asyncDispose]() {
      stopped = true
      listening[Symbol.dispose]()
      timer?.[Symbol.dispose]()
      await turn
    },
  }
}
