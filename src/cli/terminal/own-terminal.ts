import { accessSync, constants, readlinkSync, writeSync } from 'node:fs'
import { Socket } from 'node:net'
import { isatty, type ReadStream, type WriteStream } from 'node:tty'

export type Size = { cols: number; rows: number }

/** Events from our own terminal, or from a pipe or file in its place. */
export type OwnTerminalEvents = {
  keys(bytes: Buffer): void
  /** End of input: a file or a pipe has ended. */
  end(): void
  resized(size: Size): void
  /** We are asked to stop, or the connection is gone. */
  leave(signal: 'SIGHUP' | 'SIGTERM'): void
  /** Ctrl-C and Ctrl-\ as signals, if the terminal is not in raw mode. */
  interrupt(signal: 'SIGINT' | 'SIGQUIT'): void
  /** The reader of our output is gone. */
  deaf(): void
}

/** The terminal we were started in. */
export type OwnTerminal = {
  /** Input comes from a keyboard, not from a file or a pipe. */
  readonly typed: boolean
  size(): Size
  /** How the keeper makes another like it; empty without one. Ask before it is opened. */
  likeness(): Promise<{ like?: string; modes?: string }>
  /** Passes raw keys until disposed; then the terminal is restored. */
  open(heard: OwnTerminalEvents): Disposable
  /** Pauses and resumes input, depending on the room at the other end. */
  pause(): void
  resume(): void
  /** Settles when there is room for more. */
  write(bytes: Uint8Array | string): Promise<void>
  /** Resolves when it is raw. Wait for that before it is restored. */
  ready(): Promise<void>
  /** Immediately, ahead of other output: to restore the terminal. */
  writeNow(text: string): void
}

const usualSize = { cols: 80, rows: 24 }

/**
 * Without -opost a bare line feed would gain a carriage return, and full-screen programs would look broken. Resolves when
 * it is so; keys are raw at once.
 */
async function setRaw(input: ReadStream, plainOutput: PlainOutput): Promise<void> {
  input.setRawMode(true)
  const path = pathOf(0)
  if (path !== null && (await plainOutput(path))) return
  await (await import('./stty-here.ts')).sttyHere('-opost')
}

/** The keeper may use it for us only if its user, who is ours, may open it. */
function pathOf(fd: number): string | null {
  try {
    const path = readlinkSync(`/proc/self/fd/${fd}`)
    accessSync(path, constants.R_OK | constants.W_OK)
    return path.startsWith('/dev/') ? path : null
  } catch {
    return null
  }
}

/** Sets a terminal to pass output unchanged; false if it can't. */
type PlainOutput = (tty: string) => Promise<boolean>

export function ownTerminal(plainOutput: PlainOutput = async () => false): OwnTerminal {
  const { stdin, stdout } = process
  const typed = isatty(0)
  const screen: WriteStream | undefined = stdout.isTTY ? stdout : isatty(2) ? process.stderr : undefined
  const size = (): Size =>
    screen && screen.columns > 0 && screen.rows > 0 ? { cols: screen.columns, rows: screen.rows } : usualSize

  let raw: Promise<void> | null = null
  const makeRaw = () => {
    const setting = setRaw(stdin, plainOutput).then(() => {
      if (raw === setting) raw = null
    })
    raw = setting
  }
  const shown = (bytes: Uint8Array | string): Promise<void> => {
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
  }

  return {
    typed,
    size,
    async likeness() {
      const path = typed ? pathOf(0) : null
      if (!typed || path !== null) return path === null ? {} : { like: path }
      const modes = await (await import('./stty-here.ts')).sttyHere('-g')
      return modes === '' ? {} : { modes }
    },
    async ready() {
      await raw
    },
    pause: () => void stdin.pause(),
    resume: () => void stdin.resume(),
    write: (bytes) => (raw === null ? shown(bytes) : raw.then(() => shown(bytes))),
    writeNow(text) {
      if (!stdout.isTTY || text === '') return
      try {
        writeSync(stdout.fd, text)
      } catch {
        // The terminal is gone.
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
        makeRaw()
        bag.defer(() => void stdin.setRawMode(false))
        // Stopped by a signal: restore the terminal for the shell, and set it raw again when we continue.
        on('SIGTSTP', () => {
          stdin.setRawMode(false)
          process.kill(process.pid, 'SIGSTOP')
        })
        on('SIGCONT', () => {
          makeRaw()
          heard.resized(size())
        })
      }
      const resized = () => heard.resized(size())
      screen?.on('resize', resized)
      bag.defer(() => void screen?.off('resize', resized))
      // Usually a lost reader ends us at once; here the program has to be told first.
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
      // A lost terminal reports an error.
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
