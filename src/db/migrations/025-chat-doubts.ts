import type { Migration } from '../ddl.ts'

const columns = ['looked_to', 'resent_at']

/**
 * How far a message in doubt was looked for, and whether it was sent again without an answer to that. The workspace of an
 * account, so that its name is not given to another one.
 */
export const chatDoubts: Migration = {
  version: 25,
  name: 'chat doubts',
  up: ({ text }) => [
    ...columns.map((column) => `alter table chat_posts add column ${column} ${text}`),
    `alter table chat_instances add column workspace ${text}`,
  ],
  down: () => [
    'alter table chat_instances drop column workspace',
    ...columns.toReversed().map((column) => `alter table chat_posts drop column ${column}`),
  ],
}
