import type { Migration } from '../ddl.ts'

/** Keys that people's devices hold, and the challenges they answer. */
export const passkeys: Migration = {
  version: 37,
  name: 'passkeys',
  up: ({ text }) => [
    `create table passkeys (
       id ${text} primary key,
       user_id ${text} not null references users(id),
       name ${text} not null,
       credential_id ${text} not null unique,
       public_key ${text} not null,
       origin ${text} not null,
       sign_count integer not null,
       created_at ${text} not null,
       last_used_at ${text},
       removed_at ${text})`,
    'create index idx_passkeys_user on passkeys(user_id)',
    `create table passkey_challenges (
       hash ${text} primary key,
       user_id ${text} references users(id),
       expires_at ${text} not null,
       used_at ${text})`,
    'create index idx_passkey_challenges_expires on passkey_challenges(expires_at)',
  ],
  down: () => ['drop table passkey_challenges', 'drop table passkeys'],
}
