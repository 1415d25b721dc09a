import { fail, notFound, ok, type Result } from '../../lib/result.ts'
import type { UserId } from '../user/id.ts'
import type { RepoId } from './id.ts'
import type { RepoChange, RepoCommand } from './schema.ts'

export type RepoState = { id: RepoId; removed: boolean }

export function decideRepo(
  state: { byId: RepoState | undefined; byPath: RepoState | undefined },
  command: RepoCommand,
  by: UserId | null,
): Result<RepoChange[]> {
  switch (command.type) {
    case 'repo.register': {
      if (state.byPath && !state.byPath.removed)
        return fail({
          kind: 'conflict',
          code: 'repo_exists',
          message: `${command.path} is registered already.`,
          details: { repoId: state.byPath.id },
        })
      // A repo that comes back keeps its id, so that its sessions are its own again.
      const id = state.byPath?.id ?? command.id
      return ok([{ type: 'repo.registered', data: { id, path: command.path, by }, body: { name: command.name } }])
    }
    case 'repo.remove':
      if (!state.byId || state.byId.removed) return notFound('repo', command.id)
      return ok([{ type: 'repo.removed', data: { id: command.id } }])
    default:
      return command satisfies never
  }
}
