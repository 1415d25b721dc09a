import { createHash } from 'node:crypto'
import { chmod, chown, mkdir, stat, writeFile } from 'node:fs/promises'
import { homedir } from 'node:os'
import { basename, dirname, isAbsolute, join } from 'node:path'
import { findProgram } from '../../../lib/absolute-program.ts'
import type { Containers } from '../../../lib/container/containers.ts'
import type { ContainerRequest } from '../../../lib/container/settings.ts'
import {
  insideFolder,
  insidePorts,
  specVariable,
  type BindMount,
  type ExecSpec,
  type RunnerSpec,
} from '../../../lib/container/spec.ts'
import { newRandomId } from '../../../lib/id.ts'
import { fail, ok, type Failed, type Result } from '../../../lib/result.ts'
import { socketPath } from '../../../lib/socket-path.ts'
import { allowedMounts, programFiles, type Blank } from './container-mounts.ts'
import { insideEnvironment, providersOf, type KeySource } from './container-network.ts'
import type { AgentDefinition } from './definition.ts'
import { guardGit } from './git-guard.ts'
import { groupBinds, groupMounts, shareGroupFolder } from './group-agent.ts'
import { agentMissing, type Launch } from './launch.ts'
import { mountCheck } from './mount-check.ts'
import { proxyOf } from './network.ts'
import { expandPath, isWithin, realOrNull } from './paths.ts'
import { guardSettings, workspaceTooWide } from './sandbox.ts'

/** What every container of this server shares. */
export type ContainerDeps = {
  readonly containers: Containers
  readonly dataDir: string
  readonly hostEnv: NodeJS.ProcessEnv
  /** Command line of our program that runs a container. */
  readonly runner: readonly [string, ...string[]]
  /** The script of the relay's inner half. */
  readonly relay: string
  /** The server's socket for agents; null if they do not get our tools. */
  readonly gate: string | null
  ownPort(): number | null
  /** Of the configuration. */
  readonly allowed: readonly { readonly path: string; readonly write: boolean }[]
  readonly allowMissingLimits: boolean
  readonly keys: KeySource
  onLog(line: string): void
}

export type ContainerInput = {
  readonly agent: AgentDefinition
  readonly workspace: string
  readonly sessionId: string
  readonly ownerUserId: string
  readonly extraWritable: readonly string[]
  readonly bridgeFiles: readonly string[]
  readonly settings: readonly string[]
  readonly request: ContainerRequest
}

const insideHome = '/home/agent'

/**
 * The first program inside: opens the network, starts the agent, passes signals on, and takes in the processes that others
 * leave behind. A shell, because every image has one.
 */
const entrance =
  'r=$1 p=$2 n=$3 f=$4; shift 4; ' +
  '{ [ "$(NODE_OPTIONS= NODE_USE_ENV_PROXY= NODE_EXTRA_CA_CERTS= node --max-semi-space-size=1 "$r" "$p" &)" = ready ] || ' +
  "{ echo 'Signalbox: the image needs node, 22 or later.' >&2; kill -TERM 1; }; } & " +
  'c=; [ -z "$n" ] || c=$(command -v "$n") || c=; [ -n "$c" ] || c=$f; ' +
  '[ -n "$c" ] || { echo "Signalbox: $n is neither in the image nor installed on this machine." >&2; exit 127; }; ' +
  'trap \'kill -TERM $a 2>/dev/null\' TERM INT HUP; exec 3<&0; "$c" "$@" <&3 3<&- & a=$!; exec 3<&-; wait $a; e=$?; ' +
  'while kill -0 $a 2>/dev/null; do wait $a; e=$?; done; exit $e'

/** An agent in a container, as a launch like any other: the keeper starts our runner in its place. */
export async function prepareContainer(input: ContainerInput, deps: ContainerDeps): Promise<Result<Launch>> {
  const { agent, workspace, sessionId, request } = input
  const { settings } = request
  const { containers } = deps
  const wide = await notAWorkspace(workspace, deps)
  if (wide) return wide
  const engine = await containers.engine()
  if (!engine.ok) return engine
  const image = await containers.ensureImage(settings, deps.onLog)
  if (!image.ok) return image
  const ignored = await containers.ignoredLimits(engine.value, image.value, settings.limits)
  if (ignored.length > 0 && !deps.allowMissingLimits) return limitsIgnored(engine.value.kind, ignored)

  const rootless = await containers.isRootless(engine.value)
  const user = await userOf(workspace)
  const folder = join(deps.dataDir, 'containers')
  const blank = await makeBlank(folder)
  const home = await makeHome(folder, input, user)
  const program = await programOf(agent, workspace, deps.hostEnv)
  if (!program.ok) return program
  const mounted = await allowedMounts(settings.mounts, { allowed: deps.allowed, dataDir: deps.dataDir, blank })
  if (!mounted.ok) return mounted
  const guards = [
    ...(await guardSettings(workspace, input.settings)),
    ...(await guardGit([workspace, ...input.extraWritable])),
  ].flatMap((mount) => ('from' in mount ? [mount] : []))
  const ofGroup = groupMounts(agent.group, workspace)
  if (agent.group) await shareGroupFolder(agent.group, ...numbersOf(user))
  const binds = groupBinds(ofGroup, blank.directory)
  const written = [...binds, ...mounted.value].flatMap(({ from, write }) => (write ? [from] : []))
  const relay = `${insideFolder}/${basename(deps.relay)}`
  const mounts: BindMount[] = [
    ...[workspace, ...input.extraWritable].map((at) => ({ from: at, to: at, write: true })),
    ...binds,
    ...guards.map(({ kind, at, from }) => ({ from, to: at, write: kind === 'write' })),
    { from: home, to: insideHome, write: true },
    { from: deps.relay, to: relay, write: false },
    ...(await accounts(folder, user)),
    ...program.value.files.map((at) => ({ from: at, to: at, write: false })),
    ...(await existing(input.bridgeFiles)).map((at) => ({ from: at, to: at, write: false })),
    ...mounted.value,
  ]
  // Of this start alone: an earlier runner removes its own when it ends.
  const socket = socketPath(deps.dataDir, `box-${newRandomId<string>().slice(0, 8)}/gate`)
  const own = deps.ownPort()
  const providers = await providersOf(settings.network.providers, deps.keys)
  if (!providers.ok) return providers
  const proxied = settings.network.hosts.length > 0
  const plan = {
    socket: `${insideFolder}/gate/${basename(socket)}`,
    ports: providers.value.length > 0 ? [insidePorts.providers] : [],
    gate: deps.gate === null ? [] : [insidePorts.server, ...(own === null ? [] : [own])],
    proxy: proxied ? insidePorts.proxy : null,
    tells: true,
  }
  const check = await mountCheck([
    ...guards,
    ...ofGroup,
    ...mounted.value.map(({ from, to: at }) => ({ kind: 'read' as const, at, from })),
  ])
  const env = await insideEnvironment(input, {
    home: insideHome,
    proxied,
    gate: deps.gate !== null,
    hostEnv: deps.hostEnv,
  })
  const outside = proxyOf(definedIn(deps.hostEnv))
  const execSpec: ExecSpec = { engine: engine.value.address, install: containers.install, session: sessionId, user }
  const spec: RunnerSpec = {
    ...execSpec,
    image: image.value,
    command: [...check, '/bin/sh', '-c', entrance, 'sh', relay, JSON.stringify(plan), ...program.value.argv],
    env,
    cwd: workspace,
    keepId: rootless && engine.value.kind === 'podman',
    mounts: shallowFirst(mounts),
    volumes: await containers.volumes(engine.value, image.value),
    limits: settings.limits,
    allowMissingLimits: deps.allowMissingLimits,
    seccomp: await containers.seccomp(engine.value),
    gate: {
      socket,
      server: deps.gate,
      hosts: settings.network.hosts,
      providers: providers.value,
      proxy: outside.proxy,
      direct: outside.direct,
    },
    watched: outermost([workspace, home, ...input.extraWritable, ...written]),
  }
  const network = networkText(spec, deps.gate !== null)
  return ok({
    argv: [...deps.runner, 'run'],
    env: runnerEnvironment(deps.hostEnv, sessionId, spec),
    cwd: workspace,
    isolation: 'container',
    confinement: confinementText(engine.value.kind, spec, ignored, network),
    network,
    ...execPrefix(deps, execSpec),
    relay: null,
    ownUrl: deps.gate === null ? null : `http://127.0.0.1:${insidePorts.server}/mcp`,
  })
}

/** How a command of the agent runs in the container that is there. */
export function execPrefix(
  deps: Pick<ContainerDeps, 'runner' | 'hostEnv'>,
  spec: ExecSpec,
): Pick<Launch, 'wrap' | 'entrance' | 'commandEnv'> {
  return {
    wrap: [...deps.runner, 'exec'],
    entrance: [],
    commandEnv: runnerEnvironment(deps.hostEnv, spec.session, spec),
  }
}

/** The runner is a program of ours on this machine; what the agent gets is in the spec. */
function runnerEnvironment(hostEnv: NodeJS.ProcessEnv, sessionId: string, spec: ExecSpec): Record<string, string> {
  return {
    PATH: hostEnv['PATH'] ?? '/usr/bin:/bin',
    HOME: hostEnv['HOME'] ?? homedir(),
    // Providers may have certificates of the operator's own authority.
    ...(hostEnv['NODE_EXTRA_CA_CERTS'] !== undefined && { NODE_EXTRA_CA_CERTS: hostEnv['NODE_EXTRA_CA_CERTS'] }),
    SIGNALBOX_SESSION_ID: sessionId,
    [specVariable]: JSON.stringify(spec),
  }
}

/** Root gives a container the owner of the workspace; anyone else can only give themselves. */
export async function userOf(workspace: string): Promise<string> {
  const uid = process.getuid?.() ?? 1000
  if (uid !== 0) return `${uid}:${process.getgid?.() ?? uid}`
  const found = await stat(workspace)
  return `${found.uid}:${found.gid}`
}

const numbersOf = (user: string): [number, number] => {
  const [uid = 0, gid = 0] = user.split(':').map(Number)
  return [uid, gid]
}

/** Outlives the container, so that the agent finds its conversations again. */
async function makeHome(folder: string, input: ContainerInput, user: string): Promise<string> {
  const { request, ownerUserId, agent, workspace, extraWritable } = input
  const key = request.homeKey ?? JSON.stringify([ownerUserId, agent.name, extraWritable[0] ?? workspace])
  const name = createHash('sha256').update(`${user} ${key}`).digest('hex').slice(0, 24)
  const path = join(folder, 'homes', name)
  await mkdir(path, { recursive: true, mode: 0o700 })
  if (process.getuid?.() === 0) await chown(path, ...numbersOf(user))
  return path
}

async function makeBlank(folder: string): Promise<Blank> {
  const blank = { file: join(folder, 'blank', 'file'), directory: join(folder, 'blank', 'directory') }
  await mkdir(blank.directory, { recursive: true, mode: 0o755 })
  await writeFile(blank.file, '', { mode: 0o444, flag: 'wx' }).catch(() => {})
  return blank
}

/** Programs ask for the name of their user. */
async function accounts(folder: string, user: string): Promise<BindMount[]> {
  const [uid, gid] = numbersOf(user)
  const place = join(folder, 'accounts', `${uid}-${gid}`)
  await mkdir(place, { recursive: true, mode: 0o755 })
  const root = uid === 0 ? '' : 'root:x:0:0:root:/root:/bin/sh\n'
  const texts = {
    passwd: `${root}agent:x:${uid}:${gid}:agent:${insideHome}:/bin/sh\nnobody:x:65534:65534:nobody:/:/bin/false\n`,
    group: `${gid === 0 ? '' : 'root:x:0:\n'}agent:x:${gid}:\nnogroup:x:65534:\n`,
  }
  return Promise.all(
    Object.entries(texts).map(async ([name, text]) => {
      const path = join(place, name)
      await writeFile(path, text, { mode: 0o644, flag: 'wx' }).catch(() => {})
      await chmod(path, 0o644)
      return { from: path, to: `/etc/${name}`, write: false }
    }),
  )
}

type InsideProgram = { readonly argv: readonly string[]; readonly files: readonly string[] }

/** Found in the image by its name, or else on this machine, whose files are then seen read-only. */
async function programOf(
  agent: AgentDefinition,
  workspace: string,
  hostEnv: NodeJS.ProcessEnv,
): Promise<Result<InsideProgram>> {
  const args = agent.args.map((arg) => arg.replaceAll('{workspace}', () => workspace))
  const command = expandPath(agent.command, {}, hostEnv['HOME'] ?? homedir()) ?? agent.command
  const found = await findProgram(command, hostEnv['PATH'] ?? '')
  const scripts: string[] = []
  for (const arg of args) if (isAbsolute(arg) && !isWithin(workspace, arg) && (await isFile(arg))) scripts.push(arg)
  const ofScripts = await Promise.all(scripts.map(scriptFiles))
  // Node is in every image; that of this machine may not run there.
  if (/^node(?:js)?$/.test(basename(command))) return ok({ argv: ['node', '', ...args], files: ofScripts })
  if (isAbsolute(command) && found === null) return agentMissing(agent)
  const name = isAbsolute(command) ? '' : command
  if (found === null) return ok({ argv: [name, '', ...args], files: ofScripts })
  const real = (await realOrNull(found)) ?? found
  return ok({ argv: [name, real, ...args], files: [...new Set([...ofScripts, await programFiles(real)])] })
}

/** Our own programs are single files. */
const scriptFiles = async (path: string): Promise<string> => (dirname(path) === ownFolder ? path : programFiles(path))
const ownFolder = import.meta.dirname

const isFile = async (path: string): Promise<boolean> => (await stat(path).catch(() => null))?.isFile() === true

const existing = async (paths: readonly string[]): Promise<string[]> =>
  (await Promise.all(paths.map(realOrNull))).filter((path) => path !== null)

/** Not all engines sort them; of two at one place the last wins. */
function shallowFirst(mounts: readonly BindMount[]): BindMount[] {
  const last = new Map(mounts.map((mount) => [mount.to, mount]))
  return [...last.values()].toSorted((one, other) => one.to.split('/').length - other.to.split('/').length)
}

/** Without those that are inside others: nothing is counted twice. */
const outermost = (paths: readonly string[]): string[] =>
  paths.filter((path, at) => !paths.some((other, index) => (other === path ? index < at : isWithin(other, path))))

const definedIn = (env: NodeJS.ProcessEnv): Record<string, string> =>
  Object.fromEntries(Object.entries(env).flatMap(([name, value]) => (value === undefined ? [] : [[name, value]])))

async function notAWorkspace(workspace: string, { dataDir, hostEnv }: ContainerDeps): Promise<Failed | null> {
  const data = (await realOrNull(dataDir)) ?? dataDir
  const wide = await workspaceTooWide(workspace, data, hostEnv)
  if (wide) return wide
  if (!isWithin(workspace, data)) return null
  return fail({
    kind: 'invalid',
    code: 'workspace_too_wide',
    message: `An agent can't be confined to ${workspace}: Signalbox keeps its own data there.`,
    hint: 'Choose a directory inside it that does not contain the data directory.',
  })
}

function networkText({ gate }: RunnerSpec, server: boolean): string {
  const reached = [
    ...(server ? ['Signalbox'] : []),
    ...gate.providers.map(({ name }) => `${name} (its key stays outside)`),
    ...gate.hosts,
  ]
  return `no network; reaches ${reached.length === 0 ? 'nothing' : reached.join(', ')} through its gate`
}

function confinementText(
  kind: string,
  { image, cwd, user, limits, mounts }: RunnerSpec,
  ignored: readonly string[],
  network: string,
): string {
  const others = mounts.filter(({ write, to, from }) => write && to !== cwd && to !== insideHome && from !== cwd)
  const also = others.length === 0 ? '' : ` (also ${others.map(({ to }) => to).join(', ')})`
  const who = user.startsWith('0:') ? 'root without its rights' : `user ${user}`
  const missing = ignored.length === 0 ? '' : `; ignored by the engine: ${ignored.join(', ')}`
  return (
    `container (${kind}, ${image}): ${cwd} writable${also} except policy and agent settings, its own home, ` +
    `everything else of this machine hidden; ${who}; ${limits.memoryMb} MiB, ${limits.cpus} CPUs, ` +
    `${limits.pids} processes, ${limits.diskMb} MiB of disk${missing}; ${network}`
  )
}

const limitsIgnored = (kind: string, ignored: readonly string[]): Failed =>
  fail({
    kind: 'unavailable',
    code: 'container_limits_ignored',
    message: `The container engine (${kind}) ignores these limits: ${ignored.join(', ')}.`,
    hint: 'Rootless engines need cgroups v2 for limits. To start without them, set containers.allow_missing_limits = true.',
    details: { ignored },
  })
