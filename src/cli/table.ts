import type { CommandSpec } from './command.ts'
import { administrationCommands } from './table/administration.ts'
import { agentCommands } from './table/agents.ts'
import { alertCommands } from './table/alerts.ts'
import { budgetCommands } from './table/budgets.ts'
import { changeCommands } from './table/changes.ts'
import { chatCommands } from './table/chats.ts'
import { checkpointCommands } from './table/checkpoints.ts'
import { detectCommands, terminalCommands } from './table/terminals.ts'
import { groupCommands } from './table/groups.ts'
import { hookCommands } from './table/hook.ts'
import { mcpCommands } from './table/mcp.ts'
import { overviewCommands } from './table/overview.ts'
import { patternCommands } from './table/patterns.ts'
import { peopleCommands } from './table/people.ts'
import { policyCommands } from './table/policy.ts'
import { recordCommands, repoCommands } from './table/records.ts'
import { runCommands } from './table/run.ts'
import { scheduleCommands } from './table/schedules.ts'
import { serverCommands, upkeepCommands } from './table/server.ts'
import { serviceCommands } from './table/service.ts'
import { templateCommands } from './table/templates.ts'
import { workCommands } from './table/work.ts'

/** Every command there is. */
export const rootCommand: CommandSpec = {
  name: 'signalbox',
  summary: 'Signalbox: one server where people start, watch, steer, answer and undo the work of AI agents.',
  args: [],
  flags: {},
  examples: ['signalbox start "fix the failing test"', 'signalbox asks', 'signalbox sessions --status active --json'],
  children: [
    ...serverCommands,
    ...serviceCommands,
    ...agentCommands,
    ...templateCommands,
    ...workCommands,
    ...runCommands,
    ...terminalCommands,
    ...patternCommands,
    ...changeCommands,
    ...checkpointCommands,
    ...policyCommands,
    ...mcpCommands,
    ...hookCommands,
    ...alertCommands,
    ...overviewCommands,
    ...budgetCommands,
    ...scheduleCommands,
    ...repoCommands,
    ...recordCommands,
    ...peopleCommands,
    ...chatCommands,
    ...groupCommands,
    ...administrationCommands,
    ...detectCommands,
    ...upkeepCommands,
    helpEntry(),
  ],
  run: null,
}

/** Only for the list: `help` is --help as a command. */
function helpEntry(): CommandSpec {
  return {
    name: 'help',
    summary: 'Explain a command',
    group: 'Maintenance',
    args: [],
    flags: {},
    examples: ['signalbox help sessions', 'signalbox help answer'],
    children: [],
    run: null,
  }
}
