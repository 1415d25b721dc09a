import type { Migration } from '../ddl.ts'

/** Browsers that wait for a signed-in device to let them in. */
export const deviceLogins: Migration = {
  version: 38,
  name: 'device logins',
  up: ({ text }) => [
    `create table device_logins (
       request_hash ${text} primary key,
       code_hash ${text} not null unique,
       address ${text} not null,
       browser ${text} not null,
       created_at ${text} not null,
       expires_at ${text} not null,
       user_id ${text} references users(id),
       outcome ${text},
       used_at ${text})`,
    'create index idx_device_logins_expires on device_logins(expires_at)',
  ],
  down: () => ['drop table device_logins'],
}
