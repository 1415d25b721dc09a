import type { App } from '../../../app/app.ts'
import { api } from '../../../client/contract.ts'
import type { InputEvent, PatternRuleId } from '../../../domain/pattern/schema.ts'
import type { Clock } from '../../../lib/clock.ts'
import { notFound, ok, type Result } from '../../../lib/result.ts'
import { nextPage, nextPosition, pageStart, positionOf } from '../page-cursor.ts'
import { mount, type ApiCall, type RouteDeps, type Web } from '../route.ts'

type InputPage = Parameters<App['read']['ownInputEvents']>[1]
type EventQuery = Pick<InputPage, 'q' | 'since' | 'until' | 'limit'> & { before?: string | undefined }

/** Fixed paths are mounted before paths with an id in the same position. */
export function mountPatterns(web: Web, deps: RouteDeps, clock: Clock): void {
  const { app } = deps

  mount(web, deps, api.listPatterns, async ({ query }, { caller }) => {
    const { before, limit } = query
    const start = before === undefined ? ok(query.offset) : positionOf(before)
    if (!start.ok) return start
    const found = await app.read.patterns(caller.standing, { ...query, offset: start.value })
    if (!found.ok) return found
    const next = nextPosition(found.value.patterns, limit, start.value)
    return ok({ ...found.value, limit, offset: start.value, next })
  })

  mount(web, deps, api.exportPatterns, (_input, { caller }) => app.read.exportPatterns(caller.standing))

  mount(web, deps, api.importPatterns, async ({ body }, { caller, once }) => {
    const me = await app.read.me(caller.standing)
    if (!me.ok) return me
    const done = await app.dispatch({ type: 'pattern.import', userId: me.value.id, document: body }, caller.actor, once)
    if (!done.ok) return done
    const imported = done.value.events.find((event) => event.type === 'pattern.imported')
    return ok({ imported: imported?.data.count ?? 0 })
  })

  mount(web, deps, api.inferInput, async ({ body }, { caller }) => {
    const { sessionId, ...question } = body
    if (sessionId === undefined) return app.read.infer(caller.standing, question, clock.now())
    const session = await app.read.session(caller.standing, sessionId)
    if (!session.ok) return session
    const { repoId, workspaceRoot } = session.value
    return app.read.infer(caller.standing, { ...question, place: repoId ?? workspaceRoot }, clock.now())
  })

  mount(web, deps, api.listProposals, async ({ query }, { caller }) => {
    const found = await app.read.patternRules(caller.standing, { statuses: query.status })
    return found.ok ? ok({ proposals: found.value }) : found
  })

  const decide = async (
    type: 'pattern.confirm' | 'pattern.dismiss' | 'pattern.revoke',
    id: PatternRuleId,
    call: ApiCall,
  ) => {
    const done = await app.dispatch({ type, id }, call.caller.actor, call.once)
    if (!done.ok) return done
    const found = await app.read.patternRules(call.caller.standing, { id })
    if (!found.ok) return found
    const [rule] = found.value
    return rule ? ok(rule) : notFound('proposal', id)
  }
  mount(web, deps, api.confirmProposal, ({ params }, call) => decide('pattern.confirm', params.id, call))
  mount(web, deps, api.dismissProposal, ({ params }, call) => decide('pattern.dismiss', params.id, call))
  mount(web, deps, api.revokeProposal, ({ params }, call) => decide('pattern.revoke', params.id, call))

  mount(web, deps, api.getPattern, ({ params }, { caller }) => app.read.pattern(caller.standing, params.id))

  mount(web, deps, api.forgetPattern, async ({ params }, { caller, once }) => {
    const pattern = await app.read.pattern(caller.standing, params.id)
    if (!pattern.ok) return pattern
    const done = await app.dispatch({ type: 'pattern.forget', id: params.id }, caller.actor, once)
    return done.ok ? pattern : done
  })

  const page = async (
    { before: cursor, ...query }: EventQuery,
    read: (page: InputPage) => Promise<Result<InputEvent[]>>,
  ) => {
    const start = pageStart(cursor)
    if (!start.ok) return start
    const before = start.value && { at: start.value.createdAt, id: start.value.id }
    const events = await read({ ...query, before })
    if (!events.ok) return events
    const rows = events.value.map(({ id, at }) => ({ id, createdAt: at }))
    return ok({ events: events.value, next: nextPage(rows, query.limit) })
  }

  mount(web, deps, api.listInputs, ({ query }, { caller }) =>
    page(query, (wanted) => app.read.ownInputEvents(caller.standing, wanted)),
  )

  mount(web, deps, api.sessionInputs, ({ params, query }, { caller }) =>
    page(query, (wanted) => app.read.inputEvents(caller.standing, { ...wanted, sessionId: params.id })),
  )

  mount(web, deps, api.exportSessionInputs, ({ params }, { caller }) =>
    app.read.inputHistory(caller.standing, params.id),
  )
}
