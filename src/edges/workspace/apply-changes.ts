import * as z from 'zod'
import type { App } from '../../app/app.ts'
import type { AskId } from '../../domain/ask/schema.ts'
import type { SessionId } from '../../domain/session/schema.ts'
import type { Actor, Standing } from '../../domain/user/actor.ts'
import type { Json } from '../../lib/json.ts'
import type { Logger } from '../../lib/log.ts'
import { fail, notFound, ok, type Fault, type Result } from '../../lib/result.ts'
import type { AppliedChange, FileChanges, UndoneChange } from './changes/file-changes.ts'
import { createKeyedQueue } from '../../lib/serial-queue.ts'

const system = { kind: 'system' as const, name: 'workspace' }
const workspaceStanding: Standing = { actor: system, grants: [], memberOf: [], unknown: false }

/** Applies approved changes exactly once, and undoes them (R7, B8). */
export type ChangeApplier = {
  apply(input: { askId: AskId; by: Actor; force: boolean; key: string | null }): Promise<Result<AppliedChange>>
  /** `check`: only says what it would restore, or why not. */
  undo(input: { askId: AskId; by: Actor; force?: boolean; check?: boolean }): Promise<Result<UndoneChange>>
  /** Finishes what an earlier server process began. */
  resume(): Promise<void>
}

export function createChangeApplier(deps: {
  app: App
  changes: FileChanges
  log: Logger
  node: string
}): ChangeApplier {
  const { app, changes, log, node } = deps
  // One at a time for each ask, so that a second call gets the result of the first.
  const queue = createKeyedQueue()
  /** Claimed by this node, but the database did not record the result. */
  const stuck = new Set<AskId>()

  async function consume(askId: AskId, applied: AppliedChange): Promise<Result<AppliedChange>> {
    const { filesWritten, forced } = applied
    const result: Json = { filesWritten, ...(forced && { forced }) }
    const done = await app.dispatch({ type: 'ask.consume', id: askId, result }, system)
    // The files stay written: the next call or the next start finds the journal and records the result.
    if (!done.ok) {
      stuck.add(askId)
      return done
    }
    await changes.settle(askId)
    return ok(applied)
  }

  async function release(askId: AskId, reason: string): Promise<void> {
    const done = await app.dispatch({ type: 'ask.release', id: askId, reason: reason.slice(0, 2000) }, system)
    if (!done.ok) stuck.add(askId)
    await changes.settle(askId)
  }

  /** Back to approved, unless files are half written. */
  async function refuse(askId: AskId, { code, message }: Fault): Promise<void> {
    if (code !== 'apply_unfinished') return release(askId, `${code}: ${message}`)
    stuck.add(askId)
    log.error({ askId, code, message }, 'a change is half applied')
  }

  /** Finishes a change that was interrupted. */
  async function finish(askId: AskId): Promise<void> {
    stuck.delete(askId)
    const applied = await changes.resume(askId)
    if (applied === null) await release(askId, 'it was interrupted before anything was written')
    else if (applied.ok) await consume(askId, applied.value)
    else await refuse(askId, applied.fault)
  }

  /** Null if this call may apply it; otherwise the result of the same call before it was interrupted. */
  async function claim(askId: AskId, by: Actor, key: string | null): Promise<Result<AppliedChange | null>> {
    const command = { type: 'ask.claim' as const, id: askId, node }
    const claimed = await app.dispatch(command, by, key === null ? {} : { key: `apply ${askId} ${key}` })
    if (!claimed.ok) return claimed
    if (!claimed.value.repeated) return ok(null)
    const ask = await app.read.ask(workspaceStanding, askId)
    const done = AppliedResult.safeParse(ask.ok && ask.value.status === 'consumed' ? ask.value.result : null)
    return done.success ? ok(done.data) : claim(askId, by, null)
  }

  async function rootOf(askId: AskId) {
    const ask = await app.read.ask(workspaceStanding, askId)
    if (!ask.ok || ask.value.sessionId === null) return notFound('ask', askId)
    const session = await app.read.session(workspaceStanding, ask.value.sessionId)
    if (!session.ok) return session
    const { id: sessionId, workspaceRoot: root } = session.value
    return ok({ ask: ask.value, sessionId, root, mark: await app.read.workspaceMark(sessionId) })
  }

  async function applyNow({
    askId,
    by,
    force,
    key,
  }: Parameters<ChangeApplier['apply']>[0]): Promise<Result<AppliedChange>> {
    const found = await rootOf(askId)
    if (!found.ok) return found
    const { ask, sessionId, root, mark } = found.value
    const { subject } = ask
    if (subject.kind !== 'diff') return fail(noDiff)
    if (stuck.has(askId)) await finish(askId)
    const claimed = await claim(askId, by, key)
    if (!claimed.ok) return claimed
    if (claimed.value !== null) return ok(claimed.value)
    const { filePath, diff, files } = subject
    const applied = await changes.apply({ askId, sessionId, root, mark, filePath, diff, files, force })
    if (!applied.ok) {
      await refuse(askId, applied.fault)
      return applied
    }
    const consumed = await consume(askId, applied.value)
    if (consumed.ok && applied.value.forced)
      await alertSession(
        sessionId,
        'forced_apply',
        `“${ask.title}” was applied by force: a file had changed since the ask.`,
      )
    return consumed
  }

  async function alertSession(sessionId: SessionId, what: string, text: string): Promise<void> {
    await app.dispatch({ type: 'session.alert', id: sessionId, what, text }, system)
  }

  return {
    apply: (input) => queue.run(input.askId, () => applyNow(input)),
    async undo({ askId, by, force = false, check = false }) {
      const refused = await app.check({ type: 'ask.undo', id: askId }, by)
      if (refused !== null && refused !== 'repeated') return refused
      const found = await rootOf(askId)
      if (!found.ok) return found
      const { ask, sessionId, root, mark } = found.value
      const undone = await changes.undo({ askId, root, mark, force, check })
      if (!undone.ok || check) return undone
      const done = await app.dispatch({ type: 'ask.undo', id: askId }, by)
      if (!done.ok) return done
      await changes.settle(askId)
      const paths = undone.value.restored.map(({ path }) => path).join(', ')
      await alertSession(sessionId, 'undone', `“${ask.title}” was undone${force ? ' by force' : ''}: ${paths}.`)
      return undone
    },
    async resume() {
      const claimed = await app.read.asksBeingApplied(node)
      for (const askId of claimed) await finish(askId)
      for (const askId of await changes.unfinishedUndos()) {
        const undone = await changes.resumeUndo(askId)
        if (undone?.ok) await app.dispatch({ type: 'ask.undo', id: askId as AskId }, system)
        if (undone === null || undone.ok) await changes.settle(askId)
      }
      // Consumed, but the server stopped before cleaning up.
      for (const askId of await changes.unfinished())
        if (!claimed.some((id) => id === askId)) await changes.settle(askId)
    },
  }
}

const AppliedResult = z.object({
  filesWritten: z.array(z.object({ path: z.string(), bytes: z.int() })),
  forced: z.boolean().default(false),
})

const noDiff = { kind: 'invalid' as const, code: 'invalid_diff', message: 'This ask is not a file change.' }
