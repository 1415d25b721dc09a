import type { Migration } from '../ddl.ts'

const columns = ['prepared', 'first_try_at', 'sent_at', 'reply_to']

/** What sending a post needs to survive a restart, and the files that go with posts until they are sent. */
export const chatSending: Migration = {
  version: 18,
  name: 'chat sending',
  up: ({ text }) => [
    ...columns.map((column) => `alter table chat_posts add column ${column} ${text}`),
    `create index idx_chat_posts_place on chat_posts(messaging_group_id, sent_at) where sent_at is not null`,
    `create table chat_files (
       post_id ${text} primary key references chat_posts(id) on delete cascade,
       name ${text} not null,
       content ${text} not null)`,
  ],
  down: () => [
    'drop table chat_files',
    'drop index idx_chat_posts_place',
    ...columns.toReversed().map((column) => `alter table chat_posts drop column ${column}`),
  ],
}
