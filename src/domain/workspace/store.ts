import type { Executor, Tx } from '../../db/open.ts'
import { prepare } from '../../db/prepare.ts'
import { remembered } from '../../db/remembered.ts'
import type { RepoState } from './decide.ts'
import type { RepoId } from './id.ts'
import type { Repo, RepoAccess, RepoChange, RepoCommand } from './schema.ts'
import type { WorkspaceTables } from './table.ts'

/** A repo with its access list. */
export type LoadedRepo = Repo & { access: RepoAccess }

export async function loadRepos(
  db: Executor,
  command: RepoCommand,
): Promise<{ byId: RepoState | undefined; byPath: RepoState | undefined }> {
  const rows = await db
    .selectFrom('repos')
    .select(['id', 'path', 'removed_at'])
    .where((eb) =>
      command.type === 'repo.register'
        ? eb.or([eb('id', '=', command.id), eb('path', '=', command.path)])
        : eb('id', '=', command.id),
    )
    .execute()
  const state = (row: (typeof rows)[number] | undefined) => row && { id: row.id, removed: row.removed_at !== null }
  return {
    byId: state(rows.find((row) => row.id === command.id)),
    byPath: command.type === 'repo.register' ? state(rows.find((row) => row.path === command.path)) : undefined,
  }
}

export async function projectRepo(tx: Tx, change: RepoChange, at: string): Promise<void> {
  switch (change.type) {
    case 'repo.registered': {
      const { id, path, by } = change.data
      const { name } = change.body
      await tx
        .insertInto('repos')
        .values({ id, name, path, added_by: by, created_at: at, removed_at: null, everyone: 1 })
        .onConflict((conflict) => conflict.column('id').doUpdateSet({ name, added_by: by, removed_at: null }))
        .execute()
      return
    }
    case 'repo.removed':
      await tx.updateTable('repos').set({ removed_at: at }).where('id', '=', change.data.id).execute()
      return
    case 'repo.access_set': {
      const { id, everyone, users, agentGroups } = change.data
      await tx
        .updateTable('repos')
        .set({ everyone: Number(everyone) })
        .where('id', '=', id)
        .execute()
      await tx.deleteFrom('repo_access').where('repo_id', '=', id).execute()
      const rows = [
        ...users.map((user_id) => ({ repo_id: id, user_id, agent_group_id: null })),
        ...agentGroups.map((agent_group_id) => ({ repo_id: id, user_id: null, agent_group_id })),
      ]
      if (rows.length > 0) await tx.insertInto('repo_access').values(rows).execute()
      return
    }
    default:
      change satisfies never
  }
}

/** `removed`: include removed repos. */
export async function listRepos(db: Executor, { removed = false } = {}): Promise<LoadedRepo[]> {
  const rows = await db
    .selectFrom('repos')
    .selectAll()
    .$if(!removed, (query) => query.where('removed_at', 'is', null))
    .orderBy('name')
    .orderBy('path')
    .execute()
  const access = await accessOf(
    db,
    rows.map(({ id }) => id),
  )
  return rows.map((row) => toRepo(row, access))
}

/** Access lists by repo. */
async function accessOf(db: Executor, ids: readonly RepoId[]): Promise<ReadonlyMap<RepoId, AccessRow[]>> {
  if (ids.length === 0) return new Map()
  const rows = await db.selectFrom('repo_access').selectAll().where('repo_id', 'in', ids).execute()
  return Map.groupBy(rows, (row) => row.repo_id)
}

type AccessRow = WorkspaceTables['repo_access']

const usable = remembered(
  prepare<{ id: RepoId }>()((db, slots) =>
    db.selectFrom('repos').selectAll().where('removed_at', 'is', null).where('id', '=', slots.id),
  ),
)
const usableAt = remembered(
  prepare<{ path: string }>()((db, slots) =>
    db.selectFrom('repos').selectAll().where('removed_at', 'is', null).where('path', '=', slots.path),
  ),
)

/** The repo a session works in: the one it names, or the one registered at its path. */
export async function repoOfWorkspace(
  db: Executor,
  place: { repoId: RepoId | null; workspaceRoot: string },
): Promise<LoadedRepo | undefined> {
  const { repoId, workspaceRoot } = place
  const [row] = repoId === null ? await usableAt(db, { path: workspaceRoot }) : await usable(db, { id: repoId })
  return row && toRepo(row, await accessOf(db, [row.id]))
}

/** Includes removed repos: sessions still refer to them. */
export async function getRepo(db: Executor, id: RepoId): Promise<LoadedRepo | undefined> {
  const row = await db.selectFrom('repos').selectAll().where('id', '=', id).executeTakeFirst()
  return row && toRepo(row, await accessOf(db, [row.id]))
}

const toRepo = (row: WorkspaceTables['repos'], access: ReadonlyMap<RepoId, AccessRow[]>): LoadedRepo => ({
  id: row.id,
  name: row.name,
  path: row.path,
  addedBy: row.added_by,
  createdAt: row.created_at,
  removedAt: row.removed_at,
  access: {
    everyone: row.everyone !== 0,
    users: (access.get(row.id) ?? []).flatMap(({ user_id }) => user_id ?? []),
    agentGroups: (access.get(row.id) ?? []).flatMap(({ agent_group_id }) => agent_group_id ?? []),
  },
})
