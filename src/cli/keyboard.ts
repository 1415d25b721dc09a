import type { ReadStream } from 'node:tty'
import { setTimeout as delay } from 'node:timers/promises'
import { StringDecoder } from 'node:string_decoder'

export type QuestionOptions = {
  signal: AbortSignal
  /** Text typed earlier, before the question was interrupted. */
  typed?: string
  /** Ignore keys typed before the question was shown. */
  fresh?: boolean
}

/** A person at a terminal. */
export type Keyboard = {
  /** A line, or null at end of input (Ctrl-D); `typed` is the text present when the signal came. */
  ask(question: string, asked: QuestionOptions): Promise<{ line: string | null; typed: string }>
  /** Reads keys while nothing is asked, without echo; `stop` returns the unfinished line. */
  listen(heard: Pick<RawInputHandlers, 'line' | 'leave'>, typed: string): KeyListener
}
export type KeyListener = { stop(): string }

/** Ctrl-C, as a signal and as a key during a question. */
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
      // Loaded on demand: most commands ask nothing.
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
      // In raw mode the terminal sends no signals.
      const suspend = () => {
        input.setRawMode(false)
        process.once('SIGCONT', again)
        process.kill(process.pid, 'SIGTSTP')
      }
      const typing = createRawInput({ ...heard, press, suspend }, typed)
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

/** Keys pressed before a question must not answer it. */
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

type RawInputHandlers = {
  /** A whole line. */
  line(text: string): void
  /** Ctrl-D. */
  leave(): void
  /** Ctrl-C. */
  press(): void
  /** Ctrl-Z. */
  suspend(): void
}

const escape = '\\u001b'
/** Arrow keys and similar. */
const escapes = new RegExp(`${escape}(?:\\[[0-?]*[ -/]*[@-~]|O.|.)?`, 'gsu')
const keys = {
  interrupt: '\u0003',
  end: '\u0004',
  suspend: '\u001a',
  erase: '\u007f',
  back: '\b',
  word: '\u0017',
  line: '\u0015',
}

/** Collects typed keys into lines, without echo. */
export function createRawInput(
  heard: RawInputHandlers,
  typed = '',
): { push(bytes: Buffer): void; readonly typed: string } {
  const decoder = new StringDecoder('utf8')
  let line = typed
  return {
    push(bytes) {
      for (const key of decoder.write(bytes).replaceAll(escapes, '')) {
        if (key === '\r' || key === '\n') {
          const whole = line.trim()
          line = ''
          if (whole !== '') heard.line(whole)
        } else if (key === keys.interrupt) heard.press()
        else if (key === keys.end) heard.leave()
        else if (key === keys.suspend) heard.suspend()
        else if (key === keys.erase || key === keys.back) line = line.replace(/[^\p{M}]\p{M}*$/u, '')
        else if (key === keys.word) line = line.replace(/\S*\s*$/, '')
        else if (key === keys.line) line = ''
        else if (key >= ' ' || key === '\t') line += key
      }
    },
    get typed() {
      return line
    },
  }
}
