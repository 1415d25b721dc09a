import nodePty, { type IPty } from '@lydell/node-pty'
import { execFileSync } from 'node:child_process'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { ServerHarness } from '../acp/harness.ts'
import { hasTmux } from './tmux.ts'

const signalbox = fileURLToPath(new URL('../../dist/signalbox.js', import.meta.url))

/** A way to have a program in a terminal of its own, seen from the terminal that it is started in. */
export type Beside = {
  readonly name: 'ours' | 'tmux' | 'script' | 'bare'
  argv(command: string): [string, ...string[]]
}

/** Ours beside tmux and `script`, and without anything in between; each as a person starts it, its server running. */
export function openBeside(
  harness: ServerHarness,
  folder: string,
): Disposable & { sides: Beside[]; open(side: Beside, command: string): Opened } {
  const [socket, settings] = [join(folder, 'tmux'), join(folder, 'tmux.conf')]
  const tmux = ['tmux', '-S', socket, '-f', settings] as const
  const env = { ...harness.env, NODE_OPTIONS: '', TERM: 'xterm-256color', LANG: 'C.UTF-8' }
  writeFileSync(settings, 'set -g status off\nset -g escape-time 0\n')
  if (hasTmux()) execFileSync(tmux[0], [...tmux.slice(1), 'new-session', '-d', 'exec sleep 3600'], { env })
  let count = 0
  const sides: Beside[] = [
    { name: 'ours', argv: (command) => [process.execPath, signalbox, 'run', '--', 'sh', '-c', command] },
    ...(hasTmux() ? [{ name: 'tmux', argv: (command) => [...tmux, 'new-session', command] } satisfies Beside] : []),
    { name: 'script', argv: (command) => ['script', '-qec', command, '/dev/null'] },
    { name: 'bare', argv: (command) => ['sh', '-c', command] },
  ]
  return {
    sides,
    open(side, command) {
      count += 1
      const pid = join(folder, `pid-${count}`)
      return opened(side.argv(`echo $$ > '${pid}'; ${command}`), { env, cwd: harness.workspace, pid })
    },
    [Symbol.dispose]() {
      if (hasTmux()) execFileSync(tmux[0], [...tmux.slice(1), 'kill-server'], { env })
    },
  }
}

export type Opened = Disposable & {
  readonly startedAt: number
  write(text: string): void
  /** When these words were first on the terminal, after `from` bytes. */
  shows(words: string): Promise<number>
}

type Place = {
  env: Record<string, string>
  cwd: string
  /** The file in which the program writes its id. */ pid: string
}

function opened([file, ...args]: [string, ...string[]], { env, cwd, pid }: Place): Opened {
  const startedAt = performance.now()
  const terminal: IPty = nodePty.spawn(file, args, { cols: 80, rows: 24, env, cwd })
  let tail = ''
  let waiting: { words: string; found: (at: number) => void } | null = null
  const look = () => {
    if (waiting === null || !tail.includes(waiting.words)) return
    const { words, found } = waiting
    tail = tail.slice(tail.indexOf(words) + words.length)
    waiting = null
    found(performance.now())
  }
  terminal.onData((text) => {
    tail = (tail + text).slice(-65_536)
    look()
  })
  return {
    startedAt,
    write: (text) => terminal.write(text),
    shows(words) {
      const { promise, resolve, reject } = Promise.withResolvers<number>()
      const late = setTimeout(
        () => reject(new Error(`${file} did not show ${words} for ${args.join(' ').slice(-120)}: ${tail.slice(-500)}`)),
        60_000,
      )
      waiting = {
        words,
        found(at) {
          clearTimeout(late)
          resolve(at)
        },
      }
      look()
      return promise
    },
    [Symbol.dispose]() {
      terminal.kill('SIGKILL')
      // In tmux and in Signalbox it would keep running.
      try {
        process.kill(Number(readFileSync(pid, 'utf8')), 'SIGKILL')
      } catch (error) {
        if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error
      }
    },
  }
}
