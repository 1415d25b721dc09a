import type { Migration } from '../ddl.ts'

/** What nodes of one database need to know about each other. SQLite has one server and needs no lease. */
export const leases: Migration = {
  version: 14,
  name: 'leases',
  up: ({ text }) => [
    `create table leases (
       name ${text} primary key,
       holder ${text} not null,
       fence bigint not null,
       expires_at ${text} not null)`,
    // Which node is in contact with a client whose activity the other tables don't show.
    `create table client_contacts (
       session_id ${text} not null references sessions(id),
       node_id ${text} not null,
       at ${text} not null,
       primary key (session_id, node_id))`,
  ],
  down: () => ['drop table client_contacts', 'drop table leases'],
}
