import type { Ddl, Migration } from '../ddl.ts'

type Roles = { known: readonly string[]; scope: string }

const before: Roles = { known: ['owner', 'admin'], scope: "role <> 'owner' or agent_group_id is null" }
const after: Roles = { known: ['owner', 'admin', 'machine'], scope: "role = 'admin' or agent_group_id is null" }

/** SQLite can't alter a check constraint, so the rows move to a new table. */
function rebuilt({ text }: Ddl, { known, scope }: Roles): readonly string[] {
  const names = known.map((role) => `'${role}'`).join(', ')
  return [
    'create table user_roles_kept as select * from user_roles',
    'drop table user_roles',
    `create table user_roles (
       user_id ${text} not null references users(id),
       role ${text} not null check (role in (${names})),
       agent_group_id ${text} references agent_groups(id),
       granted_by ${text} references users(id),
       granted_at ${text} not null,
       check (${scope}))`,
    `insert into user_roles select user_id, role, agent_group_id, granted_by, granted_at from user_roles_kept
       where role in (${names})`,
    'drop table user_roles_kept',
    `create unique index idx_user_roles_once on user_roles(user_id, role, coalesce(agent_group_id, ''))`,
    'create index idx_user_roles_scope on user_roles(agent_group_id, role)',
  ]
}

/** The machine role, and who may use a repo (S1). */
export const access: Migration = {
  version: 9,
  name: 'access',
  up: (ddl) => [
    ...rebuilt(ddl, after),
    `alter table repos add column everyone integer not null default 1 check (everyone in (0, 1))`,
    `create table repo_access (
       repo_id ${ddl.text} not null references repos(id),
       user_id ${ddl.text} references users(id),
       agent_group_id ${ddl.text} references agent_groups(id),
       check ((user_id is null) <> (agent_group_id is null)))`,
    `create unique index idx_repo_access_once on repo_access(repo_id, coalesce(user_id, ''), coalesce(agent_group_id, ''))`,
  ],
  // Restricted repos must not become public: if their access can't be kept, they are unregistered; their files stay.
  down: (ddl) => [
    `update repos set removed_at = created_at where everyone = 0 and removed_at is null`,
    'drop table repo_access',
    'alter table repos drop column everyone',
    ...rebuilt(ddl, before),
  ],
}
