import { hash as hashOnce } from 'node:crypto'
import { isList, ownJson } from '../../../lib/parse-json.ts'

/** One entry of a directory. Modes are permission bits; `target` is the text of a link. */
export type TreeFile = { kind: 'file'; mode: number; hash: string; size: number }
export type TreeLink = { kind: 'link'; hash: string; target: string }
export type TreeLeaf = TreeFile | TreeLink
export type TreeEntry = TreeLeaf | { kind: 'directory'; hash: string }
type TreeDirectory = ReadonlyMap<string, TreeEntry>

type TreeLine = ['f', string, string, number, string] | ['l', string, string, string] | ['d', string, string]

const byName = ([a]: [string, unknown], [b]: [string, unknown]): number => (a < b ? -1 : a > b ? 1 : 0)

/** One line per entry, sorted by name, so that the same directory always has the same text and hash. */
export const writeDirectory = (directory: TreeDirectory): string =>
  [...directory]
    .sort(byName)
    .map(([name, entry]) => `${JSON.stringify(lineOf(name, entry))}\n`)
    .join('')

function lineOf(name: string, entry: TreeEntry): TreeLine {
  switch (entry.kind) {
    case 'file':
      return ['f', entry.mode.toString(8), entry.hash, entry.size, name]
    case 'link':
      return ['l', entry.hash, entry.target, name]
    case 'directory':
      return ['d', entry.hash, name]
    default:
      return entry satisfies never
  }
}

const isTreeLine = (value: unknown): value is TreeLine => isList(value) && ['f', 'l', 'd'].includes(String(value[0]))

export function readDirectory(text: string): TreeDirectory {
  const entries = new Map<string, TreeEntry>()
  for (const line of text.split('\n')) {
    if (line === '') continue
    // Found by its hash, so it is what we wrote.
    const parsed = ownJson(line, 'A line of a checkpoint', isTreeLine)
    if (parsed[0] === 'f') {
      const [, mode, hash, size, name] = parsed
      entries.set(name, { kind: 'file', mode: Number.parseInt(mode, 8), hash, size })
    } else if (parsed[0] === 'l') entries.set(parsed[3], { kind: 'link', hash: parsed[1], target: parsed[2] })
    else entries.set(parsed[2], { kind: 'directory', hash: parsed[1] })
  }
  return entries
}

export const hashOfText = (text: string): string => hashOnce('sha256', text)

export type TreeObjects = { read(hash: string): string }

export type Difference = {
  /** In both, but with another content, mode or kind; the old state. */
  modified: LeafAtPath[]
  /** Only in the old tree. */
  deleted: LeafAtPath[]
  /** Only in the new tree. */
  added: LeafAtPath[]
}
export type LeafAtPath = { path: string; leaf: TreeLeaf }

/** The difference between two trees. Directories with the same hash are skipped. */
export function differenceOf(objects: TreeObjects, before: string, after: string): Difference {
  const found: Difference = { modified: [], deleted: [], added: [] }
  compareDirectories(objects, { before, after, at: '' }, found)
  for (const list of [found.modified, found.deleted, found.added])
    list.sort((a, b) => (a.path < b.path ? -1 : a.path > b.path ? 1 : 0))
  return found
}

function compareDirectories(
  objects: TreeObjects,
  place: { before: string | null; after: string | null; at: string },
  found: Difference,
): void {
  if (place.before === place.after) return
  const [before, after] = [listed(objects, place.before), listed(objects, place.after)]
  for (const name of new Set([...before.keys(), ...after.keys()])) {
    const path = place.at === '' ? name : `${place.at}/${name}`
    const [was, is] = [before.get(name), after.get(name)]
    compareDirectories(objects, { before: directoryHash(was), after: directoryHash(is), at: path }, found)
    const [leafBefore, leafAfter] = [leafOf(was), leafOf(is)]
    if (leafBefore && leafAfter) {
      if (!isSame(leafBefore, leafAfter)) found.modified.push({ path, leaf: leafBefore })
    } else if (leafBefore) found.deleted.push({ path, leaf: leafBefore })
    else if (leafAfter) found.added.push({ path, leaf: leafAfter })
  }
}

const nothing: TreeDirectory = new Map()
const listed = (objects: TreeObjects, hashed: string | null): TreeDirectory =>
  hashed === null ? nothing : readDirectory(objects.read(hashed))
const directoryHash = (entry: TreeEntry | undefined): string | null => (entry?.kind === 'directory' ? entry.hash : null)
const leafOf = (entry: TreeEntry | undefined): TreeLeaf | undefined =>
  entry === undefined || entry.kind === 'directory' ? undefined : entry

const isSame = (a: TreeLeaf, b: TreeLeaf): boolean =>
  a.hash === b.hash && a.kind === b.kind && (a.kind === 'link' || b.kind === 'link' || a.mode === b.mode)

/** Looks up paths in a tree; each directory is read once. */
export function openTree(objects: TreeObjects, tree: string): (path: string) => TreeEntry | null {
  const known = new Map<string, TreeDirectory>([['', readDirectory(objects.read(tree))]])
  const directoryAt = (path: string): TreeDirectory => {
    const found = known.get(path)
    if (found) return found
    const entry = at(path)
    const directory = entry?.kind === 'directory' ? readDirectory(objects.read(entry.hash)) : nothing
    known.set(path, directory)
    return directory
  }
  const at = (path: string): TreeEntry | null => {
    const slash = path.lastIndexOf('/')
    return directoryAt(path.slice(0, Math.max(0, slash))).get(path.slice(slash + 1)) ?? null
  }
  return at
}
