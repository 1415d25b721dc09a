import { StringDecoder } from 'node:string_decoder'

export type RawInputHandlers = {
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
