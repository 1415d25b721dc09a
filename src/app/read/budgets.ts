import { loadAsk } from '../../domain/ask/store.ts'
import { allowedBy, budgetAskId, isPausedByBudget, subjectOf, usedUp } from '../../domain/budget/budget.ts'
import type { Budget, BudgetId, BudgetState } from '../../domain/budget/schema.ts'
import { listBudgets, pausedSessions, spendingSince } from '../../domain/budget/store.ts'
import type { AskId } from '../../domain/ask/id.ts'
import type { SessionId } from '../../domain/session/id.ts'
import { loadSession, metadataColumn } from '../../domain/session/store.ts'
import { holdingsOf, isAdmin, personOf, type Standing } from '../../domain/user/actor.ts'
import { adminsAndOwners, listNames } from '../../domain/user/query.ts'
import { mayUseRepo } from '../../domain/workspace/decide.ts'
import { listRepos } from '../../domain/workspace/store.ts'
import { ok } from '../../lib/result.ts'
import { periodStart } from '../../lib/period-start.ts'
import type { ReadContext } from './context.ts'

type Asked = {
  readonly consents: number
  readonly openAsk: AskId | null
  readonly stopped: boolean
  readonly next: number
}

/** Of one period; more would be a mistake. */
const mostAsks = 1000

/** A budget as it is now, for those who act on it. */
export type BudgetNow = BudgetState & {
  readonly subject: string
  /** How much is used, once it is used up. */
  readonly over: string | null
  readonly stopped: boolean
  /** The number of the next ask about it. */
  readonly next: number
}

/** B6: budgets of repos, people and all sessions, and what is spent of them. */
export function createBudgetReads({ database, behind, settings, now }: ReadContext) {
  const { read: db } = database
  const zone = () => settings().timeZone ?? Intl.DateTimeFormat().resolvedOptions().timeZone

  async function asked(id: BudgetId, since: string): Promise<Asked> {
    let consents = 0
    for (let count = 1; count <= mostAsks; count += 1) {
      const ask = await loadAsk(db, budgetAskId(id, since, count))
      if (!ask) return { consents, openAsk: null, stopped: false, next: count }
      if (ask.status === 'open') return { consents, openAsk: ask.id, stopped: false, next: count }
      if (ask.answer?.outcome === 'stop') return { consents, openAsk: null, stopped: true, next: count }
      if (ask.answer !== null) consents += 1
    }
    return { consents, openAsk: null, stopped: true, next: mostAsks }
  }

  async function labelOf({ repoId, userId }: Budget): Promise<string> {
    if (repoId !== null) return (await listRepos(db, { removed: true })).find(({ id }) => id === repoId)?.name ?? repoId
    return userId === null ? '' : ((await listNames(db)).find(({ id }) => id === userId)?.displayName ?? userId)
  }

  async function stateOf(budget: Budget): Promise<BudgetNow> {
    const since = periodStart(budget.period, zone(), now())
    const [spent, { consents, openAsk, stopped, next }, label] = [
      await spendingSince(db, budget, since),
      await asked(budget.id, since),
      await labelOf(budget),
    ]
    const over = usedUp(budget, spent, consents)
    const allowed = allowedBy(budget, consents)
    const subject = subjectOf(budget, label)
    return {
      ...budget,
      label,
      since,
      spent,
      allowed,
      usedUp: over !== null,
      askId: openAsk,
      subject,
      over,
      stopped,
      next,
    }
  }

  async function isVisible(who: Standing, { scope, repoId, userId }: Budget): Promise<boolean> {
    if (isAdmin(who)) return true
    if (scope === 'person') return userId === personOf(who.actor)
    const repo = scope === 'repo' ? (await listRepos(db)).find(({ id }) => id === repoId) : undefined
    return repo !== undefined && mayUseRepo(personOf(who.actor), holdingsOf(who), repo.access)
  }

  const applies = ({ scope, repoId, userId }: Budget, session: { repoId: string | null; ownerUserId: string }) =>
    scope === 'server' || (scope === 'repo' ? session.repoId === repoId : session.ownerUserId === userId)

  return {
    /** Everyone sees their own and those of repos they may use; admins see all. */
    budgets: behind('person', async (_viewer, who) => {
      const found: BudgetState[] = []
      for (const budget of await listBudgets(db)) {
        if (!(await isVisible(who, budget))) continue
        const { subject: _subject, over: _over, stopped: _stopped, next: _next, ...state } = await stateOf(budget)
        found.push(state)
      }
      return ok({ timeZone: zone(), budgets: found })
    }),
    /** Those that a session counts for. */
    budgetsOver: async (id: SessionId): Promise<BudgetNow[]> => {
      const budgets = await listBudgets(db)
      if (budgets.length === 0) return []
      const session = await loadSession(db, id)
      const found = session ? budgets.filter((budget) => applies(budget, session)) : []
      return (await Promise.all(found.map(stateOf))).filter(({ over }) => over !== null)
    },
    /** Sessions that wait for an answer about this budget, or that it was for. */
    pausedForBudget: async (id: BudgetId | null): Promise<SessionId[]> => {
      const budget = id === null ? undefined : (await listBudgets(db)).find((one) => one.id === id)
      const paused = (await pausedSessions(db)).filter((row) =>
        isPausedByBudget(metadataColumn(row.metadata)['reason']),
      )
      return paused
        .filter((row) => !budget || applies(budget, { repoId: row.repo_id, ownerUserId: row.owner_user_id }))
        .map((row) => row.id)
    },
    /** Who decides about money. */
    budgetAnswerers: () => adminsAndOwners(db),
  }
}
