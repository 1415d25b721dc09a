import { realpath } from 'node:fs/promises'
import { basename, dirname, isAbsolute, join, normalize } from 'node:path'

/** Whether `path` is `root` or below it; both absolute and normalized. */
export const isWithin = (root: string, path: string): boolean =>
  path === root || path.startsWith(root === '/' ? root : `${root}/`)

/** The path with all symlinks resolved; null if it does not exist. */
export const realOrNull = (path: string): Promise<string | null> => realpath(path).catch(() => null)

/** The path with symlinks resolved as far as it exists. */
export async function realSoFar(path: string): Promise<string> {
  const real = await realOrNull(path)
  const parent = dirname(path)
  return real ?? (parent === path ? path : join(await realSoFar(parent), basename(path)))
}

/** Whether a path leads through a directory, whose writers can then redirect it. */
export async function leadsThrough(directory: string, path: string): Promise<boolean> {
  if (isWithin(directory, await realSoFar(path))) return true
  const parent = dirname(path)
  return parent !== path && leadsThrough(directory, parent)
}

/** `~/…` and `${VARIABLE:-default}/…` as an absolute path; null if a variable without a default is unset. */
export function expandPath(
  path: string,
  env: Readonly<Record<string, string | undefined>>,
  home: string,
): string | null {
  const variable = /^\$\{(\w+)(?::-([^{}]*))?\}/.exec(path)
  const value = variable === null ? '' : env[variable[1] ?? ''] || variable[2]
  if (value === undefined) return null
  const full = (variable === null ? path : `${value}${path.slice(variable[0].length)}`).replace(
    /^~(?=$|\/)/,
    () => home,
  )
  // Drop a trailing slash.
  return isAbsolute(full) ? normalize(full).replace(/(?<=.)\/$/, '') : null
}
