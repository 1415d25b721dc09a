import type { Migration } from '../ddl.ts'

/** An approval that was taken back before it was used, and a list of answers by when they were given. */
export const retractedAnswers: Migration = {
  version: 30,
  name: 'retracted answers',
  up: ({ text }) => [
    `alter table asks add column retracted_at ${text}`,
    `alter table asks add column approved_by ${text}`,
    'create index idx_asks_answered on asks(answered_at, id) where answered_at is not null',
  ],
  down: () => [
    'drop index idx_asks_answered',
    'alter table asks drop column approved_by',
    'alter table asks drop column retracted_at',
  ],
}
