import type { Migration } from '../ddl.ts'

const moved =
  'id, event_id, type, subject_kind, subject_id, session_id, status, attempts, next_at, error, created_at, settled_at'
const movedFrom = (table: string) =>
  moved
    .split(', ')
    .map((column) => `${table}.${column}`)
    .join(', ')

/** One outbox for all senders; pending push messages move over. */
export const outbox: Migration = {
  version: 15,
  name: 'outbox',
  up: ({ text, counter, after }) => [
    `create table outbox (
       seq ${counter},
       id ${text} not null unique,
       sender ${text} not null,
       destination ${text} not null,
       lane ${text} not null,
       key ${text} not null,
       event_id ${text} not null,
       type ${text} not null,
       subject_kind ${text} not null,
       subject_id ${text} not null,
       session_id ${text},
       status ${text} not null check (status in ('waiting', 'sent', 'dropped', 'failed')),
       attempts integer not null default 0,
       next_at ${text} not null,
       claimed_by ${text},
       claimed_until ${text},
       in_doubt integer not null default 0 check (in_doubt in (0, 1)),
       error_class ${text},
       error ${text},
       created_at ${text} not null,
       settled_at ${text},
       unique (sender, destination, key))`,
    `insert into outbox (sender, destination, lane, key, claimed_by, claimed_until, error_class, ${moved})
       select 'push', device_id, push_devices.origin, event_id, taken_by, taken_until,
         case when push_sends.status = 'failed' then 'permanent' when error is not null then 'transient' end,
         ${movedFrom('push_sends')}
       from push_sends join push_devices on push_devices.id = push_sends.device_id
       order by push_sends.next_at, push_sends.id`,
    `create index idx_outbox_due on outbox(sender, next_at, seq) where status = 'waiting'`,
    `create index idx_outbox_waiting on outbox(sender, destination, seq) where status = 'waiting'`,
    `create index idx_outbox_subject on outbox(subject_id)`,
    `create index idx_outbox_settled on outbox(settled_at) where settled_at is not null`,
    `create index idx_outbox_failed on outbox(settled_at) where status = 'failed'`,
    // Messages for a removed device are dropped.
    ...after(
      'push_devices',
      'push_devices_outbox',
      'delete',
      `delete from outbox where sender = 'push' and destination = old.id;`,
    ),
    'drop table push_sends',
  ],
  down: ({ text, name, dropFunctions }) => [
    `create table push_sends (
       id ${text} primary key,
       event_id ${text} not null,
       device_id ${text} not null references push_devices(id) on delete cascade,
       type ${text} not null check (type in ('needs_you', 'done', 'gone')),
       subject_kind ${text} not null check (subject_kind in ('ask', 'alert', 'session')),
       subject_id ${text} not null,
       session_id ${text},
       status ${text} not null check (status in ('waiting', 'sent', 'dropped', 'failed')),
       attempts integer not null default 0,
       next_at ${text} not null,
       taken_by ${text},
       taken_until ${text},
       error ${text},
       created_at ${text} not null,
       settled_at ${text})`,
    `insert into push_sends (device_id, taken_by, taken_until, ${moved})
       select destination, claimed_by, claimed_until, ${movedFrom('outbox')}
       from outbox join push_devices on push_devices.id = outbox.destination where sender = 'push'`,
    `create unique index idx_push_sends_once on push_sends(event_id, device_id)`,
    `create index idx_push_sends_due on push_sends(next_at, id) where status = 'waiting'`,
    `create index idx_push_sends_subject on push_sends(subject_id, device_id)`,
    `create index idx_push_sends_device on push_sends(device_id)`,
    `create index idx_push_sends_settled on push_sends(settled_at) where settled_at is not null`,
    name === 'sqlite' ? 'drop trigger push_devices_outbox' : 'drop trigger push_devices_outbox on push_devices',
    ...dropFunctions(['push_devices_outbox']),
    'drop table outbox',
  ],
}
