import type { Migration } from '../ddl.ts'

const tally = (row: 'old' | 'new', by: 1 | -1) =>
  `insert into session_tally (owner_user_id, repo_id, status, n)
   values (${row}.owner_user_id, coalesce(${row}.repo_id, ''), ${row}.status, ${by})
   on conflict (owner_user_id, repo_id, status) do update set n = session_tally.n + ${by};`

/** Sessions with every field of the seeds, their messages, repos, and tokens. */
export const sessions: Migration = {
  version: 2,
  name: 'sessions',
  up: ({ text, counter, immutable, after }) => [
    `create table repos (
       id ${text} primary key,
       name ${text} not null,
       path ${text} not null unique,
       added_by ${text} references users(id),
       created_at ${text} not null,
       removed_at ${text})`,
    `create table messaging_groups (
       id ${text} primary key,
       channel_type ${text} not null,
       platform_id ${text} not null,
       name ${text},
       is_group integer not null default 0,
       unknown_sender_policy ${text} not null default 'strict',
       created_at ${text} not null,
       unique (channel_type, platform_id))`,
    `create table sessions (
       id ${text} primary key,
       owner_user_id ${text} not null references users(id),
       protocol_mode ${text} not null default 'mcp' check (protocol_mode in ('mcp', 'acp', 'terminal')),
       status ${text} not null check (status in
         ('created', 'active', 'paused', 'interrupted', 'completed', 'cancelled', 'error', 'terminated')),
       prompt ${text},
       mode ${text} not null default 'remote' check (mode in ('remote', 'local', 'hybrid')),
       workspace_root ${text} not null,
       repo_id ${text} references repos(id),
       agent ${text},
       agent_provider ${text},
       agent_group_id ${text} references agent_groups(id),
       messaging_group_id ${text} references messaging_groups(id),
       thread_id ${text},
       channel_id ${text},
       thread_ts ${text},
       connectivity_status ${text} not null default 'online'
         check (connectivity_status in ('online', 'offline', 'stalled')),
       container_status ${text} not null default 'stopped' check (container_status in ('stopped', 'running', 'idle')),
       last_activity_at ${text},
       last_tool ${text},
       nudge_count integer not null default 0,
       stall_paused integer not null default 0,
       progress_snapshot ${text},
       restart_of ${text} references sessions(id),
       metadata ${text} not null default '{}',
       token_id ${text},
       created_at ${text} not null,
       updated_at ${text} not null,
       terminated_at ${text})`,
    `create index idx_sessions_created on sessions(created_at, id)`,
    `create index idx_sessions_owner on sessions(owner_user_id, created_at, id)`,
    `create index idx_sessions_repo on sessions(repo_id, created_at, id)`,
    `create index idx_sessions_status on sessions(status, created_at, id)`,
    `create index idx_sessions_slots on sessions(protocol_mode) where status in ('created', 'active', 'paused')`,
    `create index idx_session_channel on sessions(channel_id, status)`,
    `create index idx_session_channel_thread on sessions(channel_id, thread_ts)`,
    `create index idx_sessions_agent_group on sessions(agent_group_id)`,
    `create index idx_sessions_lookup on sessions(messaging_group_id, thread_id)`,
    `create index idx_sessions_restart_of on sessions(restart_of)`,
    ...immutable(
      'sessions',
      ['owner_user_id', 'protocol_mode', 'thread_ts'],
      'the owner, protocol and thread of a session never change',
    ),
    `create table session_tally (
       owner_user_id ${text} not null,
       repo_id ${text} not null,
       status ${text} not null,
       n integer not null,
       primary key (owner_user_id, repo_id, status))`,
    ...after('sessions', 'sessions_tally_insert', 'insert', tally('new', 1)),
    ...after('sessions', 'sessions_tally_delete', 'delete', tally('old', -1)),
    ...after(
      'sessions',
      'sessions_tally_update',
      { update: ['status', 'repo_id'] },
      tally('old', -1) + tally('new', 1),
    ),
    `create table session_delegates (
       session_id ${text} not null references sessions(id),
       user_id ${text} not null references users(id),
       granted_at ${text} not null,
       primary key (session_id, user_id))`,
    `create index idx_session_delegates_user on session_delegates(user_id)`,
    `create table messages (
       seq ${counter},
       id ${text} not null unique,
       session_id ${text} not null references sessions(id),
       role ${text} not null check (role in ('user', 'agent', 'system')),
       content ${text} not null,
       timestamp ${text} not null)`,
    `create index idx_messages_session on messages(session_id, timestamp, seq)`,
    `create index idx_messages_timestamp on messages(timestamp)`,
    `create table tokens (
       id ${text} primary key,
       user_id ${text} not null references users(id),
       name ${text} not null,
       hash ${text} not null unique,
       scope ${text} not null check (scope in ('full', 'read', 'agent')),
       session_id ${text} references sessions(id),
       created_at ${text} not null,
       expires_at ${text},
       last_used_at ${text},
       revoked_at ${text})`,
    `create index idx_tokens_user on tokens(user_id)`,
  ],
  down: ({ dropFunctions }) => [
    ...['tokens', 'messages', 'session_delegates', 'sessions', 'session_tally', 'messaging_groups', 'repos'].map(
      (table) => `drop table ${table}`,
    ),
    ...dropFunctions(['sessions_immutable', 'sessions_tally_insert', 'sessions_tally_delete', 'sessions_tally_update']),
  ],
}
