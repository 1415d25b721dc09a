import type { Executor } from '../../db/open.ts'
import type { SessionId } from '../session/id.ts'
import type { AlertCause, AlertId, StallSettings } from './schema.ts'
import { isUnwanted, stallDue, stepOf, unwatched, type AlertStep } from './stall.ts'
import { latestAlert, openAlerts } from './store.ts'
import { listAtWork, loadWatched } from './store-watched.ts'

/** What the stall clock has to do now, and when to check again. */
export type StallWork = {
  raise: readonly { sessionId: SessionId; cause: AlertCause }[]
  steps: readonly { id: AlertId; step: AlertStep }[]
  /** When the next step is due if nothing changes; null if none is. */
  nextAt: number | null
  /** Sessions with an open alert. */
  alerted: readonly SessionId[]
}

/** Reads live sessions only, so ended ones cost nothing. */
export async function stallWork(db: Executor, rules: StallSettings, now: number): Promise<StallWork> {
  const raise: { sessionId: SessionId; cause: AlertCause }[] = []
  const steps: { id: AlertId; step: AlertStep }[] = []
  const times: number[] = []
  const open = await openAlerts(db)
  const alerted = new Set(open.map(({ sessionId }) => sessionId))
  const atWork = new Map((await listAtWork(db)).map((session) => [session.id, session]))
  for (const alert of open) {
    const session = atWork.get(alert.sessionId) ?? (await loadWatched(db, alert.sessionId))
    const step = session && stepOf(alert, session, rules, now)
    if (step) steps.push({ id: alert.id, step })
    else if (rules.enabled && alert.nextAt !== null) times.push(Date.parse(alert.nextAt))
  }
  for (const session of rules.enabled ? atWork.values() : []) {
    if (alerted.has(session.id)) continue
    const { at, cause } = stallDue(session, rules)
    const why = unwatched(session, now)
    if (why === null && at > now) times.push(at)
    if (why === null && at <= now && !isUnwanted(await latestAlert(db, session.id), session, cause))
      raise.push({ sessionId: session.id, cause })
  }
  return { raise, steps, nextAt: times.length === 0 ? null : Math.min(...times), alerted: [...alerted] }
}
