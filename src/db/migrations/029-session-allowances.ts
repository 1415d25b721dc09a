import type { Migration } from '../ddl.ts'

/** What people allowed for a whole session: asks with the same key are answered automatically. */
export const sessionAllowances: Migration = {
  version: 29,
  name: 'session allowances',
  up: ({ text }) => [
    `create table session_allowances (
       id ${text} primary key,
       session_id ${text} not null references sessions(id),
       ask_key ${text} not null,
       what ${text} not null,
       risk ${text} not null,
       given_by ${text} not null,
       given_at ${text} not null,
       revoked_by ${text},
       revoked_at ${text})`,
    'create index idx_session_allowances on session_allowances(session_id, ask_key)',
  ],
  down: () => ['drop table session_allowances'],
}
