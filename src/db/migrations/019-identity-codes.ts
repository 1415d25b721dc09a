import type { Migration } from '../ddl.ts'

/** One-time codes given out in a chat, for the person who is signed in elsewhere. */
export const identityCodes: Migration = {
  version: 19,
  name: 'identity-codes',
  up: ({ text }) => [
    `create table identity_codes (
       code_hash ${text} primary key,
       identity ${text} not null,
       expires_at ${text} not null,
       used_at ${text})`,
    `create index idx_identity_codes_identity on identity_codes(identity)`,
  ],
  down: () => ['drop table identity_codes'],
}
