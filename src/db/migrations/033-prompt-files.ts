import type { Migration } from '../ddl.ts'

/** B17: files that go along with prompts, and the order of those that wait. */
export const promptFiles: Migration = {
  version: 33,
  name: 'prompt files',
  up: ({ text }) => [
    `create table attachment_contents (
       sha256 ${text} primary key,
       content text not null)`,
    `create table attachments (
       id ${text} primary key,
       owner_user_id ${text} not null references users(id),
       name text not null,
       mime_type ${text} not null,
       size integer not null,
       sha256 ${text} not null references attachment_contents(sha256),
       created_at ${text} not null)`,
    'create index idx_attachments_owner on attachments(owner_user_id, created_at)',
    'create index idx_attachments_content on attachments(sha256)',
    `create table queue_attachments (
       item_id ${text} not null references queue_items(id),
       attachment_id ${text} not null references attachments(id),
       primary key (item_id, attachment_id))`,
    'create index idx_queue_attachments on queue_attachments(attachment_id)',
    'alter table queue_items add column files text',
    'alter table queue_items add column rank integer',
  ],
  down: () => [
    'alter table queue_items drop column rank',
    'alter table queue_items drop column files',
    'drop table queue_attachments',
    'drop table attachments',
    'drop table attachment_contents',
  ],
}
