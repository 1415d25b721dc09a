import { readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'

const read = (file: string): string => {
  try {
    return readFileSync(file, 'utf8')
  } catch {
    return ''
  }
}

/** Whether a process of this machine is alive; a zombie is not. */
export function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0)
  } catch (error) {
    return error instanceof Error && 'code' in error && error.code === 'EPERM'
  }
  return !/\) Z /.test(read(`/proc/${pid}/stat`))
}

/**
 * The process that holds the lock of a data directory, even after its socket is closed; null if none does, or if the
 * system does not tell.
 */
export function lockHolder(dataDir: string): number | null {
  const file = statSync(join(dataDir, 'run', 'server.lock'), { throwIfNoEntry: false })
  if (!file) return null
  const held = [...read('/proc/locks').matchAll(/ WRITE (\d+) [\da-f]+:[\da-f]+:(\d+) /g)]
  const pid = Number(held.find(([, , inode]) => Number(inode) === file.ino)?.[1] ?? 0)
  return pid > 0 && isAlive(pid) ? pid : null
}
