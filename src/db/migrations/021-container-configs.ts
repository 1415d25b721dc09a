import type { Migration } from '../ddl.ts'

/** How each agent group runs: its agent, packages, mounts, limits and network. Every group has exactly one row. */
export const containerConfigs: Migration = {
  version: 21,
  name: 'container configs',
  up: ({ text }) => [
    `create table container_configs (
       agent_group_id ${text} primary key references agent_groups(id) on delete cascade,
       provider ${text},
       model ${text},
       effort ${text},
       image_tag ${text},
       assistant_name ${text},
       max_messages_per_prompt integer check (max_messages_per_prompt > 0),
       skills ${text} not null default '"all"',
       mcp_servers ${text} not null default '{}',
       packages_apt ${text} not null default '[]',
       packages_npm ${text} not null default '[]',
       additional_mounts ${text} not null default '[]',
       cli_scope ${text} not null default 'group' check (cli_scope in ('disabled', 'group', 'global')),
       isolation ${text} check (isolation in ('none', 'sandbox', 'container')),
       limits ${text} not null default '{}',
       network_hosts ${text} not null default '[]',
       providers ${text} not null default '[]',
       budget ${text},
       updated_at ${text} not null)`,
    `insert into container_configs (agent_group_id, updated_at) select id, created_at from agent_groups`,
  ],
  down: () => ['drop table container_configs'],
}
