import { spawn } from '@lydell/node-pty'
import { tmpdir } from 'node:os'

/** A program in a terminal, without the keeper. */
export type InPty = Disposable & {
  readonly pid: number
  readonly tty: string
  text(): string
  type(text: string): void
}

export function inPty(argv: readonly [string, ...string[]], env: Record<string, string> = {}): InPty {
  const [file, ...args] = argv
  const pty = spawn(file, args, {
    cols: 80,
    rows: 24,
    cwd: tmpdir(),
    env: { PATH: process.env['PATH'] ?? '/usr/bin:/bin', TERM: 'xterm-256color', LC_ALL: 'C', ...env },
  })
  let text = ''
  pty.onData((piece) => (text += piece))
  return {
    pid: pty.pid,
    tty: 'ptsName' in pty ? String(pty.ptsName) : '',
    text: () => text,
    type: (typed) => pty.write(typed),
    [Symbol.dispose]() {
      try {
        pty.kill('SIGKILL')
      } catch {
        // It has already ended.
      }
    },
  }
}
