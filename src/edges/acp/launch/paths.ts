import { realpath } from 'node:fs/promises'
import { basename, dirname, isAbsolute, join, normalize } from 'node:path'

/** Whether `path` is `root` or lies below it; both absolute and in normal form. */
export const isWithin = (root: string, path: string): boolean =>
  path === root || path.startsWith(root === '/' ? root : `${root}/`)

/** The path with all links resolved; null where it is not there. */
export const realOrNull = (path: string): Promise<string | null> => realpath(path).catch(() => null)

/** The path as it will be once it is made: links resolved as far as it is there. */
export async function realSoFar(path: string): Promise<string> {
  const real = await realOrNull(path)
  const parent = dirname(path)
  return real ?? (parent === path ? path : join(await realSoFar(parent), basename(path)))
}

/** Whether a path leads through a directory: whoever may write there decides where it ends. */
export async function leadsThrough(directory: string, path: string): Promise<boolean> {
  if (isWithin(directory, await realSoFar(path))) return true
  const parent = dirname(path)
  return parent !== path && leadsThrough(directory, parent)
}

/** `~/…` and `${VARIABLE:-default}/…` as an absolute path; null where a variable without a default is not set. */
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
  // The end of a directory's name makes no difference.
  return isAbsolute(full) ? normalize(full).replace(/(?<=.)\/$/, '') : null
}
