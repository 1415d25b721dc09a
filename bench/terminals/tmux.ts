import { execFileSync } from 'node:child_process'
import { readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Gate } from './gate.ts'

export function hasTmux(): boolean {
  try {
    execFileSync('tmux', ['-V'], { stdio: 'ignore' })
    return true
  } catch {
    return false
  }
}

/** Milliseconds from the first to the last byte in the file that `pipe-pane` writes. */
export async function pipePane(folder: string, round: number, gate: Gate, command: string, wanted: Buffer) {
  const socket = join(folder, `tmux-${round}`)
  const out = join(folder, `piped-${round}`)
  const tmux = (...args: string[]) => execFileSync('tmux', ['-S', socket, '-f', '/dev/null', ...args])
  tmux('new-session', '-d', '-x', '80', '-y', '24', ...gate.behind(`${command}; sleep 60`))
  try {
    tmux('pipe-pane', `cat > '${out}'`)
    const size = () => statSync(out, { throwIfNoEntry: false })?.size ?? 0
    await gate.open()
    let firstAt = 0
    for (let now = size(); now < wanted.length; now = size()) {
      if (now > 0 && firstAt === 0) firstAt = performance.now()
      await sleep(1)
    }
    const ms = performance.now() - firstAt
    if (!readFileSync(out).equals(wanted)) throw new Error('tmux did not write what was printed')
    return ms
  } finally {
    tmux('kill-server')
  }
}
