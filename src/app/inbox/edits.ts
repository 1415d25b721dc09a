import { editStat, type FileStat } from '../../lib/diff-stat.ts'

const mostEdits = 2000
/** So much text is compared line by line; what comes after it is counted roughly. */
const comparedText = 500_000

/** What a tool call of an agent shows that it does to files. */
export function editsShown(content: unknown): FileStat[] {
  if (!Array.isArray(content)) return []
  let compared = 0
  return content.slice(0, mostEdits).flatMap((entry: unknown) => {
    const { type, path, oldText, newText } = (entry ?? {}) as Record<string, unknown>
    if (type !== 'diff' || typeof path !== 'string' || typeof newText !== 'string') return []
    const before = typeof oldText === 'string' ? oldText : null
    const rough = compared > comparedText
    // Even a short one may take all the time it is given.
    compared += Math.max((before?.length ?? 0) + newText.length, comparedText / 100)
    return [editStat(path, before, newText, rough)]
  })
}

/** Files as people name them: from the workspace on, where they are in it. */
export const within = (root: string | null, files: readonly FileStat[]): FileStat[] =>
  files.map(({ path, change, added, removed }) => ({ path: shortPath(root, path), change, added, removed }))

const shortPath = (root: string | null, path: string): string =>
  root !== null && path.startsWith(`${root}/`) ? path.slice(root.length + 1) : path
