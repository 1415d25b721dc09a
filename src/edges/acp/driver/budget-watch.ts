import type { App } from '../../../app/app.ts'
import type { QueueItemId } from '../../../domain/queue/schema.ts'
import type { SessionId } from '../../../domain/session/id.ts'
import type { Logger } from '../../../lib/log.ts'
import { budgetAsk, overspent, raised } from './budget.ts'
import { derivedId } from '../../../lib/derived-id.ts'
import type { Recorder } from '../transcript/recorder.ts'

const system = { kind: 'system' as const, name: 'budget' }
const seeing = { actor: system, grants: [], memberOf: [], unknown: false }

/** B6: at the end of its budget a session pauses and asks whether it may go on. */
export function createBudgetWatch(deps: { app: App; sessionId: SessionId; recorder: Recorder; log: Logger }) {
  const { app, sessionId, recorder, log } = deps
  let asking = false

  const askOf = (count: number) => app.read.ask(seeing, budgetAsk(sessionId, count, '').id)

  /** One ask at a time: what was asked before a restart, or by a process before this one, is not asked again. */
  async function open(spent: string): Promise<boolean> {
    const { notes } = recorder
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

  async function ask(spent: string): Promise<void> {
    asking = await open(spent)
    if (!asking) return
    await app.dispatch({ type: 'session.pause', id: sessionId, reason: `budget used up: ${spent}` }, system)
  }

  return {
    check(): void {
      recorder.notes.firstBudget ??= recorder.about.budget
      const spent = overspent(recorder.about.budget, recorder.notes.usage)
      if (spent === null || asking) return
      asking = true
      ask(spent).catch((error: unknown) => {
        asking = false
        log.error({ error: String(error) }, 'the ask about the budget could not be opened')
      })
    },
    /** Whether it was ours, what was said is done. */
    async answered(askId: string): Promise<void> {
      const { notes, about } = recorder
      if (askId !== budgetAsk(sessionId, notes.budgetAsks, '').id) return
      const ask = await askOf(notes.budgetAsks)
      const answer = ask.ok ? ask.value.answer : null
      if (answer?.outcome === 'stop') {
        await app.dispatch({ type: 'session.complete', id: sessionId, reason: 'budget' }, system)
        return
      }
      const { firstBudget, usage } = notes
      if (about.budget && firstBudget && usage) recorder.setAbout({ budget: raised(about.budget, firstBudget, usage) })
      asking = false
      await recorder.flush()
      await app.dispatch({ type: 'session.resume', id: sessionId, reason: 'budget raised' }, system)
      const text = answer?.outcome === 'refine' ? answer.instruction : 'Continue.'
      const id = derivedId<QueueItemId>(askId, 'go on')
      await app.dispatch({ type: 'queue.add', id, sessionId, text, when: 'next' }, system)
    },
  }
}
