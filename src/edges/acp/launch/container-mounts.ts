import { lstat, opendir } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import type { BindMount } from '../../../lib/container/spec.ts'
import type { ContainerMount } from '../../../lib/container/settings.ts'
import { fail, ok, type Failed, type Result } from '../../../lib/result.ts'
import { isWithin, realOrNull } from './paths.ts'

/** Never mounted, and empty inside mounted directories. */
const secretNames =
  /^(?:\.ssh|\.gnupg|\.aws|\.azure|\.gcloud|\.kube|\.docker|\.netrc|\.pgpass|\.npmrc|\.pypirc|\.git-credentials|\.vault-token|\.env(?:\..*)?|credentials?(?:\.(?:json|toml|ya?ml|db))?|id_(?:rsa|dsa|ecdsa|ed25519)|.*\.(?:pem|key|p12|pfx|keystore)|secrets?(?:\.(?:json|toml|ya?ml))?|\.?signalbox)$/i

/** Examples without secrets. */
const harmless = /^\.env\.(?:example|sample|template|dist)$/i

export const isSecretName = (name: string): boolean => secretNames.test(name) && !harmless.test(name)

const systemPlaces = '/proc /sys /dev /etc /usr /bin /sbin /lib /lib64 /signalbox /run /boot'.split(' ')

type Allowed = { readonly path: string; readonly write: boolean }

/** Mounts that the operator allows, with links resolved, and with what must not be seen in them covered. */
export async function allowedMounts(
  wanted: readonly ContainerMount[],
  scene: { readonly allowed: readonly Allowed[]; readonly dataDir: string; readonly blank: Blank },
): Promise<Result<BindMount[]>> {
  const allowed = await Promise.all(scene.allowed.map(async (one) => ({ ...one, path: await realOrNull(one.path) })))
  const mounts: BindMount[] = []
  for (const { from, to, write } of wanted) {
    const real = await realOrNull(from)
    if (real === null) return refuse(from, 'it does not exist')
    const grant = allowed.find(({ path }) => path !== null && isWithin(path, real))
    if (!grant) return refuse(from, `${real} is not in containers.mounts`)
    if (write && !allowed.some(({ path, write: may }) => may && path !== null && isWithin(path, real)))
      return refuse(from, 'containers.mounts grants it read-only')
    if (isWithin(real, scene.dataDir) || isWithin(scene.dataDir, real))
      return refuse(from, 'Signalbox keeps its own data there')
    const secret = real.split('/').find(isSecretName)
    if (secret !== undefined) return refuse(from, `${secret} may hold secrets`)
    const at = to ?? from
    if (
      !at.startsWith('/') ||
      at.split('/').includes('..') ||
      systemPlaces.some((place) => isWithin(place, at) || isWithin(at, place))
    )
      return refuse(from, `it can't be seen at ${at}`)
    mounts.push({ from: real, to: at, write }, ...(await covered(real, at, scene.blank)))
  }
  return ok(mounts)
}

/** An empty file and an empty directory, which cover others. */
export type Blank = { readonly file: string; readonly directory: string }

const mostLooked = 20_000
const mostDepth = 6

async function covered(root: string, at: string, blank: Blank): Promise<BindMount[]> {
  const mounts: BindMount[] = []
  const waiting = [{ path: root, depth: 0 }]
  let looked = 0
  for (let next = waiting.shift(); next !== undefined && looked < mostLooked; next = waiting.shift()) {
    const entries = await opendir(next.path).catch(() => null)
    if (!entries) continue
    for await (const entry of entries) {
      looked += 1
      const path = join(next.path, entry.name)
      const to = join(at, path.slice(root.length))
      // A link leads to what is inside the container; only what is here itself can be seen.
      if (entry.isSymbolicLink()) continue
      if (isSecretName(entry.name))
        mounts.push({ from: entry.isDirectory() ? blank.directory : blank.file, to, write: false })
      else if (entry.isDirectory() && next.depth < mostDepth) waiting.push({ path, depth: next.depth + 1 })
    }
  }
  return mounts
}

/** The directory that a program of this machine needs: its package, or just itself. */
export async function programFiles(file: string): Promise<string> {
  const real = (await realOrNull(file)) ?? file
  const parts = real.split('/')
  const modules = parts.indexOf('node_modules')
  if (modules > 1) return parts.slice(0, modules + 1).join('/')
  for (let directory = dirname(real); dirname(directory) !== '/' && directory !== '/'; directory = dirname(directory))
    if ((await lstat(join(directory, 'package.json')).catch(() => null))?.isFile() === true) return directory
  return real
}

const refuse = (from: string, why: string): Failed =>
  fail({
    kind: 'invalid',
    code: 'mount_refused',
    message: `${from} can't be mounted in a container: ${why}.`,
    hint: 'Directories that containers can have are listed in config.toml: [containers] mounts.',
  })
