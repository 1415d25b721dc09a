import { closeSync, openSync } from 'node:fs'
import type { StdioOptions } from 'node:child_process'

/**
 * Our ends of terminals: open without the flag that keeps files from children, and nothing in Node can set it. Whoever
 * has one reads and types in another's terminal, and holds it open.
 */
export type PrivateFiles = { add(fd: number): void; remove(fd: number): void; list(): number[] }

function createPrivateFiles(): PrivateFiles {
  const open = new Set<number>()
  return {
    add: (fd) => void open.add(fd),
    remove: (fd) => void open.delete(fd),
    list: () => [...open],
  }
}

/** Those of this process. */
export const privateFiles = createPrivateFiles()

/** Standard streams as pipes, with nothing behind the numbers of private files; to be disposed of after the start. */
export function pipesOnly(files: readonly number[]): Disposable & { stdio: StdioOptions } {
  const stdio: (number | 'pipe' | 'ignore')[] = ['pipe', 'pipe', 'pipe']
  if (files.length === 0) return { stdio, [Symbol.dispose]() {} }
  const nothing = openSync('/dev/null', 'r')
  for (let fd = 3; fd <= Math.max(...files); fd += 1) stdio[fd] = files.includes(fd) ? nothing : 'ignore'
  return { stdio, [Symbol.dispose]: () => closeSync(nothing) }
}
