import type { ReadStream } from 'node:tty'
import { setTimeout as delay } from 'node:timers/promises'
import { createTyping, type Heard } from './typing.ts'

export type Asked = {
  signal: AbortSignal
  /** Words that were typed before and taken away. */
  typed?: string
  /** What was typed before the question stood there is no answer to it. */
  fresh?: boolean
}

/** Somebody at a terminal. */
export type Keyboard = {
  /** A line, or null where they end the input (Ctrl-D); `typed` is what stood there when the signal took it away. */
  ask(question: string, asked: Asked): Promise<{ line: string | null; typed: string }>
  /** Hears what is typed while nothing is asked, without showing it; `stop` gives what was not a whole line yet. */
  listen(heard: Pick<Heard, 'line' | 'leave'>, typed: string): Listening
}
export type Listening = { stop(): string }

/** Ctrl-C, as the process hears it and as the keyboard does while a question stands. */
export type Interrupts = { press(): void; on(listener: () => void): Disposable }

export function createInterrupts(): Interrupts {
  const listeners = new Set<() => void>()
  const press = () => {
    for (const listener of listeners) listener()
  }
  return {
    press,
    on(listener) {
      if (listeners.size === 0) process.on('SIGINT', press)
      listeners.add(listener)
      return {
        [Symbol.dispose]() {
          listeners.delete(listener)
          if (listeners.size === 0) process.off('SIGINT', press)
        },
      }
    },
  }
}

const stale = 30

export function terminalKeyboard(input: ReadStream, output: NodeJS.WritableStream, press: () => void): Keyboard {
  return {
    async ask(question, { signal, typed = '', fresh = false }) {
      if (signal.aborted) return { line: null, typed }
      if (fresh) await forgetTyped(input)
      // Loaded when somebody is asked: most commands ask nothing.
      const { createInterface } = await import('node:readline/promises')
      const lines = createInterface({ input, output, terminal: true, historySize: 0 })
      lines.on('SIGINT', press)
      const ended = new Promise<null>((resolve) => void lines.once('close', () => resolve(null)))
      try {
        const answer = lines.question(question, { signal })
        if (typed !== '') lines.write(typed)
        const line = await Promise.race([answer, ended])
        if (line === null) output.write('\n')
        return { line, typed: '' }
      } catch (error) {
        if (!signal.aborted) throw error
        output.write('\n')
        return { line: null, typed: lines.line }
      } finally {
        lines.close()
      }
    },
    listen(heard, typed) {
      const again = () => void input.setRawMode(true)
      // In raw mode the terminal sends no signals by itself.
      const suspend = () => {
        input.setRawMode(false)
        process.once('SIGCONT', again)
        process.kill(process.pid, 'SIGTSTP')
      }
      const typing = createTyping({ ...heard, press, suspend }, typed)
      const push = (bytes: Buffer) => typing.push(bytes)
      input.setRawMode(true)
      input.on('data', push)
      input.resume()
      return {
        stop() {
          input.pause()
          input.off('data', push)
          process.off('SIGCONT', again)
          input.setRawMode(false)
          return typing.typed
        },
      }
    },
  }
}

/** Keys that were pressed before a question was asked must not answer it. */
async function forgetTyped(input: ReadStream): Promise<void> {
  const forget = () => {}
  input.setRawMode(true)
  input.on('data', forget)
  input.resume()
  await delay(stale)
  input.pause()
  input.off('data', forget)
  input.setRawMode(false)
}
