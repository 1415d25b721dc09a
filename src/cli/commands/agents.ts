import type { AgentInfo } from '../../client/contract/agents.ts'
import { cleanLine } from '../clean-text.ts'
import type { Cell, Column } from '../columns.ts'
import type { Handler } from '../command.ts'
import { printResult, tableOr } from '../print-result.ts'
import type { agentFlags } from '../table/agents.ts'
import { wrapLines } from '../wrap-lines.ts'

export const agents: Handler<typeof agentFlags> = async ({ flags }, context) => {
  const { client } = await context.api()
  if (!flags.quick && !context.json) context.out.note('Checking each installed agent…')
  const found = await client.listAgents({ query: { probe: flags.quick ? 'false' : 'true' } })
  printResult(context, found, (answer) => {
    const columns: Column<AgentInfo>[] = [
      { title: 'NAME', cell: ({ name, isDefault }) => (isDefault ? `${name} (default)` : name) },
      { title: 'AGENT', cell: ({ title }) => title, shrinks: true },
      { title: 'INSTALLED', cell: ({ installed }) => (installed ? { text: 'yes', colour: 'green' } : 'no') },
      { title: 'VERSION', cell: ({ version }) => version ?? '', shrinks: true },
      { title: 'ANSWERS', cell: answers },
      { title: 'ISOLATION', cell: ({ installed, isolation }) => (installed ? isolation : '') },
    ]
    const table = tableOr(context, answer.agents, columns, 'No agents. Add one under agents in the configuration.')
    // A missing agent needs no separate error.
    const faults = answer.agents.flatMap(({ name, installed, error }) =>
      error === null || !installed ? [] : [`  ${name}: ${cleanLine(error)}`],
    )
    const missing = answer.agents.flatMap(({ name, installed, install }) =>
      installed ? [] : [`  ${name}: ${cleanLine(install)}`],
    )
    const blocks: string[] = []
    if (faults.length > 0) blocks.push(['Problems', ...faults].join('\n'))
    if (missing.length > 0) blocks.push(['How to install the others', ...missing].join('\n'))
    return [table, ...blocks.map((block) => wrapLines(block, context.out.width, 2))].join('\n\n')
  })
}

function answers({ answers: does, protocolVersion }: AgentInfo): Cell {
  if (does === null) return ''
  if (!does) return { text: 'no', colour: 'red' }
  return { text: protocolVersion === null ? 'yes' : `yes, protocol ${protocolVersion}`, colour: 'green' }
}
