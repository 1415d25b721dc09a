import type { Screen, Signals } from '../../../../domain/terminal/screen.ts'
import type { Verdict } from '../../../../domain/terminal/verdict.ts'
import type { Clock } from '../../../../lib/clock.ts'
import { busyVerdict, type ScreenLook } from './look.ts'
import { logicalLines, type LogicalLine } from './screen-text.ts'
import type { Foreground, Mode, WatchDeps } from './types.ts'

/** What has happened at the terminal so far. */
export type TerminalActivity = {
  printed: number
  printedAt: number
  enteredAt: number
  offset: number
  keys: number
  /** Since the last byte was printed. */
  typed: 'nothing' | 'keys' | 'line'
  exited: boolean
  /** Anything that may have changed the screen. */
  changes: number
}

export type Sampler = {
  lines(): readonly LogicalLine[]
  mode(): Promise<Mode | null>
  /** Cheap if the kernel decides it. Null: nothing has changed since `last`; 'late': look again soon. */
  look(last: ScreenLook | null, whole: boolean): Promise<ScreenLook | 'late' | null>
  /** CPU time of the last look. */
  spentMs(): number
  /** From the screen alone. */
  final(): ScreenLook
}

/** How long to wait for the mode of the terminal. */
const modeMs = 80
const mostLate = 5
const freshMs = 250
const turns = 3
/** During rapid output, a program that does not read is not examined further. */
const closerMs = 40
const longQuietMs = 1000

/** At most this sure of what waits behind a relay, which reads whether or not somebody is asked. */
const behindRelay = 0.6

function lessSure(verdict: Verdict, fg: Foreground | null): Verdict {
  if (fg?.relays !== true || verdict.state !== 'waiting') return verdict
  const detail = `${fg.program} passes keys on: it can't be told who reads`
  const evidence = [...verdict.evidence, { signal: 'kernel' as const, says: 'nothing' as const, detail }]
  return { ...verdict, confidence: Math.min(verdict.confidence, behindRelay), evidence }
}

export function createSampler(deps: WatchDeps, activity: TerminalActivity): Sampler {
  const { clock, emulator, remote } = deps
  let seen: { changes: number; screen: Screen; lines: readonly LogicalLine[] } | null = null
  let lastMode: Mode | null = null
  let spent = 0
  let late = 0
  let readAt = Number.NEGATIVE_INFINITY
  let readOf = 0
  const cpu = deps.spentMs ?? threadMs

  function view() {
    if (seen?.changes !== activity.changes) {
      const screen = emulator.screen()
      seen = { changes: activity.changes, screen, lines: logicalLines(screen) }
    }
    return seen
  }

  const quietMs = () => Math.max(0, clock.now() - activity.printedAt)

  async function probe(): Promise<Foreground | null> {
    try {
      return await deps.probe()
    } catch {
      return null
    }
  }

  /** False: it could not be read in time, and the earlier mode no longer counts. */
  async function readMode(): Promise<boolean> {
    const read = await inTime(clock, deps.modes(), modeMs)
    lastMode = read ?? null
    readAt = clock.now()
    return read !== undefined
  }

  /** A program that edits lines itself rarely changes its mode; for one that reads a line, the mode is always read. */
  const isFresh = (pid: number): boolean =>
    lastMode?.canonical === false && readOf === pid && clock.now() - readAt < freshMs && activity.typed === 'nothing'

  /** The mode during this wait: read while the process has not run. Undefined: it could not be read in time. */
  async function settledWait(first: Foreground | null): Promise<Foreground | null | undefined> {
    let fg = first
    if (first?.reading === 'poll' && isFresh(first.pid)) return first
    for (let turn = 0; turn < turns; turn += 1) {
      const inTime = await readMode()
      if (!inTime) return undefined
      const again = await probe()
      readOf = again?.pid ?? 0
      if (again?.reading !== 'read' || again.mark === fg?.mark) return again
      fg = again
    }
    return fg
  }

  const about = (fg: Foreground | null) => ({
    at: clock.now(),
    printedAt: activity.printedAt,
    enteredAt: activity.enteredAt,
    quietMs: quietMs(),
    offset: activity.offset,
    printed: activity.printed,
    keys: activity.keys,
    fg,
    local: !remote,
    mode: lastMode,
  })

  function closer(fg: Foreground | null): ScreenLook {
    const { screen, lines } = view()
    const signals: Signals = {
      exited: activity.exited,
      quietMs: quietMs(),
      typed: deps.keyboard === false ? null : activity.typed,
      kernel: fg && { reading: fg.reading, program: fg.program },
      mode: lastMode,
      remote,
    }
    const verdict = lessSure(deps.detect(screen, signals), fg)
    const key = verdict.prompt && deps.promptKey(verdict.prompt)
    return { ...about(fg), verdict, key, lines, alternate: screen.alternate, ...rowsOf(screen, emulator.scrolled ?? 0) }
  }

  return {
    lines: () => view().lines,
    async mode() {
      await readMode()
      return lastMode
    },
    async look(last, whole) {
      const started = cpu()
      const fg = await probe()
      spent = cpu() - started
      const busy = fg?.reading === 'no' && !remote
      const closelySeen = last?.lines && last.printed === activity.printed && last.verdict.state === 'working'
      if (busy && !whole && (quietMs() < closerMs || closelySeen))
        return { ...about(fg), verdict: busyVerdict(fg.program), key: null, lines: null, alternate: false, ...noRow }
      if (last && !whole && fg && !remote && sameAs(last, fg, activity) && quietMs() > longQuietMs) return null
      const settled = busy ? fg : await settledWait(fg)
      // A secret prompt must not count as harmless because the mode was slow to arrive.
      if (settled === undefined && fg?.reading === 'read' && !remote && late < mostLate) {
        late += 1
        return 'late'
      }
      late = 0
      const resumed = cpu()
      const look = closer(settled === undefined ? await probe() : settled)
      spent += cpu() - resumed
      return look
    },
    spentMs: () => spent,
    final: () => ({ ...closer(null), verdict: deps.detect(view().screen, exitSignals(remote)) }),
  }
}

const noRow = { row: null, textAt: () => null }

function rowsOf({ cursor, lines, above }: Screen, scrolled: number): Pick<ScreenLook, 'row' | 'textAt'> {
  const textAt = (row: number) => {
    const index = row - scrolled
    return (index < 0 ? above[above.length + index] : lines[index])?.text ?? null
  }
  const number = scrolled + cursor.row
  return { row: { number, text: (textAt(number) ?? '').slice(0, cursor.col).trimEnd() }, textAt }
}

/** CPU time of this thread: on a busy machine wall-clock time would count other work. */
function threadMs(): number {
  const { user, system } = process.threadCpuUsage()
  return (user + system) / 1000
}

/** A process that has not run since is in the same state. */
const sameAs = (last: ScreenLook, fg: Foreground, activity: TerminalActivity): boolean =>
  last.verdict.state === 'waiting' &&
  last.fg?.mark === fg.mark &&
  last.printed === activity.printed &&
  last.keys === activity.keys

const exitSignals = (remote: boolean): Signals => ({
  exited: true,
  quietMs: 0,
  typed: null,
  kernel: null,
  mode: null,
  remote,
})

/** Undefined if it took too long or failed. */
function inTime<T>(clock: Clock, work: Promise<T>, ms: number): Promise<T | undefined> {
  return new Promise((resolve) => {
    const timer = clock.at(clock.now() + ms, () => resolve(undefined))
    work.then(resolve, () => resolve(undefined)).finally(() => timer[Symbol.dispose]())
  })
}
