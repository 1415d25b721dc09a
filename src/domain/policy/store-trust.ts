import type { Executor, Tx } from '../../db/open.ts'
import { prepare } from '../../db/prepare.ts'
import { remembered } from '../../db/remembered.ts'
import type { Baseline, PolicyObservation } from './baseline.ts'
import type { PolicyTrust } from './schema.ts'

type AtWorkspace = { workspaceRoot: string }

const repoAt = remembered(
  prepare<AtWorkspace>()((db, slots) =>
    db
      .selectFrom('repos')
      .select(['added_by', 'created_at'])
      .where('path', '=', slots.workspaceRoot)
      .where('removed_at', 'is', null),
  ),
)

const trustedBy = remembered(
  prepare<AtWorkspace>()((db, slots) =>
    db.selectFrom('policy_trusts').selectAll().where('workspace_root', '=', slots.workspaceRoot),
  ),
)

const worktreeOf = prepare<AtWorkspace>()((db, slots) =>
  db
    .selectFrom('sessions')
    .select('worktree_of')
    .where('workspace_root', '=', slots.workspaceRoot)
    .where('worktree_of', 'is not', null)
    .limit(1),
)

/** The repo that this worktree was made from. */
const repoOfWorktree = async (db: Executor, workspaceRoot: string): Promise<string | null> =>
  (await worktreeOf(db, { workspaceRoot }))[0]?.worktree_of ?? null

/** Who vouched for a workspace; its policy applies only there. A folder in it is a different workspace. */
export async function trustOf(
  db: Executor,
  workspaceRoot: string,
  configured: readonly string[],
): Promise<PolicyTrust | null> {
  if (configured.includes(workspaceRoot)) return { kind: 'config', by: null, at: null }
  const [repo] = await repoAt(db, { workspaceRoot })
  if (repo) return { kind: 'repo', by: repo.added_by === null ? null : `user:${repo.added_by}`, at: repo.created_at }
  const [row] = await trustedBy(db, { workspaceRoot })
  if (row) return { kind: 'person', by: row.trusted_by, at: row.trusted_at }
  const repoOf = await repoOfWorktree(db, workspaceRoot)
  if (repoOf === null || repoOf === workspaceRoot) return null
  const trust = await trustOf(db, repoOf, configured)
  return trust && { ...trust, kind: 'worktree' }
}

export async function trustedWorkspaces(
  db: Executor,
): Promise<{ workspaceRoot: string; trustedBy: string; trustedAt: string }[]> {
  const rows = await db.selectFrom('policy_trusts').selectAll().orderBy('workspace_root').execute()
  return rows.map((row) => ({
    workspaceRoot: row.workspace_root,
    trustedBy: row.trusted_by,
    trustedAt: row.trusted_at,
  }))
}

async function baselineAt(db: Executor, workspaceRoot: string): Promise<Baseline | undefined> {
  const row = await db
    .selectFrom('policy_baselines')
    .selectAll()
    .where('workspace_root', '=', workspaceRoot)
    .executeTakeFirst()
  return (
    row && {
      workspaceRoot,
      settings: row.settings,
      notedAt: row.noted_at,
      pendingHash: row.pending_hash,
      pendingSince: row.pending_since,
    }
  )
}

/** What a policy is compared with, and whether sessions were running. */
export async function loadObservation(db: Executor, workspaceRoot: string): Promise<PolicyObservation> {
  const own = await baselineAt(db, workspaceRoot)
  const repo = own ? null : await repoOfWorktree(db, workspaceRoot)
  const baseline = own ?? (repo === null ? undefined : await baselineAt(db, repo))
  const live = async (since: string | null): Promise<boolean> => {
    let query = db
      .selectFrom('sessions')
      .select('id')
      .where((eb) => eb.or([eb('workspace_root', '=', workspaceRoot), eb('worktree_of', '=', workspaceRoot)]))
      .where('protocol_mode', '<>', 'terminal')
      .limit(1)
    query =
      since === null
        ? query.where('terminated_at', 'is', null)
        : query.where((eb) => eb.or([eb('terminated_at', 'is', null), eb('terminated_at', '>=', since)]))
    return (await query.executeTakeFirst()) !== undefined
  }
  return {
    baseline,
    borrowed: repo !== null,
    liveNow: await live(null),
    liveSince: baseline !== undefined && (await live(baseline.notedAt)),
  }
}

export async function projectNoted(
  tx: Tx,
  { workspaceRoot, settings, by }: { workspaceRoot: string; settings: string | null; by: string },
  at: string,
): Promise<void> {
  const set = { settings, noted_by: by, noted_at: at, pending_hash: null, pending_since: null }
  await tx
    .insertInto('policy_baselines')
    .values({ workspace_root: workspaceRoot, ...set })
    .onConflict((conflict) => conflict.column('workspace_root').doUpdateSet(set))
    .execute()
}

export async function projectHeld(tx: Tx, workspaceRoot: string, hash: string, at: string): Promise<void> {
  await tx
    .updateTable('policy_baselines')
    .set({ pending_hash: hash, pending_since: at })
    .where('workspace_root', '=', workspaceRoot)
    .execute()
}

export async function projectTrust(tx: Tx, workspaceRoot: string, by: string | null, at: string): Promise<void> {
  if (by === null) {
    await tx.deleteFrom('policy_trusts').where('workspace_root', '=', workspaceRoot).execute()
    return
  }
  await tx
    .insertInto('policy_trusts')
    .values({ workspace_root: workspaceRoot, trusted_by: by, trusted_at: at })
    .onConflict((conflict) => conflict.column('workspace_root').doUpdateSet({ trusted_by: by, trusted_at: at }))
    .execute()
}
