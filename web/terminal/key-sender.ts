/** The most keys one request takes. */
const mostAtOnce = 100

export type KeySender = { press(keys: readonly string[]): void; stop(): void }

/** Sends keys in order, one request at a time. Keys pressed meanwhile go with the next request. */
export function createKeySender(
  send: (keys: string[]) => Promise<unknown>,
  failed: (error: unknown) => void,
): KeySender {
  let waiting: string[] = []
  let isSending = false
  const run = async () => {
    if (isSending) return
    isSending = true
    try {
      while (waiting.length > 0) await send(waiting.splice(0, mostAtOnce))
    } catch (error) {
      // Drop later keys: they were meant for a screen that never came.
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
