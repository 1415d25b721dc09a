/** Keeps a program from running ahead of its readers: a slow reader slows it down, one that reads nothing does not. */
export type Backpressure = {
  join(reader: Reader): FlowMember
  /** A reader is too far behind: the program is not read. */
  isHeld(): boolean
  /** The program printed more. */
  moved(): void
  /** What every reader has taken; infinity if there are no readers. */
  taken(): number
}

export type Reader = {
  from: number
  /** How many bytes it may be behind. */
  lag: number
  /** How long it may block the program without reading anything. */
  patienceMs: number
  /** Its patience is over: the program does not wait for it until it has caught up. */
  stuck(): void
}

export type FlowMember = { taken(offset: number): void; leave(): void }

type FlowState = Reader & { timer: NodeJS.Timeout | undefined; isStuck: boolean }

export function createBackpressure(deps: { to: () => number; changed(): void }): Backpressure {
  const members = new Set<FlowState>()
  const lags = (one: FlowState) => !one.isStuck && deps.to() - one.from > one.lag

  function look(one: FlowState): void {
    if (!lags(one)) {
      clearTimeout(one.timer)
      one.timer = undefined
      return
    }
    one.timer ??= setTimeout(() => {
      one.timer = undefined
      one.isStuck = true
      one.stuck()
      deps.changed()
    }, one.patienceMs)
  }

  return {
    join(reader) {
      // A late reader catches up first; the program does not wait for that.
      const one: FlowState = { ...reader, timer: undefined, isStuck: deps.to() - reader.from > reader.lag }
      members.add(one)
      look(one)
      deps.changed()
      return {
        taken(offset) {
          if (!(offset > one.from) || !members.has(one)) return
          one.from = offset
          if (deps.to() - offset <= one.lag) one.isStuck = false
          clearTimeout(one.timer)
          one.timer = undefined
          look(one)
          deps.changed()
        },
        leave() {
          clearTimeout(one.timer)
          if (members.delete(one)) deps.changed()
        },
      }
    },
    isHeld: () => members.values().some(lags),
    moved() {
      for (const one of members) look(one)
    },
    taken: () => Math.min(...members.values().map(({ from }) => from), Number.POSITIVE_INFINITY),
  }
}
