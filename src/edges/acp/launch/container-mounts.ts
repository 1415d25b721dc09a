import { lstat, opendir } from 'node:fs/promises'
import { dirname, isAbsolute, join, resolve } from 'node:path'
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
    // Engines tidy paths before they mount: "//etc" is /etc.
    if (at !== tidy(at) || systemPlaces.some((place) => isWithin(place, at) || isWithin(at, place)))
      return refuse(from, `it is not visible at ${at}`)
    const hidden = await covered(real, at, scene.blank)
    if (hidden === null) return refuse(from, `it has more than ${mostLooked} files to look through for secrets`)
    mounts.push({ from: real, to: at, write }, ...hidden)
  }
  return ok(mounts)
}

/** An empty file and an empty directory, which cover others. */
export type Blank = { readonly file: string; readonly directory: string }

/** Counting to here takes a few seconds. Beyond it a mount is refused: what nobody looked at may hold secrets. */
const mostLooked = 500_000

const tidy = (path: string): string => (isAbsolute(path) ? resolve(path) : '')

/** Null: there is too much to look at. */
async function covered(root: string, at: string, blank: Blank): Promise<BindMount[] | null> {
  const mounts: BindMount[] = []
  const waiting = [root]
  let looked = 0
  for (let directory = waiting.pop(); directory !== undefined; directory = waiting.pop()) {
    const to = (path: string) => join(at, path.slice(root.length))
    const entries = await opendir(directory).catch(() => null)
    if (!entries) {
      // An agent with the same user could open up again what it closed to hide it from us.
      if (directory !== root) mounts.push({ from: blank.directory, to: to(directory), write: false })
      continue
    }
    for await (const entry of entries) {
      looked += 1
      if (looked > mostLooked) return null
      const path = join(directory, entry.name)
      // A link leads to what is inside the container; only what is here itself can be seen.
      if (entry.isSymbolicLink()) continue
      // A visible socket can be used, even if it is mounted read-only.
      if (isSecretName(entry.name) || entry.isSocket())
        mounts.push({ from: entry.isDirectory() ? blank.directory : blank.file, to: to(path), write: false })
      else if (entry.isDirectory()) waiting.push(path)
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
