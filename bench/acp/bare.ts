// The peer: the SDK alone, in its own process, with the same agents.
import { readFileSync } from 'node:fs'
import type { McpServer, SessionUpdate } from '@agentclientprotocol/sdk'
import { answerCalls } from '../lib/answer-calls.ts'
import { startBareAgent, type BareAgent, type Command } from './bare-agent.ts'

export type BareFlood = { command: Command; updates: number; stamp: string }
/** `mcpUrl`: an MCP server for the agent, as we give it one. */
export type BareStart = { command: Command; prompt: string; mcpUrl?: string }
export type BareCrowd = BareStart & { agents: number }

/** Seconds from the agent's first byte until the last update was delivered. */
async function flood({ command, updates, stamp }: BareFlood): Promise<number> {
  let count = 0
  const last = Promise.withResolvers<bigint>()
  await using agent = await startBareAgent(command, () => {
    count += 1
    if (count === updates) last.resolve(process.hrtime.bigint())
  })
  await agent.prompt('go')
  const end = await last.promise
  return Number(end - BigInt(readFileSync(stamp, 'utf8'))) / 1e9
}

/** Milliseconds from the spawn to the agent's first text. */
async function start({ command, prompt, mcpUrl }: BareStart): Promise<number> {
  const first = Promise.withResolvers<number>()
  const began = performance.now()
  const heard = (update: SessionUpdate) => {
    if (update.sessionUpdate === 'agent_message_chunk') first.resolve(performance.now())
  }
  const servers: McpServer[] = mcpUrl === undefined ? [] : [{ type: 'http', name: 'echo', url: mcpUrl, headers: [] }]
  await using agent = await startBareAgent(command, heard, servers)
  const over = agent.prompt(prompt)
  const took = (await first.promise) - began
  await over
  return took
}

/** Milliseconds until all of them have done their turn. */
async function crowd({ command, prompt, agents }: BareCrowd): Promise<number> {
  const began = performance.now()
  const one = async (): Promise<BareAgent> => {
    const agent = await startBareAgent(command, () => {})
    await agent.prompt(prompt)
    return agent
  }
  await using stack = new AsyncDisposableStack()
  const all = await Promise.all(Array.from({ length: agents }, one))
  const took = performance.now() - began
  for (const agent of all) stack.use(agent)
  return took
}

answerCalls({ flood, start, crowd })
