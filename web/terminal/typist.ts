/** As many keys as one request takes. */
const mostAtOnce = 100

export type Typist = { press(keys: readonly string[]): void; stop(): void }

/** Sends keys in the order they were pressed, one request at a time; what is pressed meanwhile goes with the next one. */
export function createTypist(send: (keys: string[]) => Promise<unknown>, failed: (error: unknown) => void): Typist {
  let waiting: string[] = []
  let isSending = false
  const run = async () => {
    if (isSending) return
    isSending = true
    try {
      while (waiting.length > 0) await send(waiting.splice(0, mostAtOnce))
    } catch (error) {
      // What was pressed after it was meant for a screen that never came.
      waiting = []
      failed(error)
    } finally {
      isSending = false
    }
  }
  return {
    press(keys) {
      waiting.push(...keys)
      void run()
    },
    stop() {
      waiting = []
    },
  }
}
