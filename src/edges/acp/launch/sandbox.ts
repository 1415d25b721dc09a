import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fail, ok, type Failed, type Result } from '../../../lib/result.ts'
import { namespaces, rightsOfRoot } from './bubblewrap.ts'
import type { AgentDefinition } from './definition.ts'
import { guardGit } from './git-guard.ts'
import { hiddenPlaces } from './hidden-places.ts'
import { arrange, isHidden, mountArguments, type Mount } from './mounts.ts'
import { openedPlaces } from './opened-places.ts'
import { isWithin, realOrNull } from './paths.ts'
import { filesOf, programPlaces } from './program-places.ts'

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
  readonly dataDir: string
  readonly hostEnv: NodeJS.ProcessEnv
}

export type Sandbox = {
  /** The words to put before a command. */
  readonly wrap: readonly string[]
  readonly temporary: string
  readonly writable: readonly string[]
}

/** The system read-only, homes and temporary files hidden, and on top only what this agent needs. */
export async function buildSandbox(input: SandboxInput): Promise<Result<Sandbox>> {
  const { workspace } = input
  const dataDir = (await realOrNull(input.dataDir)) ?? input.dataDir
  const hidden = await hiddenPlaces(input)
  const own = await ownPlaces(dataDir, input.hostEnv)
  const wide = tooWide(workspace, own, hidden.neverOpen)
  if (wide !== null) return wide

  const opened = await openedPlaces({ ...input, dataDir })
  if (!opened.ok) return opened
  const writable: Mount[] = [workspace, ...input.extraWritable].map((at) => ({ kind: 'write', at, from: at }))
  const base = arrange([...hidden.mounts, ...opened.value, ...writable, ...own])
  const programs = await programPlaces(await filesOf(input.program, input.args, input.env['PATH'] ?? ''), {
    mounts: base,
    neverOpen: [...hidden.neverOpen, dataDir],
    workspace,
  })
  const bridge = await shown(input.bridgeFiles ?? [], base)
  const guards = await guardGit([workspace, ...input.extraWritable])
  const mounts = arrange([...hidden.mounts, ...programs, ...bridge, ...opened.value, ...writable, ...guards, ...own])
  return ok({
    wrap: [
      input.bubblewrap,
      '--ro-bind',
      '/',
      '/',
      ...namespaces,
      ...(input.root ? rightsOfRoot : []),
      ...mountArguments(mounts),
    ],
    temporary: hidden.temporary,
    writable: mounts.flatMap((mount) => (mount.kind === 'write' && mount.pinned !== true ? [mount.at] : [])),
  })
}

/** Each by itself, as what lies around it is none of the agent's business. */
async function shown(paths: readonly string[], mounts: readonly Mount[]): Promise<Mount[]> {
  const real = await Promise.all(paths.map(realOrNull))
  return real.flatMap((at): Mount[] => (at !== null && isHidden(mounts, at) ? [{ kind: 'read', at, from: at }] : []))
}

/** Signalbox's data, its sockets wherever they are, and a configuration that may hold tokens. */
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

function tooWide(workspace: string, own: readonly Mount[], neverOpen: readonly string[]): Failed | null {
  const ours = own.some(({ at }) => at === workspace)
  const inside = neverOpen.find((place) => isWithin(workspace, place))
  if (!ours && inside === undefined && workspace !== '/') return null
  const why = ours ? 'Signalbox keeps its own data there' : `that would open all of ${inside ?? '/'}`
  return fail({
    kind: 'invalid',
    code: 'workspace_too_wide',
    message: `An agent can't be confined to ${workspace}: ${why}.`,
    hint: 'Choose a directory inside it, or start the agent with isolation "none": it then runs as you.',
  })
}
