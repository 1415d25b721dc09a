import type { AgentGroupId } from '../user/id.ts'
import type { RepoId } from '../workspace/id.ts'

export type AgentGroupTables = {
  agent_groups: {
    id: AgentGroupId
    name: string
    folder: string
    agent_provider: string | null
    /** Where its sessions work: a repo, or a directory. */
    repo_id: RepoId | null
    workspace_root: string | null
    /** The preset of its agent. */
    agent: string | null
    model: string | null
    created_at: string
    removed_at: string | null
  }
}
