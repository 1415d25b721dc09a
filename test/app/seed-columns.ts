/** A column of the central database: `!` never null. A default is written as it reads in SQL. */
export type Column = `${string} ${'text' | 'integer'}${'' | '!'}${'' | ` = ${string}`}`
type Seed = {
  columns: readonly Column[]
  key: string
  unique?: readonly string[]
  references?: readonly string[]
  indexes?: Readonly<Record<string, string>>
}

/** Sections 1.1 to 1.15 of the central database, in its words; `sessions` etc. have more columns here. */
export const seed: Readonly<Record<string, Seed>> = {
  agent_groups: {
    columns: ['id text', 'name text!', 'folder text!', 'agent_provider text', 'created_at text!'],
    key: 'id',
    unique: ['folder'],
  },
  messaging_groups: {
    columns: [
      'id text',
      'channel_type text!',
      'platform_id text!',
      'name text',
      'is_group integer = 0',
      `unknown_sender_policy text! = 'strict'`,
      'created_at text!',
    ],
    key: 'id',
    unique: ['channel_type, platform_id'],
  },
  messaging_group_agents: {
    columns: [
      'id text',
      'messaging_group_id text!',
      'agent_group_id text!',
      'trigger_rules text',
      `response_scope text = 'all'`,
      `session_mode text = 'shared'`,
      'priority integer = 0',
      'created_at text!',
    ],
    key: 'id',
    unique: ['messaging_group_id, agent_group_id'],
    references: ['agent_group_id → agent_groups', 'messaging_group_id → messaging_groups'],
  },
  users: { columns: ['id text', 'kind text!', 'display_name text', 'created_at text!'], key: 'id' },
  user_roles: {
    columns: ['user_id text!', 'role text!', 'agent_group_id text', 'granted_by text', 'granted_at text!'],
    key: 'user_id, role, agent_group_id',
    references: ['agent_group_id → agent_groups', 'granted_by → users', 'user_id → users'],
    indexes: { idx_user_roles_scope: 'agent_group_id, role' },
  },
  agent_group_members: {
    columns: ['user_id text!', 'agent_group_id text!', 'added_by text', 'added_at text!'],
    key: 'user_id, agent_group_id',
    references: ['added_by → users', 'agent_group_id → agent_groups', 'user_id → users'],
  },
  user_dms: {
    columns: ['user_id text!', 'channel_type text!', 'messaging_group_id text!', 'resolved_at text!'],
    key: 'user_id, channel_type',
    references: ['messaging_group_id → messaging_groups', 'user_id → users'],
  },
  sessions: {
    columns: [
      'id text',
      'agent_group_id text!',
      'messaging_group_id text',
      'thread_id text',
      'agent_provider text',
      `status text = 'active'`,
      `container_status text = 'stopped'`,
      'last_active text',
      'created_at text!',
    ],
    key: 'id',
    references: ['agent_group_id → agent_groups', 'messaging_group_id → messaging_groups'],
    indexes: { idx_sessions_agent_group: 'agent_group_id', idx_sessions_lookup: 'messaging_group_id, thread_id' },
  },
  pending_questions: {
    columns: [
      'question_id text',
      'session_id text!',
      'message_out_id text!',
      'platform_id text',
      'channel_type text',
      'thread_id text',
      'title text!',
      'options_json text!',
      'created_at text!',
    ],
    key: 'question_id',
  },
  agent_destinations: {
    columns: ['agent_group_id text!', 'local_name text!', 'target_type text!', 'target_id text!', 'created_at text!'],
    key: 'agent_group_id, local_name',
    references: ['agent_group_id → agent_groups'],
    indexes: { idx_agent_dest_target: 'target_type, target_id' },
  },
  pending_approvals: {
    columns: [
      'approval_id text',
      'session_id text',
      'request_id text!',
      'action text!',
      'payload text!',
      'created_at text!',
      'agent_group_id text',
      'channel_type text',
      'platform_id text',
      'platform_message_id text',
      'expires_at text',
      `status text! = 'pending'`,
      `title text! = ''`,
      `options_json text! = '[]'`,
    ],
    key: 'approval_id',
    indexes: { idx_pending_approvals_action_status: 'action, status' },
  },
  unregistered_senders: {
    columns: [
      'channel_type text!',
      'platform_id text!',
      'user_id text',
      'sender_name text',
      'reason text!',
      'messaging_group_id text',
      'agent_group_id text',
      'message_count integer! = 1',
      'first_seen text!',
      'last_seen text!',
    ],
    key: 'channel_type, platform_id',
    indexes: { idx_unregistered_senders_last_seen: 'last_seen' },
  },
  chat_sdk_kv: { columns: ['key text', 'value text!', 'expires_at integer'], key: 'key' },
  chat_sdk_subscriptions: {
    columns: ['thread_id text', `subscribed_at text! = datetime('now')`],
    key: 'thread_id',
  },
  chat_sdk_locks: { columns: ['thread_id text', 'token text!', 'expires_at integer!'], key: 'thread_id' },
  chat_sdk_lists: {
    columns: ['key text!', 'idx integer!', 'value text!', 'expires_at integer'],
    key: 'key, idx',
  },
  schema_version: { columns: ['version integer', 'name text!', 'applied text!'], key: 'version' },
  container_configs: {
    columns: [
      'agent_group_id text',
      'provider text',
      'model text',
      'effort text',
      'image_tag text',
      'assistant_name text',
      'max_messages_per_prompt integer',
      `skills text! = '"all"'`,
      `mcp_servers text! = '{}'`,
      `packages_apt text! = '[]'`,
      `packages_npm text! = '[]'`,
      `additional_mounts text! = '[]'`,
      `cli_scope text! = 'group'`,
      'updated_at text!',
    ],
    key: 'agent_group_id',
    references: ['agent_group_id → agent_groups'],
  },
}
