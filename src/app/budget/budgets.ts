import { budgetOfAsk, pausedByBudget, usedUpAsk } from '../../domain/budget/budget.ts'
import type { BudgetId } from '../../domain/budget/schema.ts'
import type { QueueItemId } from '../../domain/queue/schema.ts'
import type { SessionId } from '../../domain/session/id.ts'
import { systemStanding } from '../../domain/user/actor.ts'
import { derivedId } from '../../lib/derived-id.ts'
import type { Logger } from '../../lib/log.ts'
import type { Clock } from '../../lib/clock.ts'
import { createGroupBudget } from '../agent-group/group-budget.ts'
import type { App } from '../app.ts'
import type { Follower } from '../follow.ts'

const standing = systemStanding('budget')
const system = standing.actor

/** B6: when a repo, a person or all sessions have used up a budget together, each session pauses, and admins are asked. */
export function createSharedBudgets({ app, clock }: { app: Pick<App, 'read' | 'dispatch'>; clock: Clock }) {
  const ofGroup = createGroupBudget({ app, clock })
  return {
    /** Pauses the session if a budget it counts for is used up, one of its agent group included. */
    async check(sessionId: SessionId): Promise<boolean> {
      const isPaused = await ofGroup.check(sessionId)
      const [first, ...more] = await app.read.budgetsOver(sessionId)
      if (first === undefined) return isPaused
      for (const { id, since, next, subject, over, stopped, askId } of [first, ...more]) {
        if (stopped || askId !== null || over === null) continue
        const answerers = await app.read.budgetAnswerers()
        const ask = usedUpAsk({ id, since, count: next, subject, spent: over, answerers })
        // Another session, or another node, may have opened the same one.
        await app.dispatch({ type: 'ask.open', ask }, system)
      }
      const reason = pausedByBudget(first.subject, first.over ?? '')
      const paused = await app.dispatch({ type: 'session.pause', id: sessionId, reason }, system)
      return isPaused || paused.ok
    },
  }
}

/** Carries out what people decided: paused sessions continue, or end. */
export function budgetFollower({ app, log }: { app: Pick<App, 'read' | 'dispatch'>; log: Logger }): Follower {
  async function goOn(id: SessionId, cause: string, text: string | null): Promise<void> {
    // Another budget may be used up too.
    if ((await app.read.budgetsOver(id)).length > 0) return
    const resumed = await app.dispatch({ type: 'session.resume', id, reason: 'budget raised' }, system)
    if (!resumed.ok) return
    // A prompt that waits says what to do; a turn that was cut off does not.
    const { next } = await app.read.headOfQueue(id)
    if (text === null && next) return
    const itemId = derivedId<QueueItemId>(cause, id, 'go on')
    await app.dispatch(
      { type: 'queue.add', id: itemId, sessionId: id, text: text ?? 'Continue.', when: 'next' },
      system,
    )
  }

  async function answered(askId: string): Promise<void> {
    const found = await app.read.ask(standing, askId as Parameters<typeof app.read.ask>[1])
    const budget = found.ok ? budgetOfAsk(found.value) : null
    const answer = found.ok ? found.value.answer : null
    if (budget === null || answer === null) return
    for (const id of await app.read.pausedForBudget(budget)) {
      if (answer.outcome === 'stop') await app.dispatch({ type: 'session.complete', id, reason: 'budget' }, system)
      else await goOn(id, askId, answer.outcome === 'refine' ? answer.instruction : null)
    }
    log.info({ budget, outcome: answer.outcome }, 'the end of a budget was answered')
  }

  /** A higher limit, or none, answers what was asked about the lower one. */
  async function changed(budget: BudgetId, cause: string): Promise<void> {
    const open = await app.read.budgets(standing)
    const state = open.ok ? open.value.budgets.find(({ id }) => id === budget) : undefined
    if (state?.usedUp) return
    if (state?.askId)
      await app.dispatch({ type: 'ask.cancel', id: state.askId, reason: 'The budget was raised.' }, system)
    for (const id of await app.read.pausedForBudget(state ? budget : null)) await goOn(id, cause, null)
  }

  return {
    name: 'budgets',
    scope: 'single',
    from: 'now',
    types: ['ask.answered', 'budget.set', 'budget.removed'],
    async handle(event) {
      if (event.type === 'ask.answered') await answered(event.data.id)
      else if (event.type === 'budget.set' || event.type === 'budget.removed') await changed(event.data.id, event.id)
    },
  }
}
