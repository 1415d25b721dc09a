import { spawnSync } from 'node:child_process'
import { writeSync } from 'node:fs'
import { Socket } from 'node:net'
import { isatty, type ReadStream, type WriteStream } from 'node:tty'

export type Size = { cols: number; rows: number }

/** What the person's own terminal, or whatever stands in its place, tells us. */
export type OwnTerminalEvents = {
  keys(bytes: Buffer): void
  /** There is no more input: a file or a pipe came to its end. */
  end(): void
  resized(size: Size): void
  /** We are told to go, or are cut off. */
  leave(signal: 'SIGHUP' | 'SIGTERM'): void
  /** Ctrl-C and Ctrl-\ where the terminal is not ours to set raw, so that they come as signals. */
  interrupt(signal: 'SIGINT' | 'SIGQUIT'): void
  /** Nobody reads what we write. */
  deaf(): void
}

/** The terminal we were started in. */
export type OwnTerminal = {
  /** Somebody types, rather than a file or a pipe. */
  readonly typed: boolean
  size(): Size
  /** Passes keys as they are until disposed of; then the terminal is as it was. */
  open(heard: OwnTerminalEvents): Disposable
  /** Stops and starts the keys, as the far side has room. */
  pause(): void
  resume(): void
  /** Settles when there is room for more. */
  write(bytes: Uint8Array | string): Promise<void>
  /** At once, whatever else is under way: for what puts the terminal back. */
  writeNow(text: string): void
}

const usualSize = { cols: 80, rows: 24 }

/** Without -opost a bare line feed would gain a carriage return, and full-screen programs would look broken. */
function setRaw(input: ReadStream): void {
  input.setRawMode(true)
  spawnSync('stty', ['-opost'], { stdio: ['inherit', 'ignore', 'ignore'] })
}

export function ownTerminal(io: Pick<NodeJS.Process, 'stdin' | 'stdout' | 'stderr'> = process): OwnTerminal {
  const { stdin, stdout, stderr } = io
  const typed = isatty(stdin.fd)
  const screen: WriteStream | undefined = [stdout, stderr].find((stream) => stream.isTTY)
  const size = (): Size =>
    screen && screen.columns > 0 && screen.rows > 0 ? { cols: screen.columns, rows: screen.rows } : usualSize

  return {
    typed,
    size,
    pause: () => void stdin.pause(),
    resume: () => void stdin.resume(),
    write(bytes) {
      if (stdout.destroyed || stdout.write(bytes)) return Promise.resolve()
      return new Promise((resolve) => {
        const go = () => {
          stdout.off('drain', go)
          stdout.off('close', go)
          resolve()
        }
        stdout.on('drain', go)
        stdout.on('close', go)
      })
    },
    writeNow(text) {
      if (!stdout.isTTY || text === '') return
      try {
        writeSync(stdout.fd, text)
      } catch {
        // Nobody is there to see it.
      }
    },
    open(heard) {
      const bag = new DisposableStack()
      const on = (signal: NodeJS.Signals, listener: () => void) => {
        process.on(signal, listener)
        bag.defer(() => void process.off(signal, listener))
      }
      on('SIGHUP', () => heard.leave('SIGHUP'))
      on('SIGTERM', () => heard.leave('SIGTERM'))
      on('SIGINT', () => heard.interrupt('SIGINT'))
      on('SIGQUIT', () => heard.interrupt('SIGQUIT'))
      if (typed) {
        setRaw(stdin)
        bag.defer(() => void stdin.setRawMode(false))
        // Somebody stopped us from elsewhere: the shell gets its terminal as it was, and we ours when we go on.
        on('SIGTSTP', () => {
          stdin.setRawMode(false)
          process.kill(process.pid, 'SIGSTOP')
        })
        on('SIGCONT', () => {
          setRaw(stdin)
          heard.resized(size())
        })
      }
      const resized = () => heard.resized(size())
      screen?.on('resize', resized)
      bag.defer(() => void screen?.off('resize', resized))
      // Elsewhere a reader that has gone ends us at once; here there is a program to be told first.
      const others = stdout.listeners('error')
      const deaf = () => heard.deaf()
      stdout.removeAllListeners('error').on('error', deaf)
      bag.defer(() => {
        stdout.off('error', deaf)
        for (const other of others) stdout.on('error', (error) => other(error))
      })
      const keys = (bytes: Buffer) => heard.keys(bytes)
      const end = () => heard.end()
      stdin.on('data', keys)
      stdin.on('end', end)
      // A terminal that is gone says so by an error.
      stdin.on('error', end)
      stdin.resume()
      if (stdin instanceof Socket) stdin.ref()
      bag.defer(() => {
        stdin.off('data', keys)
        stdin.off('end', end)
        stdin.off('error', end)
        stdin.pause()
        // A pipe that stays open must not keep us alive.
        if (stdin instanceof Socket) stdin.unref()
      })
      return bag
    },
  }
}
