import type { Migration } from '../ddl.ts'

/** Instructions of agent groups, what their sessions spent on which day (B6), and the model a session was started with (C11). */
export const groupWork: Migration = {
  version: 27,
  name: 'instructions and spending of agent groups',
  up: ({ text }) => [
    `alter table sessions add column model ${text}`,
    `alter table sessions add column effort ${text}`,
    `alter table agent_groups add column instructions ${text} not null default ''`,
    `create table group_spending (
       session_id ${text} not null references sessions(id),
       agent_group_id ${text} not null references agent_groups(id),
       day ${text} not null,
       cost_usd double precision not null,
       tokens bigint not null,
       last_cost_usd double precision not null,
       last_tokens bigint not null,
       primary key (session_id, day))`,
    `create index idx_group_spending_day on group_spending(agent_group_id, day)`,
  ],
  down: () => [
    'drop table group_spending',
    'alter table agent_groups drop column instructions',
    'alter table sessions drop column effort',
    'alter table sessions drop column model',
  ],
}
