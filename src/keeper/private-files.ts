import { closeSync, openSync } from 'node:fs'
import type { StdioOptions } from 'node:child_process'

/**
 * Our ends of terminals. They are open without close-on-exec, and Node can't set it. A child that inherited one could
 * read and type in another terminal, and would hold it open.
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

/** Pipes as standard streams, and nothing behind the numbers of private files. Dispose of it after the start. */
export function pipesOnly(files: readonly number[]): Disposable & { stdio: StdioOptions } {
  const stdio: (number | 'pipe' | 'ignore')[] = ['pipe', 'pipe', 'pipe']
  if (files.length === 0) return { stdio, [Symbol.dispose]() {} }
  const nothing = openSync('/dev/null', 'r')
  for (let fd = 3; fd <= Math.max(...files); fd += 1) stdio[fd] = files.includes(fd) ? nothing : 'ignore'
  return { stdio, [Symbol.dispose]: () => closeSync(nothing) }
}
