import { readDirectory, type LeafAtPath, type TreeObjects } from './tree.ts'

export type TreePage = { files: LeafAtPath[]; more: boolean }

/**
 * The files of a tree after a path, in the order of a walk: name by name, a directory with all that is in it. Only the
 * directories of this page are read.
 */
export function pageOfTree(
  objects: TreeObjects,
  tree: string,
  page: { after: string | null; limit: number },
): TreePage {
  const files: LeafAtPath[] = []

  /** False once the page is full. `after`: what is left of the path to skip to. */
  function walk(hash: string, at: string, after: readonly string[]): boolean {
    const [from, ...inside] = after
    for (const [name, entry] of readDirectory(objects.read(hash))) {
      if (from !== undefined && name < from) continue
      const path = at === '' ? name : `${at}/${name}`
      if (entry.kind === 'directory') {
        if (!walk(entry.hash, path, name === from ? inside : [])) return false
        continue
      }
      if (name === from) continue
      if (files.length > page.limit) return false
      files.push({ path, leaf: entry })
    }
    return true
  }

  walk(tree, '', page.after === null ? [] : page.after.split('/'))
  const more = files.length > page.limit
  return { files: files.slice(0, page.limit), more }
}
