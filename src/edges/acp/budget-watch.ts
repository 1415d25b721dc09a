import type { App } from '../../app/app.ts'
import type { AgentAbout } from '../../domain/agent/about.ts'
import type { QueueItemId } from '../../domain/queue/schema.ts'
import type { SessionId } from '../../domain/session/id.ts'
import type { Logger } from '../../lib/log.ts'
import { budgetAsk, overspent, raised } from './budget.ts'
import { derivedId } from './derived-id.ts'
import type { Recorder } from './recorder.ts'

const system = { kind: 'system' as const, name: 'budget' }

/** B6: at the end of its budget a session pauses and asks whether it may go on. */
export function createBudgetWatch(deps: { app: App; sessionId: SessionId; recorder: Recorder; log: Logger }) {
  const { app, sessionId, recorder, log } = deps
  let first: AgentAbout['budget'] = recorder.about.budget
  let asking = false

  async function ask(spent: string): Promise<void> {
    const { notes } = recorder
    notes.budgetAsks += 1
    const opened = await app.dispatch({ type: 'ask.open', ask: budgetAsk(sessionId, notes.budgetAsks, spent) }, system)
    if (!opened.ok && opened.fault.code !== 'ask_exists') return
    await app.dispatch({ type: 'session.pause', id: sessionId, reason: `budget used up: ${spent}` }, system)
  }

  return {
    look(): void {
      first ??= recorder.about.budget
      const spent = overspent(recorder.about.budget, recorder.notes.usage)
      if (spent === null || asking) return
      asking = true
      ask(spent).catch((error: unknown) => log.error({ error: String(error) }, 'the budget could not be asked about'))
    },
    /** Whether it was ours, what was said is done. */
    async answered(askId: string): Promise<void> {
      const { notes, about } = recorder
      if (askId !== budgetAsk(sessionId, notes.budgetAsks, '').id) return
      const standing = { actor: system, grants: [], memberOf: [], unknown: false }
      const ask = await app.read.ask(standing, budgetAsk(sessionId, notes.budgetAsks, '').id)
      const answer = ask.ok ? ask.value.answer : null
      if (answer?.outcome === 'stop') {
        await app.dispatch({ type: 'session.complete', id: sessionId, reason: 'budget' }, system)
        return
      }
      if (about.budget && first && notes.usage) recorder.setAbout({ budget: raised(about.budget, first, notes.usage) })
      asking = false
      await recorder.flush()
      await app.dispatch({ type: 'session.resume', id: sessionId, reason: 'budget raised' }, system)
      const text = answer?.outcome === 'refine' ? answer.instruction : 'Go on.'
      const id = derivedId<QueueItemId>(askId, 'go on')
      await app.dispatch({ type: 'queue.add', id, sessionId, text, when: 'next' }, system)
    },
  }
}
