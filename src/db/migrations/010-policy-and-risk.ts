import type { Migration } from '../ddl.ts'

/** Which workspaces' policies are trusted, in which version, and Signalbox's own rating of an ask's risk. */
export const policyAndRisk: Migration = {
  version: 10,
  name: 'policy and risk',
  up: ({ text }) => [
    `create table policy_trusts (
       workspace_root ${text} primary key,
       trusted_by ${text} not null,
       trusted_at ${text} not null)`,
    `create table policy_baselines (
       workspace_root ${text} primary key,
       settings ${text},
       noted_by ${text} not null,
       noted_at ${text} not null,
       pending_hash ${text},
       pending_since ${text})`,
    `alter table sessions add column worktree_of ${text}`,
    `create index idx_sessions_worktree_of on sessions(worktree_of) where worktree_of is not null`,
    `alter table asks add column claimed_risk ${text} not null default 'low'`,
    `alter table asks add column judged_risk ${text} not null default 'low'`,
    `alter table asks add column risk_reasons ${text} not null default '[]'`,
    `update asks set claimed_risk = risk_level`,
  ],
  down: () => [
    ...['risk_reasons', 'judged_risk', 'claimed_risk'].map((name) => `alter table asks drop column ${name}`),
    'drop index idx_sessions_worktree_of',
    'alter table sessions drop column worktree_of',
    'drop table policy_baselines',
    'drop table policy_trusts',
  ],
}
