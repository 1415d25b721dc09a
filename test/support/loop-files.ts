import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'

export type Tree = Readonly<Record<string, string>>

const steady = ['a.txt', 'sub/b.txt', 'c/d/e.txt', 'f.txt'] as const

/** All files of a workspace in its n-th state. From one to the next, four files change, one is created and one is deleted. */
export function treeOf(workspace: string, version: number): Tree {
  const words = `${workspace}\nversion ${version}\nend\n`
  return Object.fromEntries([...steady, `made/${version}.txt`].map((path) => [path, `${path} of ${words}`]))
}

/** Fits only the previous state: applied twice it would be refused. */
export function diffTo(workspace: string, version: number): string {
  const before = treeOf(workspace, version - 1)
  const after = treeOf(workspace, version)
  const paths = [...new Set([...Object.keys(before), ...Object.keys(after)])]
  return paths.map((path) => section(path, before[path], after[path])).join('')
}

function section(path: string, before: string | undefined, after: string | undefined): string {
  const lines = (text: string | undefined, sign: string) => linesOf(text).map((line) => `${sign}${line}\n`)
  const range = (text: string | undefined) => (text === undefined ? '0,0' : `1,${linesOf(text).length}`)
  const name = (text: string | undefined, side: string) => (text === undefined ? '/dev/null' : `${side}/${path}`)
  const head = `--- ${name(before, 'a')}\n+++ ${name(after, 'b')}\n@@ -${range(before)} +${range(after)} @@\n`
  return head + [...lines(before, '-'), ...lines(after, '+')].join('')
}

const linesOf = (text: string | undefined): string[] => (text === undefined ? [] : text.split('\n').slice(0, -1))

export function writeTree(root: string, tree: Tree): void {
  for (const [path, text] of Object.entries(tree)) {
    mkdirSync(dirname(join(root, path)), { recursive: true })
    writeFileSync(join(root, path), text)
  }
}

/** Every existing file, including unexpected ones. */
export function readTree(root: string): Tree {
  const files = readdirSync(root, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile())
  const paths = files.map(({ parentPath, name }) => join(parentPath, name)).toSorted()
  return Object.fromEntries(paths.map((path) => [path.slice(root.length + 1), textOf(path)]))
}

/** While the server writes, a file may be gone again. */
function textOf(path: string): string {
  try {
    return readFileSync(path, 'utf8')
  } catch {
    return 'gone meanwhile'
  }
}

/** How a workspace differs from an expected state; null if it does not. */
export function differs(root: string, wanted: Tree): string | null {
  const found = readTree(root)
  const paths = [...new Set([...Object.keys(found), ...Object.keys(wanted)])]
  const wrong = paths.filter((path) => found[path] !== wanted[path])
  return wrong.length === 0 ? null : wrong.map((path) => `${path}: ${JSON.stringify(found[path] ?? null)}`).join('; ')
}
