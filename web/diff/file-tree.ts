import type { DiffFile } from './diff-model.ts'

export type ListedFile = { file: DiffFile; index: number }
/** A directory of a diff; one that holds nothing but another is joined with it. */
export type FileTree = { name: string; dirs: FileTree[]; files: (ListedFile & { name: string })[] }

/** The files of a diff by directory, in the order they come. */
export function treeOf(files: readonly ListedFile[]): FileTree {
  const root: FileTree = { name: '', dirs: [], files: [] }
  for (const one of files) {
    const parts = one.file.path.split('/')
    const name = parts.pop() ?? ''
    let at = root
    for (const part of parts) {
      let next = at.dirs.find((dir) => dir.name === part)
      if (!next) at.dirs.push((next = { name: part, dirs: [], files: [] }))
      at = next
    }
    at.files.push({ ...one, name })
  }
  return joined(root)
}

function joined(tree: FileTree): FileTree {
  const dirs = tree.dirs.map(joined)
  const [only] = dirs
  if (tree.name !== '' && only && dirs.length === 1 && tree.files.length === 0)
    return { ...only, name: `${tree.name}/${only.name}` }
  return { ...tree, dirs }
}

export const countIn = ({ dirs, files }: FileTree): number =>
  dirs.reduce((sum, dir) => sum + countIn(dir), files.length)
