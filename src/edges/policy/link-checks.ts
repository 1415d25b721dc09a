import { lstat, realpath } from 'node:fs/promises'
import { join, relative, sep } from 'node:path'
import { protectedPart } from '../../lib/protected-files.ts'

/** Whether a relative path has no link in it, so that a pattern that matches it is about that file. */
export async function hasNoLink(root: string, path: string): Promise<boolean> {
  let at = root
  for (const name of path.split('/')) {
    at = join(at, name)
    try {
      const stats = await lstat(at)
      // A hard link may be another name of a protected file.
      if (stats.isSymbolicLink() || (stats.isFile() && stats.nlink > 1)) return false
    } catch (error) {
      // A path that does not exist yet leads nowhere else.
      return isMissing(error)
    }
  }
  return true
}

const mostPaths = 256

/**
 * Whether no word of a command names a link out of the workspace or to a protected file. Words are tried as paths, and
 * so are their parts: `--out=link`, `-olink`, `a,link`.
 */
export async function staysInside(root: string, words: readonly string[]): Promise<boolean> {
  const paths = new Set(words.flatMap((word) => pathsIn(word, root)))
  if (paths.size > mostPaths) return false
  const real = await realpath(root).catch(() => root)
  for (const path of paths) if (!(await leadsInside(root, real, path))) return false
  return true
}

function pathsIn(word: string, root: string): string[] {
  const parts = [word, ...word.split(/[=,:]/), word.replace(/^--?[A-Za-z]/, ''), word.replace(/^@/, '')]
  return parts.flatMap((part) => {
    const path = part.startsWith(`${root}/`) ? part.slice(root.length + 1) : part
    // Other absolute paths are plainly outside, and a person registered them.
    return path === '' || path.startsWith('/') || path.startsWith('-') || path.length > 4096 ? [] : [path]
  })
}

async function leadsInside(root: string, real: string, path: string): Promise<boolean> {
  let [at, viaLink] = [root, false]
  for (const name of path.split('/')) {
    at = join(at, name)
    try {
      const stats = await lstat(at)
      viaLink ||= stats.isSymbolicLink()
      // Package managers hard-link installed files to their store.
      if (stats.isFile() && stats.nlink > 1 && !path.split('/').includes('node_modules')) return false
    } catch (error) {
      if (!isMissing(error)) return false
      break
    }
  }
  if (!viaLink) return true
  const target = await realpath(join(root, path)).catch(() => null)
  // A dangling link may point anywhere.
  if (target === null) return false
  const inside = relative(real, target)
  const isInside = inside !== '..' && !inside.startsWith(`..${sep}`) && !inside.startsWith(sep)
  return isInside && protectedPart(inside) === null
}

const isMissing = (error: unknown): boolean =>
  error instanceof Error && 'code' in error && (error.code === 'ENOENT' || error.code === 'ENOTDIR')
