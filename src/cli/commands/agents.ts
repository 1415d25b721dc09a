import type { Client } from '../../client/client.ts'
import type { AgentInfo } from '../../client/contract/agents.ts'
import { cleanLine } from '../clean-text.ts'
import type { Cell, Column } from '../columns.ts'
import type { Handler } from '../command.ts'
import type { Context } from '../context.ts'
import { createLimit } from '../../lib/limit.ts'
import { printResult, tableOr } from '../print-result.ts'
import type { agentFlags } from '../table/agents.ts'
import { wrapLines } from '../wrap-lines.ts'

export const agents: Handler<typeof agentFlags> = async ({ flags }, context) => {
  const { client } = await context.api()
  const listed = await client.listAgents({ query: { probe: 'false' } })
  const found = flags.quick ? listed : { agents: await probed(client, listed.agents, context) }
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
      installed
        ? []
        : [
            `  ${name}: ${cleanLine(install)
              .replace(/^Install it with: /, '')
              .replace(/\.$/, '')}`,
          ],
    )
    const blocks: string[] = []
    if (faults.length > 0) blocks.push(['Problems', ...faults].join('\n'))
    if (missing.length > 0) blocks.push(['How to install the others', ...missing].join('\n'))
    return [table, ...blocks.map((block) => wrapLines(block, context.out.width, 2))].join('\n\n')
  })
}

const tellEveryMs = 10_000
/** As many as the server starts at a time. */
const atOnce = 2

/** Has each installed agent started and asked, and says which are awaited. */
async function probed(client: Client, agents: readonly AgentInfo[], context: Context): Promise<AgentInfo[]> {
  const awaited = new Set(agents.filter(({ installed }) => installed).map(({ name }) => name))
  const tell = (text: string) => {
    if (!context.json && awaited.size > 0) context.out.note(`${text} ${[...awaited].join(', ')}`)
  }
  tell(awaited.size > atOnce ? 'Checking, two at a time:' : 'Checking:')
  const timer = setInterval(tell, tellEveryMs, 'Still waiting for:')
  const limit = createLimit(atOnce)
  const probe = async (agent: AgentInfo): Promise<AgentInfo> => {
    const { agents: found } = await client.listAgents({ query: { probe: 'true', name: agent.name } })
    awaited.delete(agent.name)
    return found[0] ?? agent
  }
  try {
    return await Promise.all(agents.map(async (agent) => (agent.installed ? limit(() => probe(agent)) : agent)))
  } finally {
    clearInterval(timer)
  }
}

function answers({ answers: does, protocolVersion }: AgentInfo): Cell {
  if (does === null) return ''
  if (!does) return { text: 'no', colour: 'red' }
  return { text: protocolVersion === null ? 'yes' : `yes, protocol ${protocolVersion}`, colour: 'green' }
}
