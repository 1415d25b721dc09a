import type { AgentAbout, Usage } from '../../domain/agent/about.ts'
import { budgetAsk, overspent, raised, type Budget } from '../../domain/agent/budget.ts'
import type { QueueItemId } from '../../domain/queue/schema.ts'
import type { SessionId } from '../../domain/session/id.ts'
import { systemStanding } from '../../domain/user/actor.ts'
import { derivedId } from '../../lib/derived-id.ts'
import type { Logger } from '../../lib/log.ts'
import type { App } from '../app.ts'

const standing = systemStanding('budget')
const system = standing.actor

/** The stored spending state of one session. */
export type SpendingRecord = {
  readonly about: Pick<AgentAbout, 'budget'>
  readonly notes: {
    usage: Usage | null
    /** The number of the last ask about the budget. */
    budgetAsks: number
    firstBudget: Budget | null
  }
  setAbout(change: { budget: Budget }): void
  flush(): Promise<void>
}

/** B6: a session that has used up its budget pauses and asks whether to continue. */
export function createBudgetWatch(deps: {
  app: Pick<App, 'read' | 'dispatch'>
  sessionId: SessionId
  record: SpendingRecord
  log: Logger
}) {
  const { app, sessionId, record, log } = deps
  let asking = false

  const askOf = (count: number) => app.read.ask(standing, budgetAsk(sessionId, count, '').id)

  /** One ask at a time: an ask from before a restart or from an earlier process is not repeated. */
  async function open(spent: string): Promise<boolean> {
    const { notes } = record
    for (;;) {
      const last = await askOf(notes.budgetAsks)
      if (last.ok && last.value.status === 'open') return true
      notes.budgetAsks += 1
      const ask = budgetAsk(sessionId, notes.budgetAsks, spent)
      const opened = await app.dispatch({ type: 'ask.open', ask }, system)
      if (opened.ok) return true
      if (opened.fault.code !== 'ask_exists') return false
    }
  }

  async function pauseAndAsk(spent: string): Promise<void> {
    asking = await open(spent)
    if (!asking) return
    await app.dispatch({ type: 'session.pause', id: sessionId, reason: `budget used up: ${spent}` }, system)
  }

  return {
    check(): void {
      record.notes.firstBudget ??= record.about.budget
      const spent = overspent(record.about.budget, record.notes.usage)
      if (spent === null || asking) return
      asking = true
      pauseAndAsk(spent).catch((error: unknown) => {
        asking = false
        log.error({ error: String(error) }, 'the ask about the budget could not be opened')
      })
    },
    /** Carries out the answer, if the ask is about this budget. */
    async answered(askId: string): Promise<void> {
      const { notes, about } = record
      if (askId !== budgetAsk(sessionId, notes.budgetAsks, '').id) return
      const ask = await askOf(notes.budgetAsks)
      const answer = ask.ok ? ask.value.answer : null
      if (answer?.outcome === 'stop') {
        await app.dispatch({ type: 'session.complete', id: sessionId, reason: 'budget' }, system)
        return
      }
      const { firstBudget, usage } = notes
      if (about.budget && firstBudget && usage) record.setAbout({ budget: raised(about.budget, firstBudget, usage) })
      asking = false
      await record.flush()
      await app.dispatch({ type: 'session.resume', id: sessionId, reason: 'budget raised' }, system)
      const text = answer?.outcome === 'refine' ? answer.instruction : 'Continue.'
      const id = derivedId<QueueItemId>(askId, 'go on')
      await app.dispatch({ type: 'queue.add', id, sessionId, text, when: 'next' }, system)
    },
  }
}
