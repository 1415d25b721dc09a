import * as z from 'zod'

const id = z.union([z.string().min(1), z.number().transform(String)])
const text = z.string()
const maybe = z
  .string()
  .nullish()
  .transform((value) => value ?? null)
const number = z
  .number()
  .nullish()
  .transform((value) => value ?? null)

const maybeId = id.nullish().transform((value) => value ?? null)

/** The tables of a NanoClaw database. Columns that later versions added may be missing. */
export const seedTables = {
  agent_groups: z.object({ id, name: text, folder: text, agent_provider: maybe, created_at: maybe }),
  messaging_groups: z.object({
    id,
    channel_type: text,
    platform_id: text,
    name: maybe,
    is_group: number,
    unknown_sender_policy: maybe,
    denied_at: maybe,
    created_at: maybe,
  }),
  messaging_group_agents: z.object({
    id,
    messaging_group_id: id,
    agent_group_id: id,
    trigger_rules: maybe,
    response_scope: maybe,
    engage_mode: maybe,
    engage_pattern: maybe,
    sender_scope: maybe,
    ignored_message_policy: maybe,
    session_mode: maybe,
    priority: number,
    created_at: maybe,
  }),
  users: z.object({ id, kind: maybe, display_name: maybe, created_at: maybe }),
  user_roles: z.object({
    user_id: id,
    role: text,
    agent_group_id: maybeId,
    granted_by: maybeId,
    granted_at: maybe,
  }),
  agent_group_members: z.object({ user_id: id, agent_group_id: id, added_by: maybeId, added_at: maybe }),
  user_dms: z.object({ user_id: id, channel_type: text, messaging_group_id: id, resolved_at: maybe }),
  sessions: z.object({
    id,
    agent_group_id: id,
    messaging_group_id: maybeId,
    thread_id: maybe,
    agent_provider: maybe,
    status: maybe,
    last_active: maybe,
    created_at: maybe,
  }),
  pending_questions: z.object({
    question_id: id,
    session_id: id,
    title: text,
    options_json: text,
    created_at: maybe,
  }),
  agent_destinations: z.object({
    agent_group_id: id,
    local_name: text,
    target_type: text,
    target_id: id,
    created_at: maybe,
  }),
  pending_approvals: z.object({
    approval_id: id,
    session_id: maybeId,
    action: text,
    payload: text,
    created_at: maybe,
    expires_at: maybe,
    status: maybe,
    title: maybe,
  }),
  unregistered_senders: z.object({
    channel_type: text,
    platform_id: text,
    user_id: maybe,
    sender_name: maybe,
    reason: text,
    messaging_group_id: maybeId,
    agent_group_id: maybeId,
    message_count: number,
    first_seen: maybe,
    last_seen: maybe,
  }),
  chat_sdk_kv: z.object({ key: text, value: text, expires_at: number }),
  chat_sdk_subscriptions: z.object({ thread_id: text, subscribed_at: maybe }),
  chat_sdk_locks: z.object({ thread_id: text, token: text, expires_at: number }),
  chat_sdk_lists: z.object({ key: text, idx: z.number(), value: text, expires_at: number }),
  container_configs: z.object({
    agent_group_id: id,
    provider: maybe,
    model: maybe,
    effort: maybe,
    image_tag: maybe,
    assistant_name: maybe,
    max_messages_per_prompt: number,
    skills: maybe,
    mcp_servers: maybe,
    packages_apt: maybe,
    packages_npm: maybe,
    additional_mounts: maybe,
    cli_scope: maybe,
    updated_at: maybe,
  }),
} as const

export type SeedTable = keyof typeof seedTables
export type SeedRow<T extends SeedTable> = z.infer<(typeof seedTables)[T]>
export type Seed = { readonly [T in SeedTable]: readonly SeedRow<T>[] }
