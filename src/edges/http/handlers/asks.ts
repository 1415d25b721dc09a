import type { AnswerAsk } from '../../../app/use-cases/answer-ask.ts'
import { isOf } from '../../../app/events.ts'
import type { App } from '../../../app/app.ts'
import { api } from '../../../client/contract.ts'
import type { Ask, AskId } from '../../../domain/ask/schema.ts'
import type { AskSubject } from '../../../domain/ask/subject.ts'
import type { Actor } from '../../../domain/user/actor.ts'
import { newId } from '../../../lib/id.ts'
import { fail, ok, type Result } from '../../../lib/result.ts'
import { nextPage, pageStart } from '../page-cursor.ts'
import { callerOf, mount, type ApiCall, type RouteDeps, type Web } from '../route.ts'

/** Undoes what an approval changed. */
export type UndoAsk = (input: {
  askId: AskId
  by: Actor
  force: boolean
  check: boolean
}) => Promise<Result<{ restored: { path: string; outcome: 'restored' | 'removed' }[] }>>

/** People take a preview for the change itself, so only this server may set it. */
function withoutPreview(subject: AskSubject): AskSubject {
  if (subject.kind !== 'diff') return subject
  const { preview: _, ...rest } = subject
  return rest
}

const reservedFields = {
  kind: 'invalid' as const,
  code: 'run_not_allowed',
  message: 'subject.run and subject.masked are set by Signalbox only, for what it starts itself.',
  hint: 'Leave them out. To have a program started, use the MCP tool start_session_monitor.',
}

export function mountAsks(web: Web, deps: RouteDeps, undo: UndoAsk, answer: AnswerAsk): void {
  const { app } = deps
  const shown = (call: ApiCall, id: AskId) => app.read.ask(call.caller.standing, id)

  mount(web, deps, api.listAsks, async ({ query }, { caller }) => {
    const before = pageStart(query.before)
    if (!before.ok) return before
    const { status, kind, before: _before, ...rest } = query
    const filter = { statuses: status, kinds: kind, ...rest }
    const asks = await app.read.asks(caller.standing, { ...filter, before: before.value })
    if (!asks.ok) return asks
    const rows = query.order === 'answered' ? asks.value.map(byAnswer) : asks.value
    return ok({ asks: asks.value, next: nextPage(rows, query.limit) })
  })

  mount(web, deps, api.openAsk, async ({ params, body }, call) => {
    const { description, answerers, timeoutSeconds, ...rest } = body
    if (body.subject.kind === 'command' && (body.subject.run ?? body.subject.masked) !== undefined)
      return fail(reservedFields)
    const ask = {
      ...rest,
      subject: withoutPreview(body.subject),
      id: body.id ?? newId<AskId>(),
      sessionId: params.id,
      description: description ?? null,
      answerers: answerers ?? null,
      timeoutSeconds: timeoutSeconds ?? null,
    }
    const done = await app.dispatch({ type: 'ask.open', ask }, call.caller.actor, call.once)
    return done.ok ? shown(call, done.value.subject as AskId) : done
  })

  mount(web, deps, api.getAsk, async ({ params, query }, call) => {
    const look = async () => {
      const caller = await call.again()
      return caller.ok ? app.read.ask(caller.value.standing, params.id) : caller
    }
    return query.wait === 0
      ? look()
      : waitForAnswer(app, params.id, look, query.wait, [call.context.req.raw.signal, deps.inFlight.stopping])
  })

  mount(web, deps, api.answerAsk, async ({ params, body }, call) => {
    const done = await answer(params.id, body, callerOf(call))
    return done.ok ? shown(call, params.id) : done
  })

  mount(web, deps, api.undoAsk, async ({ params, body }, call) => {
    const done = await undo({ askId: params.id, by: call.caller.actor, force: body.force, check: body.check })
    const isAnswer = done.ok || (body.check && (done.fault.kind === 'conflict' || done.fault.kind === 'forbidden'))
    if (!isAnswer) return done
    const ask = await shown(call, params.id)
    if (!ask.ok) return ask
    const problem = done.ok ? null : { code: done.fault.code, message: done.fault.message }
    return ok({ ask: ask.value, restored: done.ok ? done.value.restored : [], problem })
  })

  mount(web, deps, api.retractAsk, async ({ params, body }, call) => {
    const command = { type: 'ask.retract' as const, id: params.id, reason: body.reason }
    const done = await app.dispatch(command, call.caller.actor, call.once)
    return done.ok ? shown(call, params.id) : done
  })

  mount(web, deps, api.cancelAsk, async ({ params, body }, call) => {
    const command = { type: 'ask.cancel' as const, id: params.id, reason: body.reason }
    const done = await app.dispatch(command, call.caller.actor, call.once)
    return done.ok ? shown(call, params.id) : done
  })
}

const byAnswer = ({ id, answeredAt, createdAt }: Ask) => ({ id, createdAt: answeredAt ?? createdAt })

const closing = /^ask\.(answered|expired|interrupted|cancelled)$/

/** Subscribes before it reads, so that no answer is missed. */
async function waitForAnswer(
  app: App,
  id: AskId,
  look: () => Promise<Result<Ask>>,
  seconds: number,
  signals: readonly AbortSignal[],
): Promise<Result<Ask>> {
  const settled = Promise.withResolvers<void>()
  using _listening = app.tail.listen((events) => {
    if (events.some((event) => isOf(event, 'ask') && closing.test(event.type) && event.data.id === id))
      settled.resolve()
  })
  const first = await look()
  if (!first.ok || first.value.status !== 'open') return first
  const stop = () => settled.resolve()
  const timer = setTimeout(stop, seconds * 1000)
  for (const signal of signals) signal.addEventListener('abort', stop)
  if (signals.some((signal) => signal.aborted)) stop()
  await settled.promise
  clearTimeout(timer)
  for (const signal of signals) signal.removeEventListener('abort', stop)
  return await look()
}
