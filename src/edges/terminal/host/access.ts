import type { App } from '../../../app/app.ts'
import type { SessionId } from '../../../domain/session/id.ts'
import type { Actor } from '../../../domain/user/actor.ts'
import { fail, ok, type Failed, type Result } from '../../../lib/result.ts'

export type ReachedTerminal = Awaited<ReturnType<App['read']['terminals']>>[number]

const notFound = (id: string): Failed =>
  fail({
    kind: 'not_found',
    code: 'session_not_found',
    message: `No such terminal, or no access: ${id}.`,
    hint: 'An agent can use terminals that its session started, and those granted to it.',
  })

/** A terminal that the actor may read (T1). */
export async function reach(app: App, id: SessionId, actor: Actor): Promise<Result<ReachedTerminal>> {
  const standing = await app.read.standing(actor)
  const [found] = await app.read.terminals(standing, id)
  return found ? ok(found) : notFound(id)
}

/** Whether the actor may type into it or hang it up, not only read it. */
export async function mayAct(app: App, id: SessionId, actor: Actor, what: 'type' | 'hang_up'): Promise<Failed | null> {
  const checked = await app.check({ type: 'session.steer', id, what, detail: null }, actor)
  return checked === null || checked === 'repeated' || checked.fault.kind === 'conflict' ? null : checked
}
