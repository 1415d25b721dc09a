import type { Generated } from 'kysely'
import type { AgentGroupId } from '../user/id.ts'
import type { CliScope } from './container-config.ts'
import type { SessionId } from '../session/id.ts'
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
    /** Defaults to none, also for rows that are written elsewhere. */
    instructions: Generated<string>
    created_at: string
    removed_at: string | null
  }
  /** How each group runs; one row per group. JSON in the columns that hold lists and records. */
  container_configs: {
    agent_group_id: AgentGroupId
    provider: string | null
    model: string | null
    effort: string | null
    image_tag: string | null
    assistant_name: string | null
    max_messages_per_prompt: number | null
    skills: string
    mcp_servers: string
    packages_apt: string
    packages_npm: string
    additional_mounts: string
    cli_scope: CliScope
    isolation: 'none' | 'sandbox' | 'container' | null
    limits: string
    network_hosts: string
    providers: string
    budget: string | null
    /** Names of MCP servers that someone with the machine right set. */
    vouched_servers: string
    updated_at: string
  }
  /** What a session spent on one day, and the totals its agent reported last. */
  group_spending: {
    session_id: SessionId
    agent_group_id: AgentGroupId
    day: string
    cost_usd: number
    tokens: number
    last_cost_usd: number
    last_tokens: number
  }
}
