import { spawnSync } from 'node:child_process'
import { readdirSync, readFileSync } from 'node:fs'

/** Every process with this home in its environment, in or out of a sandbox. */
export const processesAtHome = (home: string): number[] => processesWith('environ', `HOME=${home}`)

/** Every process started with this argument. */
export const processesNaming = (word: string): number[] => processesWith('cmdline', word)

const processesWith = (file: 'environ' | 'cmdline', word: string): number[] =>
  readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name) && wordsIn(`/proc/${name}/${file}`).includes(word))
    .map(Number)

function wordsIn(path: string): string[] {
  try {
    return readFileSync(path, 'utf8').split('\0')
  } catch {
    // Gone, or owned by another user.
    return []
  }
}

/** Some systems have bubblewrap but forbid it to work. */
export function sandboxWorks(): boolean {
  const { status } = spawnSync('bwrap', ['--unshare-user', '--unshare-pid', '--ro-bind', '/', '/', 'true'])
  return status === 0
}
