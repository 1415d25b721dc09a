import type { Migration } from '../ddl.ts'

/** Whether the turn of an agent that connects over MCP is over (R16). */
export const turnsOverMcp: Migration = {
  version: 28,
  name: 'turns over mcp',
  up: () => ['alter table sessions add column turn_over integer not null default 0'],
  down: () => ['alter table sessions drop column turn_over'],
}
