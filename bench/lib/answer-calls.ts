/** The child's side of `startChild`. */
export const settings = <T>(): T => JSON.parse(process.argv[2] ?? 'null') as T

type Handlers = Readonly<Record<string, (input: never) => unknown>>

export function answerCalls(handlers: Handlers): void {
  process.on('message', ({ name, input }: { name: string; input: never }) => {
    void (async () => {
      try {
        process.send?.({ value: await handlers[name]?.(input) })
      } catch (error) {
        process.send?.({ error: error instanceof Error ? (error.stack ?? error.message) : String(error) })
      }
    })()
  })
  // The parent is gone.
  process.on('disconnect', () => process.exit())
  process.send?.({ value: 'ready' })
}
