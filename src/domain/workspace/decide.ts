import { fail, notFound, ok, type Result } from '../../lib/result.ts'
import type { Holdings } from '../user/actor.ts'
import { holdsMachine } from '../user/decide.ts'
import type { AgentGroupId, UserId } from '../user/id.ts'
import type { RepoId } from './id.ts'
import type { RepoAccess, RepoChange, RepoCommand } from './schema.ts'

export type RepoState = { id: RepoId; removed: boolean }

export function decideRepo(
  state: { byId: RepoState | undefined; byPath: RepoState | undefined },
  command: RepoCommand,
  by: UserId | null,
  /** People and groups it names that do not exist. */
  unknown: { users: readonly UserId[]; agentGroups: readonly AgentGroupId[] },
): Result<RepoChange[]> {
  switch (command.type) {
    case 'repo.register': {
      if (state.byPath && !state.byPath.removed)
        return fail({
          kind: 'conflict',
          code: 'repo_exists',
          message: `${command.path} is already registered.`,
          details: { repoId: state.byPath.id },
        })
      // A repo that is registered again keeps its id and its sessions.
      const id = state.byPath?.id ?? command.id
      return ok([{ type: 'repo.registered', data: { id, path: command.path, by }, body: { name: command.name } }])
    }
    case 'repo.remove':
      if (!state.byId || state.byId.removed) return notFound('repo', command.id)
      return ok([{ type: 'repo.removed', data: { id: command.id } }])
    case 'repo.set_access': {
      if (!state.byId || state.byId.removed) return notFound('repo', command.id)
      const [user] = unknown.users
      if (user !== undefined) return notFound('user', user)
      const [group] = unknown.agentGroups
      if (group !== undefined) return notFound('agent_group', group)
      const { id, everyone } = command
      const users = [...new Set(command.users)]
      const agentGroups = [...new Set(command.agentGroups)]
      if (everyone && users.length + agentGroups.length > 0)
        return fail({
          kind: 'invalid',
          code: 'everyone_or_named',
          message: 'Access is either for everyone, or for named people and agent groups.',
          hint: 'Leave the names out, or set everyone to false.',
        })
      return ok([{ type: 'repo.access_set', data: { id, everyone, users, agentGroups } }])
    }
    default:
      return command satisfies never
  }
}

/** People with the machine right can read every repo anyway. */
export function mayUseRepo(userId: UserId | null, { grants, memberOf }: Holdings, access: RepoAccess): boolean {
  if (access.everyone || holdsMachine(grants)) return true
  if (userId !== null && access.users.includes(userId)) return true
  const groups = [...memberOf, ...grants.flatMap(({ agentGroupId }) => agentGroupId ?? [])]
  return groups.some((group) => access.agentGroups.includes(group))
}
