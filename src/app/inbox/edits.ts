import { editStat, type FileStat } from '../../lib/diff-stat.ts'

/** What a tool call of an agent shows that it does to files. */
export function editsShown(content: unknown): FileStat[] {
  if (!Array.isArray(content)) return []
  return content.flatMap((entry: unknown) => {
    const { type, path, oldText, newText } = (entry ?? {}) as Record<string, unknown>
    return type === 'diff' && typeof path === 'string' && typeof newText === 'string'
      ? [editStat(path, typeof oldText === 'string' ? oldText : null, newText)]
      : []
  })
}

/** Files as people name them: from the workspace on, where they are in it. */
export const within = (root: string | null, files: readonly FileStat[]): FileStat[] =>
  files.map(({ path, change, added, removed }) => ({ path: shortPath(root, path), change, added, removed }))

const shortPath = (root: string | null, path: string): string =>
  root !== null && path.startsWith(`${root}/`) ? path.slice(root.length + 1) : path
