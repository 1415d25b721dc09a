import { spawnSync } from 'node:child_process'
import { readdirSync, readFileSync } from 'node:fs'

/** Every process whose environment says this is its home, in or out of a sandbox. */
export function processesAtHome(home: string): number[] {
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .filter((pid) => environmentOf(pid).includes(`HOME=${home}`))
    .map(Number)
}

function environmentOf(pid: string): string[] {
  try {
    return readFileSync(`/proc/${pid}/environ`, 'utf8').split('\0')
  } catch {
    // Gone, or another user's.
    return []
  }
}

/** Some systems have bubblewrap and forbid it to work. */
export function sandboxWorks(): boolean {
  const { status } = spawnSync('bwrap', ['--unshare-user', '--unshare-pid', '--ro-bind', '/', '/', 'true'])
  return status === 0
}
