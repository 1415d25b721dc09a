import { lstat } from 'node:fs/promises'
import { join } from 'node:path'

/** Whether a relative path leads through no link, so that what a pattern says of it is true of the file itself. */
export async function isPlainWay(root: string, path: string): Promise<boolean> {
  let at = root
  for (const name of path.split('/')) {
    at = join(at, name)
    try {
      const stats = await lstat(at)
      // A second name of a file may lie anywhere, also among files that are never automatic.
      if (stats.isSymbolicLink() || (stats.isFile() && stats.nlink > 1)) return false
    } catch (error) {
      // What is not there yet leads nowhere else.
      return error instanceof Error && 'code' in error && error.code === 'ENOENT'
    }
  }
  return true
}
