import type { Migration } from '../ddl.ts'

/** Asks, their votes, and stall alerts of sessions. */
export const asks: Migration = {
  version: 3,
  name: 'asks',
  up: ({ text }) => [
    `create table asks (
       id ${text} primary key,
       session_id ${text} references sessions(id),
       kind ${text} not null,
       origin ${text} not null,
       title ${text} not null,
       description ${text},
       risk_level ${text} not null default 'low' check (risk_level in ('low', 'high', 'critical')),
       status ${text} not null check (status in
         ('open', 'answered', 'expired', 'interrupted', 'cancelled', 'applying', 'consumed', 'failed')),
       subject ${text} not null,
       needed integer not null default 1 check (needed >= 1),
       answer ${text},
       answered_by ${text},
       answered_at ${text},
       automatic integer not null default 0,
       answerers ${text},
       reason ${text},
       slack_ts ${text},
       created_at ${text} not null,
       expires_at ${text},
       consumed_at ${text},
       check (status <> 'open' or answer is null),
       check (status not in ('answered', 'applying', 'consumed', 'failed') or answer is not null))`,
    `create unique index idx_asks_one_approval on asks(session_id)
       where status = 'open' and origin in ('ask_approval', 'clearance/request')`,
    `create index idx_asks_session on asks(session_id, created_at, id)`,
    `create index idx_asks_created on asks(created_at, id)`,
    `create index idx_asks_open on asks(session_id) where status = 'open'`,
    `create index idx_asks_status on asks(status, created_at, id)`,
    `create table ask_votes (
       ask_id ${text} not null references asks(id),
       user_id ${text} not null references users(id),
       outcome ${text} not null,
       at ${text} not null,
       primary key (ask_id, user_id))`,
    `create table stall_alerts (
       id ${text} primary key,
       session_id ${text} not null references sessions(id),
       last_tool ${text},
       last_activity_at ${text} not null,
       idle_seconds integer not null,
       nudge_count integer not null default 0,
       status ${text} not null check (status in ('pending', 'nudged', 'self_recovered', 'escalated', 'dismissed')),
       nudge_message ${text},
       slack_ts ${text},
       created_at ${text} not null)`,
    `create unique index idx_stall_alerts_one_active on stall_alerts(session_id) where status in ('pending', 'nudged')`,
  ],
  down: () => ['stall_alerts', 'ask_votes', 'asks'].map((table) => `drop table ${table}`),
}
