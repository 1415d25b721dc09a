import type { Migration } from '../ddl.ts'

const same = (...columns: string[]) => columns.map((column) => `new.${column} = old.${column}`).join(' and ')
const sameOrNull = (...columns: string[]) =>
  columns.map((column) => `coalesce(new.${column}, '') = coalesce(old.${column}, '')`).join(' and ')
const chainFilledIn = [
  'old.hash is null and new.hash is not null',
  same('seq', 'tx', 'id', 'at', 'type', 'actor', 'stream', 'visibility', 'data'),
  sameOrNull('session_id', 'owner_user_id', 'agent_group_id', 'command_key'),
].join(' and ')

/** The append-only log, its followers' cursors, the first results of keyed commands, and deadlines. */
export const log: Migration = {
  version: 4,
  name: 'log',
  up: ({ text, counter, refuse, name }) => [
    // A dump restored into another server gets smaller transaction numbers; this offset keeps them growing.
    ...(name === 'postgres'
      ? [
          `create table log_offset (n bigint not null)`,
          `insert into log_offset (n) values (0)`,
          `create function log_tx() returns bigint language sql volatile as
             $$ select pg_current_xact_id()::text::bigint + (select n from log_offset) $$`,
        ]
      : []),
    `create table events (
       seq ${counter},
       tx bigint not null default ${name === 'postgres' ? 'log_tx()' : '0'},
       id ${text} not null unique,
       at ${text} not null,
       type ${text} not null,
       actor ${text} not null,
       stream ${text} not null,
       session_id ${text},
       owner_user_id ${text},
       agent_group_id ${text},
       visibility ${text} not null check (visibility in ('public', 'owner', 'admin')),
       command_key ${text},
       data ${text} not null,
       prev_hash ${text},
       hash ${text})`,
    ...(name === 'postgres' ? [`create index idx_events_order on events(tx, seq)`] : []),
    `create index idx_events_session on events(session_id, seq) where session_id is not null`,
    `create index idx_events_command on events(command_key) where command_key is not null`,
    `create index idx_events_at on events(at)`,
    `create table retention_pass (before ${text} not null)`,
    // Only the hash chain may be filled in later, once: the content of an event never changes.
    ...refuse('events', 'update', 'events are append-only', chainFilledIn),
    ...refuse(
      'events',
      'delete',
      'events are append-only',
      'exists (select 1 from retention_pass where old.at < retention_pass.before)',
    ),
    // REPLACE deletes without firing the delete trigger.
    ...(name === 'sqlite'
      ? [
          `create trigger events_no_replace before insert on events
             when exists (select 1 from events where id = new.id or seq = new.seq)
             begin select raise(abort, 'events are append-only'); end`,
        ]
      : []),
    `create table commands (
       key ${text} primary key,
       type ${text} not null,
       fingerprint ${text} not null,
       subject ${text} not null,
       at ${text} not null)`,
    `create index idx_commands_at on commands(at)`,
    `create table followers (
       name ${text} not null,
       node_id ${text} not null,
       tx bigint not null,
       seq bigint not null,
       updated_at ${text} not null,
       primary key (name, node_id))`,
    `create table dead_letters (
       id ${text} primary key,
       follower ${text} not null,
       node_id ${text} not null,
       event_id ${text} not null,
       tx bigint not null,
       seq bigint not null,
       attempts integer not null,
       error ${text} not null,
       at ${text} not null,
       resolved_at ${text},
       unique (follower, node_id, event_id))`,
    `create table deadlines (
       subject_id ${text} not null,
       kind ${text} not null,
       due_at ${text} not null,
       primary key (subject_id, kind))`,
    `create index idx_deadlines_due on deadlines(due_at)`,
  ],
  down: ({ dropFunctions, name }) => [
    ...['deadlines', 'dead_letters', 'followers', 'commands', 'events', 'retention_pass'].map(
      (table) => `drop table ${table}`,
    ),
    ...(name === 'postgres' ? ['drop table log_offset'] : []),
    ...dropFunctions(['events_no_update', 'events_no_delete', 'events_no_truncate', 'log_tx']),
  ],
}
