import type { ChatInstanceId } from '../chat/id.ts'
import type { UserId } from '../user/id.ts'
import type { InstanceState } from './schema.ts'

export type ChatInstanceTables = {
  chat_instances: {
    id: ChatInstanceId
    platform: string
    name: string
    title: string
    /** Sealed by the edge; never read here. */
    credentials: string
    /** JSON. */
    settings: string
    wanted: 'running' | 'stopped'
    /** JSON: where to continue receiving. */
    cursor: string | null
    state: InstanceState
    state_error: string | null
    state_at: string | null
    node_id: string | null
    created_by: UserId | null
    created_at: string
    updated_at: string
    removed_at: string | null
    /** The platform's id of the workspace, where ids of people are those of a workspace. Null if it is not known. */
    workspace: string | null
  }
}
