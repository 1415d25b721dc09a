import type { Writable } from 'node:stream'

/** Lines out, one at a time; resolves when there is room for more, so that whoever reads for us reads no faster. */
export function createLineOutput(output: Writable): { write(text: string): Promise<void> } {
  let drained: Promise<void> | null = null
  return {
    async write(text) {
      if (output.destroyed || output.write(`${text}\n`)) return
      // One listener for all who wait.
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
