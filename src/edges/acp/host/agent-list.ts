import { once } from 'node:events'
import { mkdtemp, realpath, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { AgentInfo } from '../../../client/contract/agents.ts'
import { newRandomId } from '../../../lib/id.ts'
import type { SessionId } from '../../../domain/session/id.ts'
import type { Logger } from '../../../lib/log.ts'
import type { Result } from '../../../lib/result.ts'
import { withTimeLimit } from '../../../lib/time-limit.ts'
import type { AgentDefinition } from '../launch/presets.ts'
import { wrapCommand, type Launch } from '../launch/launch.ts'
import { nameInside } from '../launch/program-mounts.ts'
import { probeAgent, spawnProbe, type ProbeProcess } from './probe.ts'

const versionMs = 10_000
const lastWordsMs = 1000

/** The agents that can be started here, with what a probe finds out if one is requested. */
export function createAgentList(deps: {
  dataDir: string
  log: Logger
  agents: ReadonlyMap<string, AgentDefinition>
  defaultAgent: string
  version: string
  /** The program's path, or null if it is not installed. */
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
    // An empty directory: a probed agent must not see anyone's files.
    const place = await mkdtemp(join(tmpdir(), 'signalbox-probe-'))
    try {
      const launch = await deps.launch(agent, newRandomId(), await realpath(place), null)
      if (!launch.ok) return { ...found, answers: false, error: launch.fault.message }
      const spawnHere = (argv: Launch['argv']) => spawnProbe(deps, launch.value, argv)
      const asked = async () =>
        versionOf(spawnHere(wrapCommand(launch.value, [await nameInside(program), '--version'])))
      const version = name === 'practice' ? deps.version : await asked()
      return { ...found, version, ...(await probeAgent(spawnHere(launch.value.argv), deps.version)) }
    } finally {
      await rm(place, { recursive: true, force: true })
    }
  }

  return (probe) => Promise.all([...deps.agents.values()].map((agent) => look(agent, probe)))
}

async function versionOf(process: ProbeProcess): Promise<string | null> {
  let text = ''
  process.child.stdout.setEncoding('utf8').on('data', (part: string) => {
    if (text.length < 10_000) text += part
  })
  const said = once(process.child.stdout, 'end').catch(() => {})
  process.child.stdin.end()
  try {
    await withTimeLimit(process.exited, versionMs)
    // A process it left behind may keep its output open forever.
    await withTimeLimit(said, lastWordsMs)
    return /(?<!\d)\d{1,9}\.\d{1,9}[\w.+-]{0,100}/.exec(text)?.[0] ?? null
  } finally {
    await process.end()
  }
}
