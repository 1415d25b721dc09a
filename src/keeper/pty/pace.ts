/** Keeps a program from running ahead of those who read it: who falls behind slows it, who takes nothing at all does not. */
export type Pace = {
  join(reader: Reader): Member
  /** Somebody is too far behind: the program is not read on. */
  isHeld(): boolean
  /** The end of the output is further on. */
  moved(): void
  /** What all have taken; infinity where nobody reads. */
  taken(): number
}

export type Reader = {
  from: number
  /** So much may be between what was printed and what it took. */
  lag: number
  /** How long it may hold the program up without taking anything. */
  patienceMs: number
  /** It did: it is not waited for any more, until it has caught up. */
  stuck(): void
}

export type Member = { taken(offset: number): void; leave(): void }

type State = Reader & { timer: NodeJS.Timeout | undefined; isStuck: boolean }

export function createPace(deps: { to: () => number; changed(): void }): Pace {
  const members = new Set<State>()
  const lags = (one: State) => !one.isStuck && deps.to() - one.from > one.lag

  function look(one: State): void {
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
      // Who comes late reads up first; the program does not wait for that.
      const one: State = { ...reader, timer: undefined, isStuck: deps.to() - reader.from > reader.lag }
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
