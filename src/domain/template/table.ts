import type { AgentGroupId, UserId } from '../user/id.ts'
import type { TemplateId } from './schema.ts'

export type TemplateTables = {
  /** Of a person, or of an agent group. */
  prompt_templates: {
    id: TemplateId
    name: string
    owner_user_id: UserId | null
    agent_group_id: AgentGroupId | null
    description: string
    content: string
    revision: number
    created_at: string
    updated_at: string
  }
}
