import type { Dirent } from 'node:fs'
import { readdir, readlink } from 'node:fs/promises'
import { join } from 'node:path'

const deepest = 5
const mostEntries = 20_000
const mostFound = 200
/** Large directories without settings. */
const skippedNames = new Set(['.git', 'node_modules', '.hg', '.svn', '.jj'])

/** A file or directory that tools obey, by its path in the workspace. `link`: its target, if it is a link. */
export type SettingsFile = { readonly path: string; readonly link: string | null }

/**
 * Settings of policies, agents, editors and hooks in a workspace: all at the top, and those below that a short walk finds,
 * nearest first. A directory includes everything in it.
 */
export async function findSettings(root: string, isSetting: (path: string) => boolean): Promise<SettingsFile[]> {
  const found: SettingsFile[] = []
  let entries = 0
  let level = ['']
  for (let depth = 0; depth < deepest && level.length > 0; depth += 1) {
    const next: string[] = []
    for (const directory of level) {
      const listed = await readdir(join(root, directory), { withFileTypes: true }).catch((): Dirent[] => [])
      for (const entry of listed) {
        entries += 1
        if (depth > 0 && (entries > mostEntries || found.length >= mostFound)) return found
        const path = join(directory, entry.name)
        if (skippedNames.has(entry.name)) continue
        if (isSetting(path)) found.push({ path, link: await linkAt(root, path, entry) })
        else if (entry.isDirectory()) next.push(path)
      }
    }
    level = next
  }
  return found
}

const linkAt = (root: string, path: string, entry: Dirent): Promise<string | null> | null =>
  entry.isSymbolicLink() ? readlink(join(root, path)).catch(() => null) : null
