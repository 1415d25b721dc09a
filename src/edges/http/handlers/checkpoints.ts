import { api } from '../../../client/contract.ts'
import type { CheckpointFile, Paths } from '../../../client/contract/checkpoints.ts'
import type { Checkpoint, CheckpointId } from '../../../domain/checkpoint/schema.ts'
import type { SessionId } from '../../../domain/session/schema.ts'
import type { Actor } from '../../../domain/user/actor.ts'
import { ok, type Result } from '../../../lib/result.ts'
import { nextPage, pageStart } from '../page-cursor.ts'
import { mount, type RouteDeps, type Web } from '../route.ts'

type PathLists<N extends string> = Record<N, readonly string[]>

type FilesPage = {
  files: { path: string; leaf: { kind: 'file' | 'link'; hash: string; mode?: number; size?: number } }[]
  more: boolean
}

/** What HTTP needs of checkpoints. */
export type CheckpointService = {
  create(input: { sessionId: SessionId; label: string | null; actor: Actor; key?: string }): Promise<Result<Checkpoint>>
  files(checkpoint: Checkpoint, page: { after: string | null; limit: number }): Promise<Result<FilesPage>>
  look(
    id: CheckpointId,
    actor: Actor,
  ): Promise<Result<{ checkpoint: Checkpoint; diverged: PathLists<'modified' | 'deleted' | 'added'> }>>
  restore(
    id: CheckpointId,
    input: { removeNew: boolean; actor: Actor },
  ): Promise<
    Result<
      PathLists<'restored' | 'recreated' | 'kept' | 'removed'> & {
        checkpoint: Checkpoint
        before: Checkpoint
        failed: { path: string; why: string }[]
      }
    >
  >
}

export function mountCheckpoints(web: Web, deps: RouteDeps, checkpoints: CheckpointService): void {
  const { app } = deps

  mount(web, deps, api.createCheckpoint, ({ params, body }, { caller, once }) =>
    checkpoints.create({
      sessionId: params.id,
      label: body.label ?? null,
      actor: caller.actor,
      ...(once.key !== undefined && { key: once.key }),
    }),
  )

  mount(web, deps, api.listCheckpoints, async ({ params }, { caller }) => {
    const found = await app.read.checkpoints(caller.standing, { sessionId: params.id })
    return found.ok ? ok({ checkpoints: found.value }) : found
  })

  mount(web, deps, api.allCheckpoints, async ({ query }, { caller }) => {
    const before = pageStart(query.before)
    if (!before.ok) return before
    const { limit } = query
    const found = await app.read.checkpoints(caller.standing, { limit, before: before.value })
    return found.ok ? ok({ checkpoints: found.value, next: nextPage(found.value, limit) }) : found
  })

  mount(web, deps, api.getCheckpoint, ({ params }, { caller }) => app.read.checkpoint(caller.standing, params.id))

  mount(web, deps, api.listCheckpointFiles, async ({ params, query }, { caller }) => {
    const seen = await app.read.checkpoint(caller.standing, params.id)
    if (!seen.ok) return seen
    const found = await checkpoints.files(seen.value, { after: query.after ?? null, limit: query.limit })
    if (!found.ok) return found
    const { files, more } = found.value
    return ok({ files: files.map(fileOf), next: more ? (files.at(-1)?.path ?? null) : null })
  })

  mount(web, deps, api.restoreCheckpoint, async ({ params, body }, { caller }) => {
    const { actor } = caller
    if (!body.confirm) {
      const looked = await checkpoints.look(params.id, actor)
      if (!looked.ok) return looked
      const { checkpoint, diverged } = looked.value
      const { modified, deleted, added } = diverged
      const lists = { modified: first(modified), deleted: first(deleted), added: first(added) }
      return ok({ confirmed: false as const, checkpoint, diverged: lists })
    }
    const done = await checkpoints.restore(params.id, { removeNew: body.removeNew, actor })
    if (!done.ok) return done
    const { checkpoint, before, restored, recreated, kept, removed, failed } = done.value
    return ok({
      confirmed: true as const,
      checkpoint,
      before,
      restored: first(restored),
      recreated: first(recreated),
      kept: first(kept),
      removed: first(removed),
      failed: failed.slice(0, mostListed),
      resume: resumeOf(checkpoint, before),
    })
  })
}

const fileOf = ({ path, leaf: { kind, hash, mode, size } }: FilesPage['files'][number]): CheckpointFile => ({
  path,
  kind,
  sha256: hash,
  mode: mode === undefined ? null : mode.toString(8).padStart(3, '0'),
  size: size ?? null,
})

const mostListed = 1000
const first = (paths: readonly string[]): Paths => ({ count: paths.length, paths: paths.slice(0, mostListed) })

/** `before` belongs to the last session of the lineage, which is the one to continue. */
const resumeOf = ({ sessionState, progressSnapshot }: Checkpoint, before: Checkpoint) => ({
  restartOf: before.sessionId,
  agent: sessionState.agent,
  prompt: sessionState.prompt,
  mode: sessionState.mode,
  progress: progressSnapshot,
  queue: sessionState.queue,
})
