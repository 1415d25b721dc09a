import { join } from 'node:path'
import { loadConfig } from '../../src/config/index.ts'
import { prepareLaunch } from '../../src/edges/acp/launch/launch.ts'
import { agentDefinitions } from '../../src/edges/acp/launch/presets.ts'
import type { Command } from './bare-agent.ts'
import type { ServerHarness } from './harness.ts'

const practice = join(import.meta.dirname, '..', '..', 'dist', 'practice-agent.js')

/** The command line with which Signalbox starts this agent, including bubblewrap's part. */
export async function launchOf(harness: ServerHarness, name: string, isolation: 'none' | 'sandbox'): Promise<Command> {
  const { home, workspace, env: hostEnv } = harness
  const loaded = loadConfig({ env: hostEnv, dataDir: home })
  if (!loaded.ok) throw new Error(loaded.faults.map(({ message }) => message).join('\n'))
  const agents = agentDefinitions(loaded.value.config, { command: process.execPath, args: [practice] })
  const agent = agents.get(name)
  if (!agent) throw new Error(`there is no agent ${name}`)
  const given = { agent, workspace, isolation, dataDir: home, hostEnv, sessionId: 'bench', extraWritable: [] }
  const launch = await prepareLaunch(given)
  if (!launch.ok) throw new Error(launch.fault.message)
  const { argv, env, cwd } = launch.value
  return { argv, env, cwd }
}
