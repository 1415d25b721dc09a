import { execFileSync } from 'node:child_process'
import { readdirSync, readFileSync, readlinkSync } from 'node:fs'

/** Whether a session's terminal delivers keys one by one; read from the kernel, not from the server. */
export function isRaw(sessionId: string): boolean | null {
  const mark = `SIGNALBOX_SESSION=${sessionId}`
  const pids = readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .map(Number)
    .toSorted((a, b) => a - b)
  for (const pid of pids) {
    const tty = read(() => readFileSync(`/proc/${pid}/environ`, 'utf8'))
      ?.split('\0')
      .includes(mark)
      ? ownTty(pid)
      : undefined
    if (!tty) continue
    return read(() => execFileSync('stty', ['-F', tty, '-a'], { encoding: 'utf8' }))?.includes('-icanon') ?? null
  }
  return null
}

const ownTty = (pid: number): string | undefined =>
  [0, 1, 2]
    .map((fd) => read(() => readlinkSync(`/proc/${pid}/fd/${fd}`)) ?? '')
    .find((link) => link.startsWith('/dev/pts/'))

function read<T>(look: () => T): T | null {
  try {
    return look()
  } catch {
    return null
  }
}
