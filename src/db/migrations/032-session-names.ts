import type { Migration } from '../ddl.ts'

/** What people call a session, and which ones lists show first or leave out. */
export const sessionNames: Migration = {
  version: 32,
  name: 'session names',
  up: ({ text }) => [
    `alter table sessions add column name ${text}`,
    `alter table sessions add column pinned_at ${text}`,
    `alter table sessions add column archived_at ${text}`,
    'create index idx_sessions_pinned on sessions(created_at, id) where pinned_at is not null',
    'create index idx_sessions_archived on sessions(repo_id, status) where archived_at is not null',
  ],
  down: () => [
    'drop index idx_sessions_archived',
    'drop index idx_sessions_pinned',
    'alter table sessions drop column archived_at',
    'alter table sessions drop column pinned_at',
    'alter table sessions drop column name',
  ],
}
