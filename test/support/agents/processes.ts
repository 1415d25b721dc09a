import { spawnSync } from 'node:child_process'
import { readdirSync, readFileSync } from 'node:fs'

/** Every process whose environment says this is its home, in or out of a sandbox. */
export const processesAtHome = (home: string): number[] => processesWith('environ', `HOME=${home}`)

/** Every process that was started with this word. */
export const processesNaming = (word: string): number[] => processesWith('cmdline', word)

const processesWith = (file: 'environ' | 'cmdline', word: string): number[] =>
  readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name) && wordsIn(`/proc/${name}/${file}`).includes(word))
    .map(Number)

function wordsIn(path: string): string[] {
  try {
    return readFileSync(path, 'utf8').split('\0')
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
