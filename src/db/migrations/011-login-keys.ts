import type { Migration } from '../ddl.ts'

/** The key that goes with a login's cookie. Logins from before have none and must sign in again. */
export const loginKeys: Migration = {
  version: 11,
  name: 'login-keys',
  up: ({ text }) => [`alter table logins add column key_hash ${text}`],
  down: () => ['alter table logins drop column key_hash'],
}
