import { createSecretLine } from './secret-line.ts'

/** A line from the keyboard that nobody sees; null where they would rather not (Ctrl-C, Ctrl-D). */
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
