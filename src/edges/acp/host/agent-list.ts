import { once } from 'node:events'
import { mkdtemp, realpath, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { spawn, type ChildProcessByStdio } from 'node:child_process'
import { Readable, Writable } from 'node:stream'
import { setTimeout as pause } from 'node:timers/promises'
import { PROTOCOL_VERSION, client, methods, ndJsonStream } from '@agentclientprotocol/sdk'
import type { AgentInfo } from '../../../client/contract/agents.ts'
import { newRandomId } from '../../../lib/id.ts'
import type { SessionId } from '../../../domain/session/id.ts'
import type { Logger } from '../../../lib/log.ts'
import type { Result } from '../../../lib/result.ts'
import { withTimeLimit } from '../../../lib/time-limit.ts'
import type { Json } from '../../../lib/json.ts'
import { endProbe, probeMark } from '../../../keeper-client/client.ts'
import type { AgentDefinition } from '../launch/presets.ts'
import { wrapCommand, type Launch } from '../launch/launch.ts'
import { nameInside } from '../launch/program-mounts.ts'

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
  usualIsolation(agent: AgentDefinition): Promise<AgentInfo['isolation']>
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

const patienceMs = 20_000
const restOfOutputMs = 500

type ProbeResult = Pick<AgentInfo, 'answers' | 'protocolVersion' | 'capabilities' | 'authMethods' | 'error'>

type ProbeProcess = {
  readonly child: ChildProcessByStdio<Writable, Readable, null>
  readonly exited: Promise<void>
  /** Ends it and everything it started, including processes that left its group. */
  end(): Promise<void>
}

/** Starts a short-lived program outside the keeper. */
function spawnProbe(
  deps: { dataDir: string; log: Logger },
  { cwd, env }: Pick<Launch, 'cwd' | 'env'>,
  [program, ...args]: Launch['argv'],
): ProbeProcess {
  const mark = probeMark(deps.dataDir, newRandomId())
  const child = spawn(program, args, {
    cwd,
    env: { ...env, ...mark.env },
    stdio: ['pipe', 'pipe', 'ignore'],
    detached: true,
  })
  child.stdin.on('error', () => {})
  let hasExited = false
  const exited = once(child, 'exit')
    .catch(() => {})
    .then(() => {
      hasExited = true
    })
  return {
    child,
    exited,
    async end() {
      const { pid } = child
      if (pid !== undefined) await endProbe(() => ({ pid, mark: mark.value, hasExited }), deps.log)
      child.stdout.destroy()
    },
  }
}

/** Sends `initialize` to a probed agent and ends it. */
async function probeAgent(process: ProbeProcess, version: string): Promise<ProbeResult> {
  const { child } = process
  const stream = ndJsonStream(Writable.toWeb(child.stdin), Readable.toWeb(child.stdout) as ReadableStream<Uint8Array>)
  const connection = client({ name: 'signalbox' }).connect(stream)
  const asked = connection.agent.request(methods.agent.initialize, {
    protocolVersion: PROTOCOL_VERSION,
    clientInfo: { name: 'signalbox', title: 'Signalbox', version },
    clientCapabilities: {},
  })
  const late = new Promise<never>((_resolve, reject) => {
    setTimeout(() => reject(new Error('it did not answer initialize')), patienceMs).unref()
  })
  // A process it left behind may keep its output open, so the exit is watched separately.
  const ended = process.exited
    .then(() => pause(restOfOutputMs, null, { ref: false }))
    .then(() => Promise.reject(new Error('it ended before it answered initialize')))
  ended.catch(() => {})
  try {
    const { protocolVersion, agentCapabilities, authMethods } = await Promise.race([asked, ended, late])
    return {
      answers: true,
      protocolVersion,
      capabilities: (agentCapabilities ?? {}) as Json,
      authMethods: (authMethods ?? []) as Json,
      error: null,
    }
  } catch (error) {
    const message = error instanceof Error ? error.message : String(error)
    return { answers: false, protocolVersion: null, capabilities: null, authMethods: [], error: message }
  } finally {
    connection.close()
    await process.end()
  }
}
