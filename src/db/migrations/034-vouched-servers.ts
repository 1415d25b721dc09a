import type { Migration } from '../ddl.ts'

/** MCP servers of an agent group that were set by someone with the machine right. For earlier ones it is unknown. */
export const vouchedServers: Migration = {
  version: 34,
  name: 'vouched servers',
  up: ({ text }) => [`alter table container_configs add column vouched_servers ${text} not null default '[]'`],
  down: () => ['alter table container_configs drop column vouched_servers'],
}
