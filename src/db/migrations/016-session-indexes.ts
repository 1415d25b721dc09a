import type { Migration } from '../ddl.ts'

/** Columns that few sessions use: the other sessions need no entry in these indexes. */
const rare = [
  ['idx_session_channel', 'channel_id, status', 'channel_id'],
  ['idx_session_channel_thread', 'channel_id, thread_ts', 'channel_id'],
  ['idx_sessions_agent_group', 'agent_group_id', 'agent_group_id'],
  ['idx_sessions_lookup', 'messaging_group_id, thread_id', 'messaging_group_id'],
  ['idx_sessions_restart_of', 'restart_of', 'restart_of'],
  ['idx_sessions_repo', 'repo_id, created_at, id', 'repo_id'],
] as const

const running = `where status in ('created', 'active', 'paused')`

/** Writing a session touches half as many pages; counting active sessions or finding a worktree reads no rows. */
export const sessionIndexes: Migration = {
  version: 16,
  name: 'session-indexes',
  up: () => [
    ...rare.flatMap(([name, columns, column]) => [
      `drop index ${name}`,
      `create index ${name} on sessions(${columns}) where ${column} is not null`,
    ]),
    'drop index idx_sessions_slots',
    `create index idx_sessions_slots on sessions(protocol_mode, status) ${running}`,
    `create index idx_sessions_worktree on sessions(workspace_root, worktree_of) where worktree_of is not null`,
  ],
  down: () => [
    'drop index idx_sessions_worktree',
    'drop index idx_sessions_slots',
    `create index idx_sessions_slots on sessions(protocol_mode) ${running}`,
    ...rare.flatMap(([name, columns]) => [`drop index ${name}`, `create index ${name} on sessions(${columns})`]),
  ],
}
