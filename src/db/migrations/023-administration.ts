import type { Ddl, Migration } from '../ddl.ts'
import { pendingViews } from './017-chats.ts'

/** A field of a JSON column, as text. */
const field = ({ name }: Ddl, column: string, path: string): string =>
  name === 'sqlite' ? `json_extract(${column}, '$.${path}')` : `${column}::json->>'${path}'`

const selectedAllows = ({ name }: Ddl): string =>
  name === 'sqlite'
    ? `exists (select 1 from json_each(asks.subject, '$.options') as o
         where json_extract(o.value, '$.optionId') = json_extract(asks.answer, '$.optionId')
           and json_extract(o.value, '$.kind') like 'allow%')`
    : `exists (select 1 from json_array_elements(asks.subject::json->'options') as o
         where o->>'optionId' = asks.answer::json->>'optionId' and o->>'kind' like 'allow%')`

const kinds = [
  'diff',
  'command',
  'tool',
  'permission',
  'packages',
  'mcp_server',
  'create_agent',
  'credential',
  'admin_command',
  'unknown_sender',
  'new_chat',
]
  .map((name) => `'${name}'`)
  .join(', ')

const postOf = (column: string) =>
  `(select min(${column}) from chat_posts where subject_kind = 'ask' and subject_id = asks.id)`

/** Approvals under the names of the central database. A credential is granted by giving its value. */
const approvals = (ddl: Ddl): string =>
  `create view pending_approvals as
     select asks.id as approval_id, asks.session_id, asks.id as request_id,
       case asks.kind when 'packages' then 'install_packages' when 'mcp_server' then 'add_mcp_server'
         when 'credential' then 'onecli_credential' when 'admin_command' then 'cli_command'
         else asks.kind end as action,
       asks.subject as payload, asks.created_at,
       coalesce(sessions.agent_group_id, ${field(ddl, 'asks.subject', 'agentGroupId')}) as agent_group_id,
       chat.channel_type, chat.platform_id, ${postOf('platform_message_id')} as platform_message_id, asks.expires_at,
       case when asks.status = 'open' then 'pending'
         when asks.status in ('expired', 'interrupted', 'cancelled') then 'expired'
         when ${field(ddl, 'asks.answer', 'outcome')} = 'approve' then 'approved'
         when asks.kind = 'credential' and ${field(ddl, 'asks.answer', 'outcome')} = 'reply' then 'approved'
         when ${field(ddl, 'asks.answer', 'outcome')} = 'select' and ${selectedAllows(ddl)} then 'approved'
         else 'rejected' end as status,
       asks.title, coalesce(${field(ddl, 'asks.subject', 'options')}, '[]') as options_json
     from asks left join sessions on sessions.id = asks.session_id
       left join messaging_groups as chat on chat.id = sessions.messaging_group_id
     where asks.kind in (${kinds})`

/** Asks about an agent group: whom they go to, what was shown, and what happened. Credentials that were granted. */
export const administration: Migration = {
  version: 23,
  name: 'administration',
  up: (ddl) => [
    'drop view pending_approvals',
    `alter table asks add column subject_hash ${ddl.text}`,
    `alter table asks add column agent_group_id ${ddl.text}`,
    `alter table asks add column requested_by ${ddl.text}`,
    // 0: the admins of the group; 1: also global admins; 2: also owners.
    `alter table asks add column circle integer check (circle in (0, 1, 2))`,
    `create index idx_asks_agent_group on asks(agent_group_id, created_at, id) where agent_group_id is not null`,
    approvals(ddl),
    `create table ask_log (
       ask_id ${ddl.text} not null references asks(id) on delete cascade,
       seq integer not null,
       at ${ddl.text} not null,
       text ${ddl.text} not null,
       primary key (ask_id, seq))`,
    // A value is sealed before its answer is stored, and granted after it.
    `create table credential_offers (
       ask_id ${ddl.text} not null references asks(id) on delete cascade,
       user_id ${ddl.text} not null references users(id),
       sealed ${ddl.text} not null,
       at ${ddl.text} not null,
       primary key (ask_id, user_id))`,
    `create table credentials (
       id ${ddl.text} primary key,
       agent_group_id ${ddl.text} not null references agent_groups(id),
       host ${ddl.text} not null,
       name ${ddl.text} not null,
       sealed ${ddl.text},
       granted_by ${ddl.text} references users(id),
       granted_at ${ddl.text} not null,
       ask_id ${ddl.text} references asks(id),
       revoked_at ${ddl.text},
       check (revoked_at is null or sealed is null))`,
    `create unique index idx_credentials_one on credentials(agent_group_id, host, name) where revoked_at is null`,
  ],
  down: (ddl) => [
    'drop table credentials',
    'drop table credential_offers',
    'drop table ask_log',
    'drop view pending_approvals',
    'drop index idx_asks_agent_group',
    // An earlier version does not know this kind.
    `delete from ask_votes where ask_id in (select id from asks where kind = 'admin_command')`,
    `delete from asks where kind = 'admin_command'`,
    ...['circle', 'requested_by', 'agent_group_id', 'subject_hash'].map(
      (name) => `alter table asks drop column ${name}`,
    ),
    ...pendingViews(ddl).filter((view) => view.startsWith('create view pending_approvals')),
  ],
}
