import type { AgentGroupId, UserId } from '../user/id.ts'
import type { RepoId } from './id.ts'

export type WorkspaceTables = {
  repos: {
    id: RepoId
    name: string
    path: string
    added_by: UserId | null
    created_at: string
    removed_at: string | null
    everyone: number
  }
  repo_access: { repo_id: RepoId; user_id: UserId | null; agent_group_id: AgentGroupId | null }
}
