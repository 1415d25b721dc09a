import type { App } from '../../app/app.ts'
import type { SessionId } from '../../domain/session/id.ts'
import { iso, type Clock } from '../../lib/clock.ts'
import type { Logger } from '../../lib/log.ts'

const system = { kind: 'system' as const, name: 'clock' }
const longestMs = 60_000

/** R24: interrupts MCP sessions whose client disappeared, which frees their slots. */
export function startLostClientWatch(deps: {
  app: App
  clock: Clock
  log: Logger
  nodeId: string
  lostAfterMs: number
  /** Sessions with a held call, or with any request from their client since then. */
  inContact(since: number): ReadonlySet<SessionId>
}): AsyncDisposable {
  const { app, clock, log, nodeId, lostAfterMs } = deps
  // No client could reach the server while it was down.
  const notBefore = clock.now() + lostAfterMs
  const every = Math.min(longestMs, Math.max(250, lostAfterMs / 4))
  let stopped = false
  let running: Promise<void> = Promise.resolve()
  let timer = clock.at(clock.now() + every, tick)

  function tick(): void {
    running = look()
      .catch((error: unknown) => log.error({ error: String(error) }, 'could not look for lost clients'))
      .then(() => {
        if (!stopped) timer = clock.at(clock.now() + every, tick)
      })
  }

  async function look(): Promise<void> {
    const now = clock.now()
    const inContact = deps.inContact(now - lostAfterMs)
    const freshSince = iso(now - lostAfterMs / 2)
    // Recorded early: other nodes check too, and do not know the calls held here.
    if (inContact.size > 0) {
      const quiet = await app.read.silentSessions(freshSince)
      await app.connections.noteContact(
        quiet.filter((id) => inContact.has(id)),
        nodeId,
        iso(now),
      )
    }
    if (now < notBefore) return
    const elsewhere = { exceptNode: nodeId, since: freshSince }
    for (const id of await app.read.silentSessions(iso(now - lostAfterMs), elsewhere))
      if (!inContact.has(id))
        await app.dispatch({ type: 'session.interrupt', id, reason: 'its client is gone' }, system)
  }

  return {
    async [Symbol.asyncDispose]() {
      stopped = true
      timer[Symbol.dispose]()
      await running
    },
  }
}
