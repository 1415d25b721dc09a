import type { Writable } from 'node:stream'

/** Writes lines, and resolves when the output takes more. */
export function createLineOutput(output: Writable): { write(text: string): Promise<void> } {
  let drained: Promise<void> | null = null
  return {
    async write(text) {
      if (output.destroyed || output.write(`${text}\n`)) return
      // One listener for all waiting writes.
      drained ??= new Promise<void>((resolve) => {
        const done = () => {
          output.off('drain', done)
          output.off('close', done)
          drained = null
          resolve()
        }
        output.on('drain', done)
        output.on('close', done)
      })
      await drained
    },
  }
}
