import type { Migration } from '../ddl.ts'

/** People, their rights, and how they authenticate. */
export const people: Migration = {
  version: 1,
  name: 'people',
  up: ({ text }) => [
    `create table users (
       id ${text} primary key,
       kind ${text} not null default 'person',
       display_name ${text} not null,
       created_at ${text} not null,
       removed_at ${text})`,
    `create table user_identities (
       identity ${text} primary key,
       user_id ${text} not null references users(id),
       linked_at ${text} not null)`,
    `create index idx_user_identities_user on user_identities(user_id)`,
    `create table identity_offers (
       code_hash ${text} primary key,
       user_id ${text} not null references users(id),
       expires_at ${text} not null,
       used_at ${text})`,
    `create table agent_groups (
       id ${text} primary key,
       name ${text} not null,
       folder ${text} not null unique,
       agent_provider ${text},
       created_at ${text} not null)`,
    `create table user_roles (
       user_id ${text} not null references users(id),
       role ${text} not null check (role in ('owner', 'admin')),
       agent_group_id ${text} references agent_groups(id),
       granted_by ${text} references users(id),
       granted_at ${text} not null,
       check (role <> 'owner' or agent_group_id is null))`,
    // NULL never equals NULL, so a primary key over the scope would allow a global role twice.
    `create unique index idx_user_roles_once on user_roles(user_id, role, coalesce(agent_group_id, ''))`,
    `create index idx_user_roles_scope on user_roles(agent_group_id, role)`,
    `create table agent_group_members (
       user_id ${text} not null references users(id),
       agent_group_id ${text} not null references agent_groups(id),
       added_by ${text} references users(id),
       added_at ${text} not null,
       primary key (user_id, agent_group_id))`,
    `create table login_links (
       hash ${text} primary key,
       user_id ${text} not null references users(id),
       expires_at ${text} not null,
       used_at ${text})`,
    `create table logins (
       cookie_hash ${text} primary key,
       user_id ${text} not null references users(id),
       created_at ${text} not null,
       expires_at ${text} not null,
       ended_at ${text})`,
  ],
  down: () =>
    [
      'logins',
      'login_links',
      'agent_group_members',
      'user_roles',
      'agent_groups',
      'identity_offers',
      'user_identities',
      'users',
    ].map((table) => `drop table ${table}`),
}
