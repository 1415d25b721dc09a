import { homedir } from 'node:os'
import { dirname } from 'node:path'
import { fail, ok, type Failed, type Result } from '../../../lib/result.ts'
import { probeBubblewrap } from './bubblewrap.ts'
import type { AgentDefinition, Isolation } from './definition.ts'
import { agentEnvironment } from './environment.ts'
import { findProgram } from './find-program.ts'
import { gitIdentity } from './git-identity.ts'
import { expandPath } from './paths.ts'
import { nameInside } from './program-places.ts'
import { buildSandbox } from './sandbox.ts'

export { findProgram } from './find-program.ts'

type Argv = readonly [string, ...string[]]

export type Launch = {
  readonly argv: Argv
  /** Complete: nothing else goes along. */
  readonly env: Record<string, string>
  readonly cwd: string
  readonly isolation: 'none' | 'sandbox'
  /** In a sentence, for people: what is in force. */
  readonly confinement: string
  /** What to put before a command so that it is confined in the same way; empty for none. */
  readonly wrap: readonly string[]
}

export async function prepareLaunch(input: {
  readonly agent: AgentDefinition
  /** With all links resolved. */
  readonly workspace: string
  readonly sessionId: string
  readonly isolation: Isolation
  readonly dataDir: string
  readonly hostEnv: NodeJS.ProcessEnv
  /** The Git directory that a worktree shares with its repository. */
  readonly extraWritable: readonly string[]
  /** What our own MCP server needs to run beside the agent. */
  readonly bridgeFiles?: readonly string[]
}): Promise<Result<Launch>> {
  const { agent, workspace, hostEnv, sessionId } = input
  const env = await agentEnvironment({ agent, hostEnv, sessionId, nodeDirectory: dirname(process.execPath) })
  const path = env['PATH'] ?? ''
  const home = env['HOME'] || homedir()
  const program = await findProgram(expandPath(agent.command, {}, home) ?? agent.command, path)
  if (program === null) return missing(agent)
  const args = agent.args.map((arg) => arg.replaceAll('{workspace}', () => workspace))

  const root = process.getuid?.() === 0
  const bubblewrap = input.isolation === 'none' ? null : await probeBubblewrap(hostEnv['PATH'] ?? path, root)
  if (bubblewrap?.works === false && input.isolation === 'sandbox') return noSandbox(bubblewrap.why)
  if (bubblewrap?.works !== true) {
    const confinement = `none: runs as you in ${workspace}`
    return ok({ argv: [program, ...args], env, cwd: workspace, isolation: 'none', confinement, wrap: [] })
  }

  const sandbox = await buildSandbox({ ...input, bubblewrap: bubblewrap.program, root, program, args, env, home })
  if (!sandbox.ok) return sandbox
  const { wrap, writable, temporary } = sandbox.value
  const { XDG_RUNTIME_DIR: _, ...rest } = env
  const others = writable.filter((place) => place !== workspace)
  const also = others.length === 0 ? '' : ` (also ${others.join(', ')})`
  return ok({
    argv: wrapCommand({ wrap }, [await nameInside(program), ...args]),
    env: { ...(await gitIdentity(workspace, env)), ...rest, TMPDIR: temporary },
    cwd: workspace,
    isolation: 'sandbox',
    confinement: `sandbox (bubblewrap): ${workspace} writable${also}, the system read-only, homes and Signalbox hidden`,
    wrap,
  })
}

/** The same confinement for a command that the agent asks us to run, in the directory it is started in. */
export function wrapCommand(launch: Pick<Launch, 'wrap'>, argv: Argv, inside: readonly string[] = []): Argv {
  const [program, ...words] = launch.wrap
  return program === undefined ? argv : [program, ...words, ...inside, '--', ...argv]
}

/** What runs outside gets our environment alone; the variables that are wanted are set behind the border. */
export function confineCommand(
  launch: Pick<Launch, 'wrap' | 'env'>,
  argv: Argv,
  wanted: Readonly<Record<string, string>>,
): { argv: Argv; env: Readonly<Record<string, string>> } {
  const { env } = launch
  const pairs = Object.entries(wanted)
  if (launch.wrap.length > 0)
    return {
      argv: wrapCommand(
        launch,
        argv,
        pairs.flatMap(([name, value]) => ['--setenv', name, value]),
      ),
      env,
    }
  if (pairs.length === 0) return { argv, env }
  // What has a = in its name would be one more variable.
  const program: Argv = argv[0].includes('=') ? ['/bin/sh', '-c', 'exec "$@"', 'sh', ...argv] : argv
  return { argv: ['/usr/bin/env', ...pairs.map(([name, value]) => `${name}=${value}`), ...program], env }
}

const missing = (agent: AgentDefinition): Failed =>
  fail({
    kind: 'unavailable',
    code: 'agent_unavailable',
    message: `The agent ${agent.name} can't be started: there is no program ${agent.command}.`,
    hint: agent.install,
    details: { agent: agent.name, command: agent.command },
  })

const noSandbox = (why: string): Failed =>
  fail({
    kind: 'unavailable',
    code: 'sandbox_unavailable',
    message: `There is no sandbox: ${why}.`,
    hint: 'Install the package bubblewrap, or start the agent with isolation "none": it then runs as you.',
  })
