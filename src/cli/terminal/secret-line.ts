import { StringDecoder } from 'node:string_decoder'

const keys = { interrupt: '\u0003', end: '\u0004', erase: '\u007f', back: '\b', line: '\u0015' }

/** A line that is typed unseen, kept as it is typed: blanks count. Undefined while it goes on, null where it was given up. */
export function createSecretLine(): { push(bytes: Buffer): string | null | undefined } {
  const decoder = new StringDecoder('utf8')
  let line: string[] = []
  return {
    push(bytes) {
      for (const key of decoder.write(bytes)) {
        if (key === '\r' || key === '\n') return line.join('')
        if (key === keys.interrupt || (key === keys.end && line.length === 0)) return null
        if (key === keys.end) return line.join('')
        if (key === keys.erase || key === keys.back) line.pop()
        else if (key === keys.line) line = []
        else line.push(key)
      }
      return undefined
    },
  }
}
