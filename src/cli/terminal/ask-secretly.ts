import { StringDecoder } from 'node:string_decoder'

/** Asks for a line without echo; null if the person pressed Ctrl-C or Ctrl-D. */
export function askSecretly(question: string): Promise<string | null> {
  const { stdin, stderr } = process
  return new Promise((resolve) => {
    const line = createSecretLine()
    const push = (bytes: Buffer) => {
      const secret = line.push(bytes)
      if (secret === undefined) return
      stdin.off('data', push)
      stdin.setRawMode(false)
      stdin.pause()
      stderr.write('\n')
      resolve(secret)
    }
    stderr.write(question)
    stdin.setRawMode(true)
    stdin.on('data', push)
    stdin.resume()
  })
}

const keys = { interrupt: '\u0003', end: '\u0004', erase: '\u007f', back: '\b', line: '\u0015' }

/** A line typed without echo, exactly as typed: blanks count. Undefined while it is incomplete, null if it was given up. */
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
