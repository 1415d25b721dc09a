import type { Migration } from '../ddl.ts'

const running = `where status in ('created', 'active', 'paused')`

/** Whether a hosted agent is awake, asleep or queued; each process of a session with its error output; its crashes. */
export const agentLives: Migration = {
  version: 24,
  name: 'agent lives',
  up: ({ text }) => [
    `alter table sessions add column agent_phase ${text} not null default 'awake'`,
    `alter table sessions add column phase_since ${text}`,
    `alter table sessions add column wake_at ${text}`,
    'drop index idx_sessions_slots',
    `create index idx_sessions_slots on sessions(protocol_mode, status, agent_phase, isolation) ${running}`,
    `alter table agents add column crashes integer not null default 0`,
    `alter table agents add column crashed_at ${text}`,
    `create table agent_lives (
       id ${text} primary key,
       session_id ${text} not null references sessions(id),
       started_at ${text} not null,
       ended_at ${text},
       exit_code integer,
       exit_signal ${text},
       stderr ${text} not null default '')`,
    `create index idx_agent_lives_session on agent_lives(session_id, started_at, id)`,
  ],
  down: () => [
    'drop table agent_lives',
    'alter table agents drop column crashed_at',
    'alter table agents drop column crashes',
    'drop index idx_sessions_slots',
    `create index idx_sessions_slots on sessions(protocol_mode, status) ${running}`,
    ...['wake_at', 'phase_since', 'agent_phase'].map((name) => `alter table sessions drop column ${name}`),
  ],
}
