import { existsSync, realpathSync, statSync } from 'node:fs'
import { dirname, join, resolve } from 'node:path'
import type { Client } from '../client/client.ts'
import type { Repo } from '../domain/workspace/schema.ts'
import type { Context } from './context.ts'
import { exit, Failure, wrongUsage } from './failure.ts'
import { findRepo } from './find-by-id.ts'

type WorkspaceRequest = { repoId: Repo['id'] } | { workspaceRoot: string }
type WorkspaceFlags = { repo: string | undefined; workspace: string | undefined }

/** Where a session works: a repo, registered if necessary, or a directory. */
export async function chooseWorkspace(
  client: Client,
  given: WorkspaceFlags,
  context: Context,
  cwd = process.cwd(),
): Promise<WorkspaceRequest> {
  const isRemote = context.url !== undefined
  if (given.workspace !== undefined) {
    if (given.repo !== undefined) throw wrongUsage('Give --repo or --workspace, not both.')
    return { workspaceRoot: isRemote ? given.workspace : resolve(cwd, given.workspace) }
  }
  if (isRemote) {
    if (given.repo !== undefined) return { repoId: await findRepo(client, given.repo) }
    throw wrongUsage('For a remote server, give --repo NAME or --workspace DIR.', 'See: signalbox repos')
  }
  const top = gitRootOf(resolve(cwd, given.repo ?? '.'))
  if (given.repo === undefined) {
    if (top !== null) return ownRepo(client, top)
    throw wrongUsage(
      `${cwd} is not in a Git repository.`,
      'Run this in one, name one with --repo, or use a plain directory: --workspace .',
    )
  }
  try {
    return { repoId: await findRepo(client, given.repo) }
  } catch (error) {
    const isUnknown = error instanceof Failure && error.exit === exit.notFound
    if (isUnknown && top !== null) return ownRepo(client, top)
    throw error
  }
}

/** The nearest directory with `.git`, at or above this one. */
export function gitRootOf(directory: string): string | null {
  if (!existsSync(directory) || !statSync(directory).isDirectory()) return null
  let current = realpathSync(directory)
  while (!existsSync(join(current, '.git'))) {
    const above = dirname(current)
    if (above === current) return null
    current = above
  }
  return current
}

async function ownRepo(client: Client, path: string): Promise<WorkspaceRequest> {
  const known = (await client.listRepos({})).repos.find((repo) => repo.path === path)
  if (known) return { repoId: known.id }
  try {
    return { repoId: (await client.registerRepo({ body: { path } })).id }
  } catch (error) {
    // People who can't register repos may still work in a directory; the server decides.
    if (error instanceof Error && 'status' in error && error.status === 403) return { workspaceRoot: path }
    throw error
  }
}
