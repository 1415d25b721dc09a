/** Time is a parameter: tests pass a clock that they control. */
export type Clock = {
  now(): number
  /** Calls back once, at or after the time. Disposing it first cancels the call. */
  at(time: number, callback: () => void): Disposable
}

const longest = 2 ** 31 - 1

export const systemClock: Clock = {
  now: Date.now,
  at(time, callback) {
    let timer: NodeJS.Timeout
    const arm = () => {
      const left = time - Date.now()
      // setTimeout fires at once for delays above its maximum, so distant deadlines are reached in steps.
      timer = left > longest ? setTimeout(arm, longest) : setTimeout(callback, Math.max(0, left))
    }
    arm()
    return { [Symbol.dispose]: () => clearTimeout(timer) }
  },
}

export const iso = (time: number): string => new Date(time).toISOString()
