import { execFile } from 'node:child_process'
import { mkdtemp, realpath, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import type { AgentInfo } from '../../../client/contract/agents.ts'
import { newRandomId } from '../../../lib/id.ts'
import type { SessionId } from '../../../domain/session/id.ts'
import type { Result } from '../../../lib/result.ts'
import type { AgentDefinition } from '../launch/presets.ts'
import type { Launch } from '../launch/launch.ts'
import { probeAgent } from './probe.ts'

const run = promisify(execFile)

/** Which agents can be started here: found, and where wanted asked. */
export function createList(deps: {
  agents: ReadonlyMap<string, AgentDefinition>
  defaultAgent: string
  version: string
  /** The program's path, or null where it is not there. */
  find(agent: AgentDefinition): Promise<string | null>
  usualIsolation(agent: AgentDefinition): Promise<'none' | 'sandbox'>
  launch(agent: AgentDefinition, id: SessionId, workspace: string, isolation: null): Promise<Result<Launch>>
}): (probe: boolean) => Promise<AgentInfo[]> {
  async function look(agent: AgentDefinition, probe: boolean): Promise<AgentInfo> {
    const { name, title, command, install } = agent
    const info: AgentInfo = {
      name,
      title,
      command,
      install,
      isDefault: name === deps.defaultAgent,
      installed: false,
      version: null,
      answers: null,
      protocolVersion: null,
      capabilities: null,
      authMethods: [],
      isolation: 'none',
      error: null,
    }
    const program = await deps.find(agent)
    if (program === null) return info
    const found = { ...info, installed: true, isolation: await deps.usualIsolation(agent) }
    if (!probe) return found
    // A place of its own: an agent that is only asked its name gets nobody's files to see.
    const place = await mkdtemp(join(tmpdir(), 'signalbox-probe-'))
    try {
      const launch = await deps.launch(agent, newRandomId(), await realpath(place), null)
      if (!launch.ok) return { ...found, answers: false, error: launch.fault.message }
      const version = name === 'practice' ? deps.version : await versionOf(program, launch.value)
      return { ...found, version, ...(await probeAgent(launch.value, deps.version)) }
    } finally {
      await rm(place, { recursive: true, force: true })
    }
  }

  return (probe) => Promise.all([...deps.agents.values()].map((agent) => look(agent, probe)))
}

async function versionOf(program: string, launch: Launch): Promise<string | null> {
  try {
    const { stdout } = await run(program, ['--version'], { env: launch.env, timeout: 10_000, cwd: launch.cwd })
    return /\d+\.\d+[\w.+-]*/.exec(stdout)?.[0] ?? null
  } catch {
    return null
  }
}
