import type { Migration } from '../ddl.ts'

/** What nodes of one database have to know of each other. SQLite has one server, which needs no lease. */
export const leases: Migration = {
  version: 14,
  name: 'leases',
  up: ({ text }) => [
    `create table leases (
       name ${text} primary key,
       holder ${text} not null,
       fence bigint not null,
       expires_at ${text} not null)`,
    // Which node is in contact with a client of which the tables hear nothing.
    `create table client_contacts (
       session_id ${text} not null references sessions(id),
       node_id ${text} not null,
       at ${text} not null,
       primary key (session_id, node_id))`,
  ],
  down: () => ['drop table client_contacts', 'drop table leases'],
}
