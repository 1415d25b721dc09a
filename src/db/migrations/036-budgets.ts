import type { Ddl, Migration } from '../ddl.ts'

const reported = (name: Ddl['name'], field: 'costUsd' | 'used', type: string) =>
  name === 'sqlite'
    ? `json_extract(agents.state, '$.usage.${field}')`
    : `((agents.state::jsonb) #>> '{usage,${field}}')::${type}`

/** B6: budgets of repos, people and all sessions, and what sessions spend by quarters of an hour. */
export const budgets: Migration = {
  version: 36,
  name: 'budgets',
  up: ({ name, text }) => [
    `create table budgets (
       id ${text} primary key,
       scope ${text} not null,
       repo_id ${text} references repos(id),
       user_id ${text} references users(id),
       period ${text} not null,
       cost_usd double precision,
       tokens bigint,
       set_at ${text} not null,
       check (cost_usd is not null or tokens is not null))`,
    `create unique index idx_budgets_target on budgets(scope, coalesce(repo_id, ''), coalesce(user_id, ''), period)`,
    `create table session_spending (
       session_id ${text} not null references sessions(id),
       quarter ${text} not null,
       owner_user_id ${text} not null references users(id),
       repo_id ${text} references repos(id),
       cost_usd double precision not null,
       tokens bigint not null,
       last_cost_usd double precision not null,
       last_tokens bigint not null,
       primary key (session_id, quarter))`,
    'create index idx_session_spending_all on session_spending(quarter)',
    'create index idx_session_spending_repo on session_spending(repo_id, quarter)',
    'create index idx_session_spending_owner on session_spending(owner_user_id, quarter)',
    // What was spent before counts on the day of the last report, so that only what comes later is an increase.
    `insert into session_spending (session_id, quarter, owner_user_id, repo_id, cost_usd, tokens, last_cost_usd, last_tokens)
       select agents.session_id, substr(agents.updated_at, 1, 14) || '00:00.000Z', sessions.owner_user_id, sessions.repo_id,
         coalesce(${reported(name, 'costUsd', 'double precision')}, 0), coalesce(${reported(name, 'used', 'bigint')}, 0),
         coalesce(${reported(name, 'costUsd', 'double precision')}, 0), coalesce(${reported(name, 'used', 'bigint')}, 0)
       from agents join sessions on sessions.id = agents.session_id
       where ${reported(name, 'costUsd', 'double precision')} is not null or ${reported(name, 'used', 'bigint')} is not null`,
  ],
  down: () => ['drop table session_spending', 'drop table budgets'],
}
