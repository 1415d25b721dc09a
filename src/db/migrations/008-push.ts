import type { Migration } from '../ddl.ts'

/** Notifications: whose browsers get them, when, and what is still to be sent. */
export const push: Migration = {
  version: 8,
  name: 'push',
  up: ({ text }) => [
    `create table push_keys (
       id integer primary key check (id = 1),
       public_key ${text} not null,
       private_key ${text} not null,
       created_at ${text} not null)`,
    `create table push_devices (
       id ${text} primary key,
       user_id ${text} not null references users(id),
       name ${text} not null,
       endpoint ${text} not null unique,
       origin ${text} not null,
       p256dh ${text} not null,
       auth ${text} not null,
       created_at ${text} not null,
       last_seen_at ${text},
       last_error ${text})`,
    `create index idx_push_devices_user on push_devices(user_id)`,
    `create table notification_settings (
       user_id ${text} primary key references users(id),
       needs_you integer not null check (needs_you in (0, 1)),
       done integer not null check (done in (0, 1)),
       quiet_hours ${text})`,
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
    `create unique index idx_push_sends_once on push_sends(event_id, device_id)`,
    `create index idx_push_sends_due on push_sends(next_at, id) where status = 'waiting'`,
    `create index idx_push_sends_subject on push_sends(subject_id, device_id)`,
    `create index idx_push_sends_device on push_sends(device_id)`,
    `create index idx_push_sends_settled on push_sends(settled_at) where settled_at is not null`,
  ],
  down: () => ['push_sends', 'notification_settings', 'push_devices', 'push_keys'].map((name) => `drop table ${name}`),
}
