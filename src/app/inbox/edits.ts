import { editStat, type FileStat } from '../../lib/diff-stat.ts'

const mostEdits = 2000
/** This much text is compared line by line; the rest is counted roughly. */
const comparedText = 500_000

/** The file edits that an agent's tool call shows. */
export function editsShown(content: unknown): FileStat[] {
  if (!Array.isArray(content)) return []
  let compared = 0
  return content.slice(0, mostEdits).flatMap((entry: unknown) => {
    const { type, path, oldText, newText } = (entry ?? {}) as Record<string, unknown>
    if (type !== 'diff' || typeof path !== 'string' || typeof newText !== 'string') return []
    const before = typeof oldText === 'string' ? oldText : null
    const rough = compared > comparedText
    // Even a short comparison may use its whole time limit.
    compared += Math.max((before?.length ?? 0) + newText.length, comparedText / 100)
    return [editStat(path, before, newText, rough)]
  })
}

/** Paths as people write them: relative to the workspace if they are in it. */
export const within = (root: string | null, files: readonly FileStat[]): FileStat[] =>
  files.map(({ path, change, added, removed }) => ({ path: shortPath(root, path), change, added, removed }))

const shortPath = (root: string | null, path: string): string =>
  root !== null && path.startsWith(`${root}/`) ? path.slice(root.length + 1) : path
