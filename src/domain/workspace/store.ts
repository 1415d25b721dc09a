import type { Executor, Tx } from '../../db/open.ts'
import type { RepoState } from './decide.ts'
import type { RepoId } from './id.ts'
import type { Repo, RepoChange, RepoCommand } from './schema.ts'

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
        .values({ id, name, path, added_by: by, created_at: at, removed_at: null })
        .onConflict((conflict) => conflict.column('id').doUpdateSet({ name, added_by: by, removed_at: null }))
        .execute()
      return
    }
    case 'repo.removed':
      await tx.updateTable('repos').set({ removed_at: at }).where('id', '=', change.data.id).execute()
      return
    default:
      change satisfies never
  }
}

export async function listRepos(db: Executor): Promise<Repo[]> {
  const rows = await db
    .selectFrom('repos')
    .selectAll()
    .where('removed_at', 'is', null)
    .orderBy('name')
    .orderBy('path')
    .execute()
  return rows.map(toRepo)
}

/** Also one that was removed: its sessions still name it. */
export async function getRepo(db: Executor, id: RepoId): Promise<Repo | undefined> {
  const row = await db.selectFrom('repos').selectAll().where('id', '=', id).executeTakeFirst()
  return row && toRepo(row)
}

const toRepo = (row: {
  id: RepoId
  name: string
  path: string
  added_by: Repo['addedBy']
  created_at: string
  removed_at: string | null
}): Repo => ({
  id: row.id,
  name: row.name,
  path: row.path,
  addedBy: row.added_by,
  createdAt: row.created_at,
  removedAt: row.removed_at,
})
