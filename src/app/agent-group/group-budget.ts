import { groupBudgetAsk, groupOfBudgetAsk, groupOverspent, pausedByGroup } from '../../domain/agent-group/budget.ts'
import type { QueueItemId } from '../../domain/queue/schema.ts'
import type { SessionId } from '../../domain/session/id.ts'
import { systemStanding } from '../../domain/user/actor.ts'
import type { AgentGroupId } from '../../domain/user/id.ts'
import { iso, type Clock } from '../../lib/clock.ts'
import { derivedId } from '../../lib/derived-id.ts'
import type { Logger } from '../../lib/log.ts'
import type { App } from '../app.ts'
import type { Follower } from '../follow.ts'

const standing = systemStanding('budget')
const system = standing.actor

type Asked = { readonly consents: number; readonly open: boolean; readonly stopped: boolean; readonly next: number }

/** B6: when the sessions of an agent group have used up its budget together, each pauses, and the group's admins are asked. */
export function createGroupBudget({ app, clock }: { app: Pick<App, 'read' | 'dispatch'>; clock: Clock }) {
  /** The asks of a period have ids made from it, so that every node and every restart sees the same ones. */
  async function asked(id: AgentGroupId, since: string | null): Promise<Asked> {
    let consents = 0
    for (let count = 1; ; count += 1) {
      const found = await app.read.ask(standing, groupBudgetAsk({ id, since, count }).id)
      if (!found.ok) return { consents, open: false, stopped: false, next: count }
      const { status, answer } = found.value
      if (status === 'open') return { consents, open: true, stopped: false, next: count }
      if (answer?.outcome === 'stop') return { consents, open: false, stopped: true, next: count }
      if (answer !== null) consents += 1
    }
  }

  /** Whether the session's group has spent too much. Opens the ask if nobody was asked yet. */
  async function exceeded(sessionId: SessionId): Promise<string | null> {
    const found = await app.read.budgetOfSession(sessionId, iso(clock.now()))
    if (!found) return null
    const { id, name, budget, since, spent, approvers } = found
    const before = await asked(id, since)
    const over = groupOverspent(budget, spent, before.consents)
    if (over === null || before.stopped || before.open) return over
    const ask = groupBudgetAsk({ id, since, count: before.next, name, spent: over, approvers })
    const opened = await app.dispatch({ type: 'ask.open', ask }, system)
    return opened.ok || opened.fault.code === 'ask_exists' ? over : null
  }

  return {
    /** Pauses the session if its group has spent too much. */
    async check(sessionId: SessionId): Promise<boolean> {
      const over = await exceeded(sessionId)
      if (over === null) return false
      const paused = await app.dispatch({ type: 'session.pause', id: sessionId, reason: pausedByGroup(over) }, system)
      return paused.ok
    },
  }
}

/** Carries out what an admin answered: the paused sessions of the group continue, or end. */
export function groupBudgetFollower({ app, log }: { app: Pick<App, 'read' | 'dispatch'>; log: Logger }): Follower {
  async function goOn(id: SessionId, askId: string, text: string | null): Promise<void> {
    const resumed = await app.dispatch({ type: 'session.resume', id, reason: 'group budget raised' }, system)
    if (!resumed.ok) return
    // A prompt that waits says what to do; a turn that was cut off does not.
    const { next } = await app.read.headOfQueue(id)
    if (text === null && next) return
    const itemId = derivedId<QueueItemId>(askId, id, 'go on')
    await app.dispatch(
      { type: 'queue.add', id: itemId, sessionId: id, text: text ?? 'Continue.', when: 'next' },
      system,
    )
  }

  return {
    name: 'group-budget',
    scope: 'single',
    from: 'now',
    types: ['ask.answered'],
    async handle(event) {
      if (event.type !== 'ask.answered') return
      const ask = await app.read.ask(standing, event.data.id)
      const group = ask.ok ? groupOfBudgetAsk(ask.value) : null
      const answer = ask.ok ? ask.value.answer : null
      if (group === null || answer === null) return
      for (const id of await app.read.pausedByBudget(group)) {
        if (answer.outcome === 'stop')
          await app.dispatch({ type: 'session.complete', id, reason: 'group budget' }, system)
        else await goOn(id, event.data.id, answer.outcome === 'refine' ? answer.instruction : null)
      }
      log.info({ group, outcome: answer.outcome }, 'the budget of an agent group was answered')
    },
  }
}
