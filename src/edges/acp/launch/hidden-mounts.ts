import { stat } from 'node:fs/promises'
import { userInfo } from 'node:os'
import { dirname } from 'node:path'
import { isHidden, type Mount } from './mounts.ts'
import { isWithin, realOrNull } from './paths.ts'

/** Nothing runs without these: neither they nor their parents are ever hidden. */
const system = ['/usr', '/bin', '/sbin', '/lib', '/lib64', '/etc', '/opt', '/dev', '/proc', '/sys', '/var', '/nix']

/** System programs and settings, which agents must not write. */
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
  /** A workspace must not be or contain one of these. */
  readonly neverOpen: readonly string[]
  /** An empty directory for the agent's temporary files. */
  readonly temporary: string
}

/** Hides homes, temporary files and sockets of running programs. */
export async function hiddenMounts(input: {
  /** The agent's home, which may differ from ours. */
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
  // These two must exist, even if everything around them is hidden.
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

/** A user id without an account, as in containers, has no home. */
function accountHome(): string {
  try {
    return userInfo().homedir
  } catch {
    return ''
  }
}

/** Parts of /run needed to resolve host names, and NixOS programs. */
async function names(ownNetwork: boolean): Promise<Mount[]> {
  const resolver = await realOrNull('/etc/resolv.conf')
  const files = resolver?.startsWith('/run/') === true ? [resolver] : []
  const folders = [...(ownNetwork ? [] : ['/run/systemd/resolve', '/run/nscd']), '/run/current-system']
  const found: Mount[] = []
  for (const at of [...files, ...folders]) {
    const from = await realOrNull(at)
    if (from !== null) found.push({ kind: 'read', at, from })
  }
  // Mount the directory rather than the file, so that a replaced resolv.conf is seen.
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
