import type { App } from '../../app/app.ts'
import type { SessionId } from '../../domain/session/id.ts'
import { iso, type Clock } from '../../lib/clock.ts'
import type { Logger } from '../../lib/log.ts'

const system = { kind: 'system' as const, name: 'clock' }
const longestMs = 60_000

/** R24: an MCP session whose client is gone without a goodbye is interrupted after a while, and its slot is free. */
export function startLostWatch(deps: {
  app: App
  clock: Clock
  log: Logger
  nodeId: string
  lostAfterMs: number
  /** Sessions with a call that is held, or whose client was heard since, whatever it wanted. */
  inContact(since: number): ReadonlySet<SessionId>
}): AsyncDisposable {
  const { app, clock, log, nodeId, lostAfterMs } = deps
  // Nobody could reach us while we were away.
  const notBefore = clock.now() + lostAfterMs
  const every = Math.min(longestMs, Math.max(250, lostAfterMs / 4))
  let stopped = false
  let running: Promise<void> = Promise.resolve()
  let timer = clock.at(clock.now() + every, tick)

  function tick(): void {
    running = look()
      .catch((error: unknown) => log.error({ error: String(error) }, 'lost clients could not be looked for'))
      .then(() => {
        if (!stopped) timer = clock.at(clock.now() + every, tick)
      })
  }

  async function look(): Promise<void> {
    const now = clock.now()
    const inContact = deps.inContact(now - lostAfterMs)
    const freshSince = iso(now - lostAfterMs / 2)
    // Said early: other nodes look too, and know nothing of calls that are held here.
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
