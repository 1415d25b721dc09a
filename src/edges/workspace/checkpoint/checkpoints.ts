import type { App } from '../../../app/app.ts'
import type { Checkpoint, CheckpointCommand, CheckpointId } from '../../../domain/checkpoint/schema.ts'
import type { Session, SessionId } from '../../../domain/session/schema.ts'
import { hasEnded } from '../../../domain/session/status.ts'
import { systemStanding, type Actor } from '../../../domain/user/actor.ts'
import { newId } from '../../../lib/id.ts'
import { canonicalJson } from '../../../lib/json.ts'
import type { Logger } from '../../../lib/log.ts'
import { fail, ok, type Failed, type Result } from '../../../lib/result.ts'
import { sha256 } from '../../../lib/secret.ts'
import type { MadeFile, RestoreResult } from './restore.ts'
import type { SkippedFile } from './scan.ts'
import type { CheckpointStore, Divergence } from './store.ts'
import type { TreePage } from './tree-page.ts'

export type Checkpoints = {
  create(input: {
    sessionId: SessionId
    label: string | null
    actor: Actor
    /** A repeated call with the same key returns the same checkpoint. */
    key?: string
  }): Promise<Result<Checkpoint>>
  /** Its files with their hashes, from after a path on. People who see the checkpoint see these. */
  files(checkpoint: Checkpoint, page: { after: string | null; limit: number }): Promise<Result<TreePage>>
  /** What a restore would change. Only for people who may restore. */
  look(id: CheckpointId, actor: Actor): Promise<Result<{ checkpoint: Checkpoint; diverged: Divergence }>>
  /** Repeated with the same key it changes nothing: files may have changed since. */
  restore(
    id: CheckpointId,
    input: { removeNew: boolean; actor: Actor; key?: string },
  ): Promise<Result<RestoreResult & { checkpoint: Checkpoint; before: Checkpoint }>>
}

const checkpointStanding = systemStanding('checkpoint')

type RecordCommand = Extract<CheckpointCommand, { type: 'checkpoint.record' }>

/** Checkpoints for people and agents. The core checks permissions before the disk is touched. */
export function createCheckpoints(deps: {
  app: App
  store: CheckpointStore
  log: Logger
  /** Files that approved writes of a session created, with their hashes then; paths relative to its workspace. */
  filesMadeBy(sessionId: SessionId): Promise<readonly MadeFile[]>
  /** Resolves when the agent of a session has ended. */
  endAgent(sessionId: SessionId): Promise<void>
}): Checkpoints {
  const { app, store } = deps

  /** Takes a checkpoint and records it; `command` says for whom and why. */
  async function keep(command: RecordCommand, input: { actor: Actor; key?: string; also?: string }) {
    const { actor, key, also } = input
    const { sessionId, label } = command
    const once = key === undefined ? {} : { key, fingerprint: sha256(canonicalJson({ sessionId, label })) }
    const checked = await app.check(command, actor, once)
    if (checked !== null && checked !== 'repeated') return checked
    let whole = command
    if (checked === null) {
      const session = await app.read.session(checkpointStanding, sessionId)
      if (!session.ok) return session
      const root = session.value.workspaceRoot
      const mark = await app.read.workspaceMark(sessionId)
      const taken = await store.take({ checkpointId: command.id, root, mark, ...(also !== undefined && { also }) })
      if (!taken.ok) return taken
      const { tree, restorePoint, fileCount, notKept } = taken.value
      whole = { ...command, tree, restorePoint, fileCount, notKept: listed(notKept) }
    }
    const done = await app.dispatch(whole, actor, once)
    return done.ok ? app.read.checkpoint(checkpointStanding, done.value.subject as CheckpointId) : done
  }

  const create: Checkpoints['create'] = ({ sessionId, label, actor, key }) =>
    keep(emptyRecord(sessionId, reasonOf(actor), label?.trim() || null), { actor, ...(key !== undefined && { key }) })

  /** The checkpoint, if the actor may restore it. */
  async function allowed(id: CheckpointId, actor: Actor): Promise<Result<Checkpoint>> {
    const seen = await app.read.checkpoint(await app.read.standing(actor), id)
    if (!seen.ok) return seen
    const refused = await app.check(restoredRecord(seen.value, id, nothingDone), actor)
    return refused === null || refused === 'repeated' ? seen : refused
  }

  /** Sessions of the lineage that have not ended, oldest first. */
  async function underWay(lineage: readonly SessionId[]): Promise<Session[]> {
    const sessions: Session[] = []
    for (const id of lineage) {
      const session = await app.read.session(checkpointStanding, id)
      if (session.ok && !hasEnded(session.value.status)) sessions.push(session.value)
    }
    return sessions
  }

  /** The mark of the newest session: continuing in a new directory confirms that directory. */
  async function newestMark({ sessionId }: Checkpoint): Promise<string | null> {
    const lineage = await app.read.lineage(sessionId)
    return app.read.workspaceMark(lineage.at(-1) ?? sessionId)
  }

  async function endAll(sessions: readonly Session[], actor: Actor): Promise<Failed | null> {
    for (const { id } of sessions) {
      const done = await app.dispatch({ type: 'session.terminate', id, reason: 'restored to a checkpoint' }, actor)
      // It may have ended meanwhile.
      const now = done.ok ? null : await app.read.session(checkpointStanding, id)
      if (!done.ok && !(now?.ok && hasEnded(now.value.status))) return done
      await deps.endAgent(id)
    }
    return null
  }

  async function restore(
    id: CheckpointId,
    { removeNew, actor, key }: { removeNew: boolean; actor: Actor; key?: string },
  ) {
    const found = await allowed(id, actor)
    if (!found.ok) return found
    const checkpoint = found.value
    const once = key === undefined ? {} : { key, fingerprint: sha256(canonicalJson({ restore: id })) }
    if ((await app.check(restoredRecord(checkpoint, id, nothingDone), actor, once)) === 'repeated')
      return fail(restoredBefore)
    const { workspaceRoot: root, tree, restorePoint } = checkpoint
    const lineage = await app.read.lineage(checkpoint.sessionId)
    const live = await underWay(lineage)
    const of = live.at(-1)?.id ?? checkpoint.sessionId
    const mark = await newestMark(checkpoint)
    const keepNow = () => keep(emptyRecord(of, 'before_restore', null), { actor, also: tree })
    // First, so that no session is ended if this fails.
    let before = await keepNow()
    if (!before.ok) return before
    const refused = await endAll(live, actor)
    if (refused) return refused
    // Keep also what the agent did until it ended.
    const since = await store.compare({ root, mark, tree: before.value.tree })
    if (since.ok && Object.values(since.value).some((list) => list.length > 0)) before = await keepNow()
    if (!before.ok) return before
    const made = removeNew ? (await Promise.all(lineage.map((one) => deps.filesMadeBy(one)))).flat() : []
    const restored = await store.restore({
      root,
      mark,
      tree,
      restorePoint,
      removeNew: made,
      checkpointId: id,
      before: before.value.id,
    })
    if (!restored.ok) return restored
    const done = await app.dispatch(restoredRecord(checkpoint, before.value.id, restored.value), actor, once)
    return done.ok ? ok({ checkpoint, before: before.value, ...restored.value }) : done
  }

  return {
    create,
    restore,
    files: ({ workspaceRoot: root, tree }, page) => store.list({ root, tree, ...page }),
    async look(id, actor) {
      const found = await allowed(id, actor)
      if (!found.ok) return found
      const { workspaceRoot: root, tree } = found.value
      const mark = await newestMark(found.value)
      const diverged = await store.compare({ root, mark, tree })
      return diverged.ok ? ok({ checkpoint: found.value, diverged: diverged.value }) : diverged
    },
  }
}

const reasonOf = ({ kind }: Actor): RecordCommand['reason'] =>
  kind === 'agent' ? 'tool' : kind === 'person' ? 'person' : 'start'

/** Used to check permission before there is anything to record. */
const emptyRecord = (sessionId: SessionId, reason: RecordCommand['reason'], label: string | null): RecordCommand => ({
  type: 'checkpoint.record',
  id: newId<CheckpointId>(),
  sessionId,
  label,
  reason,
  tree: '',
  restorePoint: '',
  fileCount: 0,
  notKept: { count: 0, files: [] },
})

const restoredBefore = {
  kind: 'conflict' as const,
  code: 'already_restored',
  message: 'This checkpoint was restored before the server restarted. It is not restored again.',
}

const nothingDone: RestoreResult = { restored: [], recreated: [], kept: [], removed: [], failed: [] }

const restoredRecord = (
  { id, sessionId }: Checkpoint,
  before: CheckpointId,
  done: RestoreResult,
): CheckpointCommand => ({
  type: 'checkpoint.note_restored',
  id,
  sessionId,
  before,
  restored: done.restored.length,
  recreated: done.recreated.length,
  kept: done.kept.length,
  removed: done.removed.length,
  failed: done.failed.length,
})

const skippedReasons: Readonly<Record<SkippedFile['why'], string>> = {
  git: 'belongs to a nested Git repository',
  unreadable: "can't be read",
  special: 'is a pipe, socket or device',
  changing: 'kept changing while it was read',
  too_large: 'is larger than 1 GiB',
  not_utf8: 'has a name or target that is not UTF-8',
}

const mostListed = 100
const listed = (notKept: readonly SkippedFile[]) => ({
  count: notKept.length,
  files: notKept.slice(0, mostListed).map(({ path, why }) => ({ path, why: skippedReasons[why] })),
})
