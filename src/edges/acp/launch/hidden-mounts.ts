import { stat } from 'node:fs/promises'
import { userInfo } from 'node:os'
import { dirname } from 'node:path'
import { isHidden, type Mount } from './mounts.ts'
import { isWithin, realOrNull } from './paths.ts'

/** Without these nothing runs: none of them is ever hidden, nor what they lie in. */
const system = ['/usr', '/bin', '/sbin', '/lib', '/lib64', '/etc', '/opt', '/dev', '/proc', '/sys', '/var', '/nix']

/** What the system itself runs or obeys lies there: nothing an agent may be given to write. */
export function partOfSystem(path: string): string | undefined {
  const places = [
    '/bin',
    '/sbin',
    '/lib',
    '/lib64',
    '/usr/bin',
    '/usr/sbin',
    '/usr/lib',
    '/etc',
    '/dev',
    '/proc',
    '/sys',
    '/boot',
  ]
  return (
    places.find((place) => isWithin(place, path) || isWithin(path, place)) ?? system.find((place) => place === path)
  )
}

const homes = ['/home', '/root']
const shared = ['/tmp', '/var/tmp', '/run', '/var/run']
const ownFolders = ['XDG_CONFIG_HOME', 'XDG_DATA_HOME', 'XDG_STATE_HOME', 'XDG_CACHE_HOME', 'XDG_RUNTIME_DIR']

export type HiddenMounts = {
  readonly mounts: readonly Mount[]
  /** A workspace that is one of these, or holds one, can't be confined to. */
  readonly neverOpen: readonly string[]
  /** Where the agent finds an empty directory for its temporary files. */
  readonly temporary: string
}

/** Homes, temporary files and the sockets of running programs: what an agent has no business with. */
export async function hiddenMounts(input: {
  /** The agent's own, which may be another than ours. */
  readonly home: string
  readonly env: Readonly<Record<string, string>>
  readonly hostEnv: NodeJS.ProcessEnv
  readonly workspace: string
  readonly ownNetwork?: boolean
}): Promise<HiddenMounts> {
  const { home, env, hostEnv, workspace } = input
  const neverOpen = await existing([...homes, ...shared, hostEnv['HOME'] ?? '', accountHome()])
  const folders = [env, hostEnv].flatMap((one) => [...ownFolders, 'TMPDIR'].map((name) => one[name] ?? ''))
  const mounts: Mount[] = [...neverOpen, ...(await existing(folders))].map((at) => ({ kind: 'hide', at }))
  // These two must be there, even where all around them is gone.
  for (const at of await existing([home, env['TMPDIR'] ?? ''])) {
    const around = mounts.filter((mount) => mount.at !== at)
    if (!isWithin(workspace, at)) mounts.push({ kind: isHidden(around, at) ? 'make' : 'hide', at })
  }
  const [temporary] = await existing([env['TMPDIR'] ?? ''])
  return {
    mounts: [...mounts, ...(await names(input.ownNetwork === true))],
    neverOpen,
    temporary: temporary === undefined ? '/tmp' : (env['TMPDIR'] ?? '/tmp'),
  }
}

/** An id without an account, as containers have them, has no home. */
function accountHome(): string {
  try {
    return userInfo().homedir
  } catch {
    return ''
  }
}

/** What of /run is needed to look up names, and where NixOS keeps its programs. */
async function names(ownNetwork: boolean): Promise<Mount[]> {
  const resolver = await realOrNull('/etc/resolv.conf')
  const files = resolver?.startsWith('/run/') === true ? [resolver] : []
  const folders = [...(ownNetwork ? [] : ['/run/systemd/resolve', '/run/nscd']), '/run/current-system']
  const found: Mount[] = []
  for (const at of [...files, ...folders]) {
    const from = await realOrNull(at)
    if (from !== null) found.push({ kind: 'read', at, from })
  }
  // One directory for file and socket, so that a new resolv.conf is seen.
  return found.filter(({ at }) => !found.some((other) => other.at === dirname(at)))
}

async function existing(paths: readonly string[]): Promise<string[]> {
  const found = new Set<string>()
  for (const path of paths) {
    const real = path.startsWith('/') ? await realOrNull(path) : null
    if (real === null || system.some((one) => isWithin(real, one))) continue
    if ((await stat(real)).isDirectory()) found.add(real)
  }
  return [...found]
}
