import type { Migration } from '../ddl.ts'

/** What agents sent to other agents: how far it has travelled, and how often. */
export const agentMessages: Migration = {
  version: 20,
  name: 'agent messages',
  up: ({ text }) => [
    `create table agent_messages (
       id ${text} primary key,
       from_session_id ${text} not null references sessions(id),
       from_group_id ${text} not null references agent_groups(id),
       to_group_id ${text} not null references agent_groups(id),
       to_session_id ${text},
       hops integer not null,
       created_at ${text} not null,
       delivered_at ${text})`,
    `create index idx_agent_messages_groups on agent_messages(from_group_id, to_group_id, created_at)`,
    `create index idx_agent_messages_to on agent_messages(to_session_id, created_at)`,
  ],
  down: () => ['drop table agent_messages'],
}
