import { spawn } from 'node:child_process'
import { mkdir, mkdtemp, realpath, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { probeBubblewrap } from '../../../src/lib/bubblewrap.ts'
import { prepareLaunch, type Launch } from '../../../src/edges/acp/launch/launch.ts'
import { agentDefinitions, type AgentDefinition } from '../../../src/edges/acp/launch/presets.ts'

const path = process.env['PATH'] ?? '/usr/bin:/bin'

/** If bubblewrap does not work there is nothing to test; the tests are skipped with the reason. */
export const noSandbox = !(await probeBubblewrap(path, process.getuid?.() === 0)).works

const config = {
  defaultAgent: null,
  hostCli: null,
  hostCliArgs: [],
  agents: {},
  acp: { isolation: 'auto', network: 'auto', localPorts: [], budgetUsd: null },
} as const

export function shellAgent(script: string, more: Partial<AgentDefinition> = {}): AgentDefinition {
  const practice = agentDefinitions(config, { command: '/bin/sh', args: ['-c', script] }).get('practice')
  if (practice === undefined) throw new Error('no practice agent')
  return { ...practice, openPaths: [], ...more }
}

export type Places = { root: string; home: string; workspace: string; dataDir: string }

/** A home, a workspace in it and a data directory next to it, all of them real. */
export async function places(parent: string = tmpdir()): Promise<Places & AsyncDisposable> {
  await mkdir(parent, { recursive: true })
  const root = await realpath(await mkdtemp(join(parent, 'launch-')))
  const home = join(root, 'home')
  const made = { root, home, workspace: join(home, 'work'), dataDir: join(root, 'data') }
  for (const directory of [made.workspace, join(made.dataDir, 'run')]) await mkdir(directory, { recursive: true })
  return { ...made, [Symbol.asyncDispose]: () => rm(root, { recursive: true, force: true }) }
}

type Prepared = Partial<Parameters<typeof prepareLaunch>[0]>

export async function prepared(at: Places, agent: AgentDefinition, more: Prepared = {}): Promise<Launch> {
  const result = await prepareLaunch({
    agent,
    workspace: at.workspace,
    sessionId: 's-1',
    isolation: 'sandbox',
    dataDir: at.dataDir,
    hostEnv: { PATH: path, HOME: at.home },
    extraWritable: [],
    ...more,
  })
  if (!result.ok) throw new Error(`${result.fault.code}: ${result.fault.message}`)
  return result.value
}

export function started({ argv, cwd, env }: Pick<Launch, 'argv' | 'cwd' | 'env'>) {
  const [program, ...args] = argv
  const child = spawn(program, args, { cwd, env, detached: true, stdio: 'pipe' })
  let output = ''
  child.stdout.on('data', (chunk: Buffer) => (output += chunk.toString()))
  child.stderr.on('data', (chunk: Buffer) => (output += chunk.toString()))
  const ended = new Promise<string>((resolve, reject) => {
    child.on('close', () => resolve(output))
    child.on('error', reject)
  })
  return { child, ended, output: () => output }
}

/** The output of a shell script, run as the agent would be. */
export async function shell(at: Places, script: string, agent: Partial<AgentDefinition> = {}, more: Prepared = {}) {
  return (await started(await prepared(at, shellAgent(script, agent), more)).ended).trim()
}
