import type { Ddl, Migration } from '../ddl.ts'

const live = `status in ('created', 'active', 'paused')`
const senderPolicies = `unknown_sender_policy in ('strict', 'request_approval', 'public')`

/** A field of a JSON column, as text. */
const field = ({ name }: Ddl, column: string, path: string): string =>
  name === 'sqlite' ? `json_extract(${column}, '$.${path}')` : `${column}::json->>'${path}'`

/** Whether the selected option of a permission lets the agent do something. */
const selectedAllows = ({ name }: Ddl): string =>
  name === 'sqlite'
    ? `exists (select 1 from json_each(asks.subject, '$.options') as o
         where json_extract(o.value, '$.optionId') = json_extract(asks.answer, '$.optionId')
           and json_extract(o.value, '$.kind') like 'allow%')`
    : `exists (select 1 from json_array_elements(asks.subject::json->'options') as o
         where o->>'optionId' = asks.answer::json->>'optionId' and o->>'kind' like 'allow%')`

/** Names that the central database had for these kinds. */
const seedActions = `case asks.kind when 'packages' then 'install_packages' when 'mcp_server' then 'add_mcp_server'
  when 'credential' then 'onecli_credential' else asks.kind end`

const approvalKinds = [
  'diff',
  'command',
  'tool',
  'permission',
  'packages',
  'mcp_server',
  'create_agent',
  'credential',
  'unknown_sender',
  'new_chat',
]
const quoted = (names: readonly string[]) => names.map((name) => `'${name}'`).join(', ')

const postOf = (column: string) =>
  `(select min(${column}) from chat_posts where subject_kind = 'ask' and subject_id = asks.id)`

/** What waits for people, under the names of the central database. */
export const pendingViews = (ddl: Ddl): readonly string[] => [
  `create view pending_questions as
     select asks.id as question_id, asks.session_id, coalesce(${postOf('id')}, asks.id) as message_out_id,
       chat.platform_id, chat.channel_type, sessions.thread_id, asks.title,
       coalesce(${field(ddl, 'asks.subject', 'options')}, '[]') as options_json, asks.created_at
     from asks left join sessions on sessions.id = asks.session_id
       left join messaging_groups as chat on chat.id = sessions.messaging_group_id
     where asks.kind = 'question' and asks.status = 'open'`,
  `create view pending_approvals as
     select asks.id as approval_id, asks.session_id, asks.id as request_id, ${seedActions} as action,
       asks.subject as payload, asks.created_at,
       coalesce(sessions.agent_group_id, ${field(ddl, 'asks.subject', 'agentGroupId')}) as agent_group_id,
       chat.channel_type, chat.platform_id, ${postOf('platform_message_id')} as platform_message_id, asks.expires_at,
       case when asks.status = 'open' then 'pending'
         when asks.status in ('expired', 'interrupted', 'cancelled') then 'expired'
         when ${field(ddl, 'asks.answer', 'outcome')} = 'approve' then 'approved'
         when ${field(ddl, 'asks.answer', 'outcome')} = 'select' and ${selectedAllows(ddl)} then 'approved'
         else 'rejected' end as status,
       asks.title, coalesce(${field(ddl, 'asks.subject', 'options')}, '[]') as options_json
     from asks left join sessions on sessions.id = asks.session_id
       left join messaging_groups as chat on chat.id = sessions.messaging_group_id
     where asks.kind in (${quoted(approvalKinds)})`,
]

/** State of bridged adapters; the names and types of the central database. */
const bridge = ({ name, text }: Ddl): readonly string[] => {
  const now = name === 'sqlite' ? `(datetime('now'))` : `to_char(now() at time zone 'utc', 'YYYY-MM-DD HH24:MI:SS')`
  // Milliseconds since 1970 need more than the four bytes of an integer in PostgreSQL.
  const instant = name === 'sqlite' ? 'integer' : 'bigint'
  return [
    `create table chat_sdk_kv (key ${text} primary key, value ${text} not null, expires_at ${instant})`,
    `create table chat_sdk_subscriptions (thread_id ${text} primary key, subscribed_at ${text} not null default ${now})`,
    `create table chat_sdk_locks (
       thread_id ${text} primary key, token ${text} not null, expires_at ${instant} not null)`,
    `create table chat_sdk_lists (
       key ${text} not null, idx integer not null, value ${text} not null, expires_at ${instant}, primary key (key, idx))`,
  ]
}

/** SQLite can't add a constraint to a table, but it can to a new column, and that one may name other columns. */
const restricted = ({ name, text }: Ddl): readonly string[] =>
  name === 'sqlite'
    ? [
        `alter table messaging_groups add column denied_at ${text} check (${senderPolicies})`,
        `alter table sessions add column last_active ${text} generated always as (last_activity_at) virtual`,
      ]
    : [
        `alter table messaging_groups add column denied_at ${text}`,
        `alter table messaging_groups add constraint messaging_groups_sender_policy check (${senderPolicies})`,
        `alter table sessions add column last_active ${text} generated always as (last_activity_at) stored`,
      ]

/** Agent groups, chats, wirings and destinations; the accounts that Signalbox has on platforms, what came in and what was posted. */
export const chats: Migration = {
  version: 17,
  name: 'chats',
  up: (ddl) => [
    `create table chat_instances (
       id ${ddl.text} primary key,
       platform ${ddl.text} not null,
       name ${ddl.text} not null unique,
       title ${ddl.text} not null,
       credentials ${ddl.text} not null,
       settings ${ddl.text} not null default '{}',
       wanted ${ddl.text} not null default 'running' check (wanted in ('running', 'stopped')),
       cursor ${ddl.text},
       state ${ddl.text} not null default 'stopped',
       state_error ${ddl.text},
       state_at ${ddl.text},
       node_id ${ddl.text},
       created_by ${ddl.text} references users(id),
       created_at ${ddl.text} not null,
       updated_at ${ddl.text} not null,
       removed_at ${ddl.text})`,
    `alter table agent_groups add column repo_id ${ddl.text} references repos(id)`,
    ...['workspace_root', 'agent', 'model', 'removed_at'].map(
      (column) => `alter table agent_groups add column ${column} ${ddl.text}`,
    ),
    `alter table messaging_groups add column instance_id ${ddl.text} references chat_instances(id)`,
    `alter table messaging_groups add column removed_at ${ddl.text}`,
    ...restricted(ddl),
    `alter table sessions add column session_mode ${ddl.text}
       check (session_mode in ('shared', 'per-thread', 'agent-shared'))`,
    `create unique index idx_sessions_one_per_thread
       on sessions(agent_group_id, messaging_group_id, coalesce(thread_id, ''))
       where ${live} and agent_group_id is not null and messaging_group_id is not null`,
    `create unique index idx_sessions_one_per_group on sessions(agent_group_id)
       where ${live} and session_mode = 'agent-shared'`,
    `create table messaging_group_agents (
       id ${ddl.text} primary key,
       messaging_group_id ${ddl.text} not null references messaging_groups(id),
       agent_group_id ${ddl.text} not null references agent_groups(id),
       trigger_rules ${ddl.text},
       response_scope ${ddl.text} default 'all',
       session_mode ${ddl.text} not null default 'shared'
         check (session_mode in ('shared', 'per-thread', 'agent-shared')),
       priority integer not null default 0,
       engage_mode ${ddl.text} not null default 'mention'
         check (engage_mode in ('pattern', 'mention', 'mention-sticky')),
       engage_pattern ${ddl.text},
       sender_scope ${ddl.text} not null default 'all' check (sender_scope in ('all', 'known')),
       ignored_message_policy ${ddl.text} not null default 'drop'
         check (ignored_message_policy in ('drop', 'accumulate')),
       verbosity ${ddl.text} not null default 'quiet' check (verbosity in ('quiet', 'verbose')),
       created_at ${ddl.text} not null,
       unique (messaging_group_id, agent_group_id))`,
    `create table agent_destinations (
       agent_group_id ${ddl.text} not null references agent_groups(id),
       local_name ${ddl.text} not null,
       target_type ${ddl.text} not null check (target_type in ('channel', 'agent')),
       target_id ${ddl.text} not null,
       wiring_id ${ddl.text} references messaging_group_agents(id) on delete cascade,
       created_at ${ddl.text} not null,
       primary key (agent_group_id, local_name))`,
    `create index idx_agent_dest_target on agent_destinations(target_type, target_id)`,
    `create table user_dms (
       user_id ${ddl.text} not null references users(id),
       channel_type ${ddl.text} not null,
       messaging_group_id ${ddl.text} not null references messaging_groups(id),
       resolved_at ${ddl.text} not null,
       primary key (user_id, channel_type))`,
    `create table unregistered_senders (
       channel_type ${ddl.text} not null,
       platform_id ${ddl.text} not null,
       user_id ${ddl.text},
       sender_name ${ddl.text},
       reason ${ddl.text} not null,
       messaging_group_id ${ddl.text},
       agent_group_id ${ddl.text},
       message_count integer not null default 1,
       first_seen ${ddl.text} not null,
       last_seen ${ddl.text} not null)`,
    // One row for each sender in each chat; a primary key can't hold a sender without a name.
    `create unique index idx_unregistered_senders_once
       on unregistered_senders(channel_type, platform_id, coalesce(user_id, ''))`,
    `create index idx_unregistered_senders_last_seen on unregistered_senders(last_seen)`,
    ...bridge(ddl),
    `create table chat_inbox (
       seq ${ddl.counter},
       id ${ddl.text} not null unique,
       instance_id ${ddl.text} not null references chat_instances(id),
       event_key ${ddl.text} not null,
       lane ${ddl.text} not null,
       kind ${ddl.text} not null,
       body ${ddl.text} not null,
       received_at ${ddl.text} not null,
       status ${ddl.text} not null check (status in ('waiting', 'done', 'held', 'failed', 'ignored')),
       ask_id ${ddl.text},
       attempts integer not null default 0,
       next_at ${ddl.text} not null,
       error ${ddl.text},
       done_at ${ddl.text},
       unique (instance_id, event_key))`,
    `create index idx_chat_inbox_due on chat_inbox(lane, seq) where status = 'waiting'`,
    `create index idx_chat_inbox_held on chat_inbox(ask_id) where status = 'held'`,
    `create table chat_deliveries (
       inbox_id ${ddl.text} not null references chat_inbox(id) on delete cascade,
       wiring_id ${ddl.text} not null references messaging_group_agents(id) on delete cascade,
       outcome ${ddl.text} not null check (outcome in ('delivered', 'kept', 'ignored', 'refused', 'held', 'failed')),
       session_id ${ddl.text} references sessions(id),
       detail ${ddl.text},
       at ${ddl.text} not null,
       primary key (inbox_id, wiring_id))`,
    `create index idx_chat_deliveries_session on chat_deliveries(session_id) where session_id is not null`,
    `create index idx_chat_deliveries_kept on chat_deliveries(wiring_id) where outcome = 'kept'`,
    `create table chat_knocks (
       messaging_group_id ${ddl.text} not null references messaging_groups(id),
       identity ${ddl.text} not null default '',
       agent_group_id ${ddl.text} not null references agent_groups(id),
       ask_id ${ddl.text} not null unique,
       at ${ddl.text} not null,
       primary key (messaging_group_id, identity, agent_group_id))`,
    `create table chat_posts (
       id ${ddl.text} primary key,
       instance_id ${ddl.text} not null references chat_instances(id),
       messaging_group_id ${ddl.text} not null references messaging_groups(id),
       thread_id ${ddl.text},
       session_id ${ddl.text} references sessions(id),
       subject_kind ${ddl.text} not null,
       subject_id ${ddl.text} not null,
       part integer not null default 0,
       revision integer not null default 1,
       content ${ddl.text} not null,
       platform_message_id ${ddl.text},
       sent_revision integer,
       created_at ${ddl.text} not null,
       updated_at ${ddl.text} not null)`,
    `create unique index idx_chat_posts_once
       on chat_posts(subject_kind, subject_id, messaging_group_id, coalesce(thread_id, ''), part)`,
    `create index idx_chat_posts_session on chat_posts(session_id) where session_id is not null`,
    `create index idx_chat_posts_message on chat_posts(messaging_group_id, platform_message_id)
       where platform_message_id is not null`,
    ...pendingViews(ddl),
  ],
  down: ({ name }) => [
    'drop view pending_approvals',
    'drop view pending_questions',
    ...[
      'chat_posts',
      'chat_knocks',
      'chat_deliveries',
      'chat_inbox',
      'chat_sdk_lists',
      'chat_sdk_locks',
      'chat_sdk_subscriptions',
      'chat_sdk_kv',
      'unregistered_senders',
      'user_dms',
      'agent_destinations',
      'messaging_group_agents',
    ].map((table) => `drop table ${table}`),
    'drop index idx_sessions_one_per_group',
    'drop index idx_sessions_one_per_thread',
    'alter table sessions drop column session_mode',
    'alter table sessions drop column last_active',
    ...(name === 'postgres' ? ['alter table messaging_groups drop constraint messaging_groups_sender_policy'] : []),
    'alter table messaging_groups drop column denied_at',
    'alter table messaging_groups drop column removed_at',
    'alter table messaging_groups drop column instance_id',
    ...['removed_at', 'model', 'agent', 'workspace_root', 'repo_id'].map(
      (column) => `alter table agent_groups drop column ${column}`,
    ),
    'drop table chat_instances',
  ],
}
