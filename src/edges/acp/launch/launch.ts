import { homedir } from 'node:os'
import { dirname } from 'node:path'
import { fail, ok, type Failed, type Result } from '../../../lib/result.ts'
import { probeBubblewrap } from '../../../lib/bubblewrap.ts'
import { hasSeccompFilter } from '../../../lib/seccomp.ts'
import { probeOwnNetwork } from '../../../lib/probe-own-network.ts'
import type { RelaySpec } from '../../../keeper-client/client.ts'
import { findProgram } from '../../../lib/absolute-program.ts'
import type { AgentDefinition, IsolationChoice } from './definition.ts'
import { agentEnvironment, gitIdentity } from './environment.ts'
import { ownNetwork, sharedNetwork, type NetworkDeps, type OwnNetwork } from './network.ts'
import { expandPath } from './paths.ts'
import { nameInside } from './program-mounts.ts'
import { buildSandbox } from './sandbox.ts'

export { findProgram } from '../../../lib/absolute-program.ts'

/** The account name of the sandboxed user when the server runs as root. */
const whoIsInside = { USER: 'agent', LOGNAME: 'agent' }

type Argv = readonly [string, ...string[]]

export type Launch = {
  readonly argv: Argv
  /** Complete: nothing is inherited. */
  readonly env: Record<string, string>
  /** For commands that the agent asks us to run, if they get another environment. */
  readonly commandEnv?: Record<string, string>
  readonly cwd: string
  readonly isolation: 'none' | 'sandbox' | 'container'
  /** One sentence for people: the confinement in force. */
  readonly confinement: string
  /** The same for the network alone. */
  readonly network: string
  /** Prefix that confines a command in the same way; empty for none. */
  readonly wrap: readonly string[]
  /** Prefix inside the sandbox: checks the mounts and sets up the network. */
  readonly entrance: readonly string[]
  /** For the keeper: what an agent with its own network may reach. */
  readonly relay: RelaySpec | null
  /** The URL of our tools inside the agent's own network. */
  readonly ownUrl: string | null
}

export async function prepareLaunch(input: {
  readonly agent: AgentDefinition
  /** With all symlinks resolved. */
  readonly workspace: string
  readonly sessionId: string
  readonly isolation: Exclude<IsolationChoice, 'container'>
  readonly dataDir: string
  readonly hostEnv: NodeJS.ProcessEnv
  /** The Git directory that a worktree shares with its repository. */
  readonly extraWritable: readonly string[]
  /** Files of our MCP bridge, which runs beside the agent. */
  readonly bridgeFiles?: readonly string[]
  /** Read-only paths in the workspace. */
  readonly settings?: readonly string[]
  /** For a separate network; without this it shares ours. */
  readonly network?: NetworkDeps
}): Promise<Result<Launch>> {
  const { agent, workspace, hostEnv, sessionId } = input
  const env = await agentEnvironment({ agent, hostEnv, sessionId, nodeDirectory: dirname(process.execPath) })
  const path = env['PATH'] ?? ''
  const home = env['HOME'] || homedir()
  const program = await findProgram(expandPath(agent.command, {}, home) ?? agent.command, path)
  if (program === null) return agentMissing(agent)
  const args = agent.args.map((arg) => arg.replaceAll('{workspace}', () => workspace))

  const root = process.getuid?.() === 0
  const bubblewrap = input.isolation === 'none' ? null : await probeBubblewrap(hostEnv['PATH'] ?? path, root)
  const insists = input.isolation === 'sandbox' || agent.network === 'own' || agent.network === 'none'
  if (bubblewrap?.works === false && insists) return noSandbox(bubblewrap.why)
  if (bubblewrap?.works !== true) {
    const confinement = `none: runs as you in ${workspace}`
    const nothing = { network: sharedNetwork, wrap: [], entrance: [], relay: null, ownUrl: null }
    return ok({ argv: [program, ...args], env, cwd: workspace, isolation: 'none', confinement, ...nothing })
  }

  const network = await networkOf({ bubblewrap: bubblewrap.program, root }, agent, () =>
    input.network ? ownNetwork(agent, sessionId, env, input.network) : null,
  )
  if (!network.ok) return network
  const own = network.value
  const sandbox = await buildSandbox({
    ...input,
    bubblewrap: bubblewrap.program,
    root,
    program,
    args,
    env,
    home,
    network: own?.wrap ?? null,
  })
  if (!sandbox.ok) return sandbox
  const { wrap, check, writable, temporary } = sandbox.value
  const entrance = [...check, ...(own?.entrance ?? [])]
  const words = own?.text ?? sharedNetwork
  const { XDG_RUNTIME_DIR: _, ...rest } = env
  const others = writable.filter((place) => place !== workspace)
  const also = others.length === 0 ? '' : ` (also ${others.join(', ')})`
  return ok({
    argv: wrapCommand({ wrap, entrance }, [await nameInside(program), ...args]),
    env: withVariables(
      {
        ...(await gitIdentity(workspace, env, input.extraWritable[0] ?? null)),
        ...rest,
        ...(root && whoIsInside),
        TMPDIR: temporary,
      },
      own?.env ?? {},
    ),
    cwd: workspace,
    isolation: 'sandbox',
    confinement:
      `sandbox (${hasSeccompFilter() ? 'bubblewrap, seccomp' : 'bubblewrap'}): ${workspace} writable${also} ` +
      `except policy and agent settings, the system read-only, everything else hidden` +
      `${root ? ', no rights of root' : ''}; ${words}`,
    network: words,
    wrap,
    entrance,
    relay: own?.relay ?? null,
    ownUrl: own?.ownUrl ?? null,
  })
}

/** Confines a command that the agent asks us to run. */
export function wrapCommand(launch: Pick<Launch, 'wrap' | 'entrance'>, argv: Argv): Argv {
  const [program, ...words] = launch.wrap
  return program === undefined ? argv : [program, ...words, '--', ...launch.entrance, ...argv]
}

/** Null: shares our network, by configuration or because `auto` found no support for another. */
async function networkOf(
  probe: { bubblewrap: string; root: boolean },
  { network }: AgentDefinition,
  own: () => OwnNetwork | null,
): Promise<Result<OwnNetwork | null>> {
  if (network === 'host') return ok(null)
  const probed = await probeOwnNetwork(probe.bubblewrap, probe.root)
  if (probed.works) return ok(own())
  return network === 'auto' ? ok(null) : noNetwork(network, probed.why)
}

function withVariables(
  env: Readonly<Record<string, string>>,
  more: Readonly<Record<string, string | null>>,
): Record<string, string> {
  const entries = Object.entries<string | null>({ ...env, ...more })
  return Object.fromEntries(entries.filter((entry): entry is [string, string] => entry[1] !== null))
}

export type ConfinedCommand = { argv: Argv; env: Readonly<Record<string, string>>; relay?: RelaySpec }

/** Requested variables are set inside the sandbox; the wrapper outside gets our environment only. */
export function confineCommand(
  launch: Pick<Launch, 'wrap' | 'entrance' | 'env' | 'commandEnv' | 'relay'>,
  argv: Argv,
  wanted: Readonly<Record<string, string>>,
): ConfinedCommand {
  const { relay, env, commandEnv = env } = launch
  return {
    argv: wrapCommand(launch, withWanted(argv, Object.entries(wanted))),
    env: commandEnv,
    ...(relay && { relay }),
  }
}

/** Sets the variables for the program itself, after all wrappers. */
function withWanted(argv: Argv, pairs: readonly (readonly [string, string])[]): Argv {
  if (pairs.length === 0) return argv
  // env would take a program name with = for a variable.
  const program: Argv = argv[0].includes('=') ? ['/bin/sh', '-c', 'exec "$@"', 'sh', ...argv] : argv
  return ['/usr/bin/env', ...pairs.map(([name, value]) => `${name}=${value}`), ...program]
}

export const agentMissing = (agent: AgentDefinition): Failed =>
  fail({
    kind: 'unavailable',
    code: 'agent_unavailable',
    message: `The agent ${agent.name} can't be started: ${agent.command}: command not found.`,
    hint: agent.install,
    details: { agent: agent.name, command: agent.command },
  })

const noSandbox = (why: string): Failed =>
  fail({
    kind: 'unavailable',
    code: 'sandbox_unavailable',
    message: `No sandbox: ${why}.`,
    hint: 'Install the package bubblewrap, or start the agent with isolation "none": it then runs as you.',
  })

const noNetwork = (wanted: string, why: string): Failed =>
  fail({
    kind: 'unavailable',
    code: 'network_unavailable',
    message: `The agent can't have its own network: ${why}.`,
    hint: `Set network = "host" for it instead of "${wanted}" in config.toml: it then reaches every port of this machine.`,
  })
