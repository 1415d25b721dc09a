import type { Stats } from 'node:fs'
import { stat } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { fail, ok, type Failed, type Result } from '../../../lib/result.ts'
import { namespaces, rightsOfRoot, withFilter } from '../../../lib/bubblewrap.ts'
import type { AgentDefinition } from './definition.ts'
import { guardGit } from './git-guard.ts'
import { groupMounts, shareGroupFolder } from './group-agent.ts'
import { hiddenMounts, partOfSystem } from './hidden-mounts.ts'
import { arrange, isHidden, mountArguments, type Mount } from './mounts.ts'
import { mountCheck } from './mount-check.ts'
import { openedMounts } from './opened-mounts.ts'
import { isWithin, realOrNull } from './paths.ts'
import { filesOf, programMounts, toolMounts } from './program-mounts.ts'
import { systemMounts } from './system-mounts.ts'

export type SandboxInput = {
  readonly bubblewrap: string
  readonly root: boolean
  readonly agent: AgentDefinition
  readonly program: string
  readonly args: readonly string[]
  readonly env: Readonly<Record<string, string>>
  readonly home: string
  readonly workspace: string
  readonly extraWritable: readonly string[]
  readonly bridgeFiles?: readonly string[]
  /** Read-only paths in the workspace: policy, and settings of other agents and editors. */
  readonly settings?: readonly string[]
  readonly dataDir: string
  readonly hostEnv: NodeJS.ProcessEnv
  /** Bubblewrap's arguments for a separate network; null: shares ours. */
  readonly network?: readonly string[] | null
}

export type Sandbox = {
  /** Prefix for a command. */
  readonly wrap: readonly string[]
  /** Prefix for it inside. */
  readonly check: readonly string[]
  readonly temporary: string
  readonly writable: readonly string[]
}

/** The system read-only, what this agent needs, and nothing else of the machine. */
export async function buildSandbox(input: SandboxInput): Promise<Result<Sandbox>> {
  const { workspace } = input
  const dataDir = (await realOrNull(input.dataDir)) ?? input.dataDir
  const hidden = await hiddenMounts({ ...input, ownNetwork: input.network !== null && input.network !== undefined })
  const own = await ownPlaces(dataDir, input.hostEnv)
  const wide = tooWide(workspace, own, hidden.neverOpen) ?? (input.root ? await ofOthers(workspace) : null)
  if (wide !== null) return wide

  const opened = await openedMounts({ ...input, dataDir })
  if (!opened.ok) return opened
  const writable: Mount[] = [workspace, ...input.extraWritable].map((at) => ({ kind: 'write', at, from: at }))
  const scratch = join(dataDir, 'run', 'sandbox')
  const system = await systemMounts({ ...input, scratch })
  const base = arrange([...system, ...hidden.mounts, ...opened.value, ...writable])
  const data = own.filter(({ at }) => !isHidden(base, at))
  const path = input.env['PATH'] ?? ''
  const scene = { mounts: arrange([...base, ...data]), neverOpen: [...hidden.neverOpen, dataDir], workspace }
  const programs = await programMounts(await filesOf(input.program, input.args, path), scene)
  const tools = await toolMounts(path, scene)
  const bridge = await shown(input.bridgeFiles ?? [], scene.mounts)
  const guards = [
    ...(await guardSettings(workspace, input.settings ?? [])),
    ...(await guardGit([workspace, ...input.extraWritable])),
  ]
  if (input.agent.group) await shareGroupFolder(input.agent.group, 0, 0)
  const mounts = arrange([
    ...system,
    ...hidden.mounts,
    ...tools,
    ...programs,
    ...bridge,
    ...opened.value,
    ...writable,
    ...guards,
    ...groupMounts(input.agent.group, workspace),
    ...data,
  ])
  // First an empty root, then /dev and /proc, then what is mounted on them.
  const [nothing, ...rest] = mounts
  return ok({
    wrap: [
      ...(await withFilter(input.bubblewrap, scratch, input.root)),
      ...mountArguments(nothing === undefined ? [] : [nothing]),
      ...namespaces,
      ...(input.root ? rightsOfRoot : []),
      ...mountArguments(rest),
      ...(input.network ?? []),
      '--remount-ro',
      '/',
    ],
    check: await mountCheck(mounts.filter((mount) => guards.includes(mount))),
    temporary: hidden.temporary,
    writable: mounts.flatMap((mount) => (mount.kind === 'write' && mount.pinned !== true ? [mount.at] : [])),
  })
}

/** Mounts each file alone, not its directory. */
async function shown(paths: readonly string[], mounts: readonly Mount[]): Promise<Mount[]> {
  const real = await Promise.all(paths.map(realOrNull))
  return real.flatMap((at): Mount[] => (at !== null && isHidden(mounts, at) ? [{ kind: 'read', at, from: at }] : []))
}

export async function guardSettings(workspace: string, paths: readonly string[]): Promise<Mount[]> {
  const real = await Promise.all(paths.map(realOrNull))
  // A symlink could lead out of the workspace and expose its target.
  return real.flatMap((at): Mount[] =>
    at === null || at === workspace || !isWithin(workspace, at) ? [] : [{ kind: 'read', at, from: at }],
  )
}

/** Signalbox's data, its sockets, and its configuration, which may hold tokens. */
async function ownPlaces(dataDir: string, hostEnv: NodeJS.ProcessEnv): Promise<Mount[]> {
  const sockets = await realOrNull(join(tmpdir(), `signalbox-${process.getuid?.() ?? 0}`))
  const runtime = await realOrNull(hostEnv['XDG_RUNTIME_DIR'] || '/nonexistent')
  const directories = [(await realOrNull(dataDir)) === null ? null : dataDir, sockets, runtime]
  const config = await realOrNull(hostEnv['SIGNALBOX_CONFIG'] || '/nonexistent')
  return [
    ...directories.flatMap((at): Mount[] => (at === null || at === '/' ? [] : [{ kind: 'hide', at }])),
    ...(config === null ? [] : [{ kind: 'blank', at: config } as const]),
  ]
}

/** For containers, which see nothing else of this machine. */
export async function workspaceTooWide(
  workspace: string,
  dataDir: string,
  hostEnv: NodeJS.ProcessEnv,
): Promise<Failed | null> {
  const { neverOpen } = await hiddenMounts({ home: hostEnv['HOME'] ?? '/', env: {}, hostEnv, workspace })
  return tooWide(workspace, await ownPlaces(dataDir, hostEnv), neverOpen)
}

function tooWide(workspace: string, own: readonly Mount[], neverOpen: readonly string[]): Failed | null {
  const ours = own.some(({ at }) => at === workspace)
  const part = partOfSystem(workspace)
  const inside = neverOpen.find((place) => isWithin(workspace, place))
  if (!ours && part === undefined && inside === undefined && workspace !== '/') return null
  const opens =
    part === undefined ? `that would open all of ${inside ?? '/'}` : `the system itself runs what is in ${part}`
  const why = ours ? 'Signalbox keeps its own data there' : opens
  return fail({
    kind: 'invalid',
    code: 'workspace_too_wide',
    message: `An agent can't be confined to ${workspace}: ${why}.`,
    hint: 'Choose a directory inside it, or start the agent with isolation "none": it then runs as you.',
  })
}

/** Confined root has no special rights over other users' files; only the mode counts. */
async function ofOthers(workspace: string): Promise<Failed | null> {
  const may = ({ uid, gid, mode }: Stats, right: number): boolean =>
    (mode & (uid === 0 ? right << 6 : gid === 0 ? right << 3 : right)) !== 0
  const { uid, gid, mode } = await stat(workspace)
  const around: Stats[] = []
  for (let at = workspace; at !== '/'; at = dirname(at)) around.push(await stat(at))
  if (may(await stat(workspace), 2) && around.every((one) => may(one, 1))) return null
  return fail({
    kind: 'invalid',
    code: 'workspace_of_others',
    message: `The server runs as root, and ${workspace} belongs to user ${uid} (group ${gid}, mode ${(mode & 0o777).toString(8)}). A confined agent has no rights over other users' files, so it could not write there.`,
    hint:
      `Run the server as user ${uid}, give the directory to root (chown -R root: ${workspace}), ` +
      'or start the agent with isolation "none": it then runs as root.',
  })
}
