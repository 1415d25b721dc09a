import type { Generated } from 'kysely'
import type { AskId } from '../ask/id.ts'
import type { QueueItemId } from '../queue/schema.ts'
import type { SessionId } from '../session/id.ts'
import type { AgentGroupId, UserId } from '../user/id.ts'
import type { ChatInstanceId, InboxId, MessagingGroupId, SessionMode, WiringId } from './id.ts'
import type { DeliveryOutcome, InboxStatus } from './records.ts'
import type { EngageMode, IgnoredMessagePolicy, SenderScope, UnknownSenderPolicy, Verbosity } from './schema.ts'

export type ChatTables = {
  messaging_groups: {
    id: MessagingGroupId
    channel_type: string
    platform_id: string
    name: string | null
    is_group: number
    unknown_sender_policy: UnknownSenderPolicy
    created_at: string
    instance_id: ChatInstanceId | null
    denied_at: string | null
    removed_at: string | null
  }
  messaging_group_agents: {
    id: WiringId
    messaging_group_id: MessagingGroupId
    agent_group_id: AgentGroupId
    /** Only kept as imported. */
    trigger_rules: string | null
    response_scope: string | null
    session_mode: SessionMode
    priority: number
    engage_mode: EngageMode
    engage_pattern: string | null
    sender_scope: SenderScope
    ignored_message_policy: IgnoredMessagePolicy
    verbosity: Verbosity
    created_at: string
  }
  agent_destinations: {
    agent_group_id: AgentGroupId
    local_name: string
    target_type: 'channel' | 'agent'
    target_id: string
    /** The wiring that made it; it is removed with it. */
    wiring_id: WiringId | null
    created_at: string
  }
  user_dms: { user_id: UserId; channel_type: string; messaging_group_id: MessagingGroupId; resolved_at: string }
  unregistered_senders: {
    channel_type: string
    platform_id: string
    /** An identity such as `slack:U1`. */
    user_id: string | null
    sender_name: string | null
    reason: string
    messaging_group_id: MessagingGroupId | null
    agent_group_id: AgentGroupId | null
    message_count: number
    first_seen: string
    last_seen: string
  }
  chat_inbox: {
    seq: Generated<number>
    id: InboxId
    instance_id: ChatInstanceId
    event_key: string
    lane: string
    kind: string
    /** JSON; empty once the event was ignored, so that nothing of a stranger is kept. */
    body: string
    received_at: string
    status: InboxStatus
    ask_id: AskId | null
    attempts: number
    next_at: string
    error: string | null
    done_at: string | null
  }
  /** What each wiring did with a message. */
  chat_deliveries: {
    inbox_id: InboxId
    wiring_id: WiringId
    outcome: DeliveryOutcome
    session_id: SessionId | null
    detail: string | null
    at: string
  }
  /** Messages from agent to agent. */
  agent_messages: {
    /** The id of the queue item that it becomes, too. */
    id: QueueItemId
    from_session_id: SessionId
    from_group_id: AgentGroupId
    to_group_id: AgentGroupId
    /** Where it is going; written before it is delivered. */
    to_session_id: SessionId | null
    /** How many agents it has come through. */
    hops: number
    created_at: string
    delivered_at: string | null
  }
  /** The ask that is open, or was answered last, about a stranger in a chat; about the chat itself if it has no identity. */
  chat_knocks: {
    messaging_group_id: MessagingGroupId
    identity: string
    agent_group_id: AgentGroupId
    ask_id: AskId
    at: string
  }
}
