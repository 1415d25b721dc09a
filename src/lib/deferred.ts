/** A bell that can be rung again and again: whoever waits hears the next ring. */
export function bell() {
  let current = Promise.withResolvers<void>()
  return {
    ring() {
      current.resolve()
      current = Promise.withResolvers<void>()
    },
    next: () => current.promise,
  }
}
