import { iso } from '../../../../lib/clock.ts'
import { newId } from '../../../../lib/id.ts'
import { createAnswerOutcome } from './answer-outcome.ts'
import { createSampler, type TerminalActivity } from './sampler.ts'
import type { Occurrence } from './prompt-identity.ts'
import { unknownVerdict, type ScreenLook } from './look.ts'
import { exited, interrupted, lineEntered, nothingKnown, step, type KnownState } from './state-machine.ts'
import { debtAfter, nextLook } from './look-schedule.ts'
import { createInputWatcher } from './input-watcher.ts'
import type { Watch, WatchDeps, WatchState } from './types.ts'
import { hasReadSilently, type LineStart } from './silent-read.ts'
import { createSerialQueue } from '../../../../lib/serial-queue.ts'

/** Knows whether the program in a terminal works, waits or has ended, and what was answered there. */
export function createWatch(deps: WatchDeps): Watch {
  const { clock } = deps
  const start = clock.now()
  const activity: TerminalActivity = {
    printed: 0,
    printedAt: start,
    enteredAt: start,
    offset: 0,
    keys: 0,
    typed: 'nothing',
    exited: false,
    changes: 0,
  }
  const sampler = createSampler(deps, activity)
  let known: KnownState = nothingKnown
  let last: ScreenLook | null = null
  let told: WatchState = stateOf()
  const times = { newsAt: start, unseenAt: start as number | null, lookedAt: start, debtMs: 0 }
  let timer: { at: number; handle: Disposable } | null = null
  const queue = createSerialQueue()
  let looking = false
  let over = false
  let tooLate = false
  /** The first key of the line that is typed. */
  let began: LineStart | null = null

  const outcomes = createAnswerOutcome({
    clock,
    outcome(outcome) {
      inputs.finish()
      deps.outcome(outcome)
    },
    printed: () => activity.printed,
    busy: () => !deps.remote && last?.fg?.reading === 'no',
    lines: sampler.lines,
  })
  const inputs = createInputWatcher({
    clock,
    open: () => known.open,
    lines: sampler.lines,
    modes: sampler.mode,
    entered: deps.entered,
    line(occurrence) {
      activity.typed = 'line'
      activity.enteredAt = clock.now()
      if (!occurrence) return
      outcomes.answered(occurrence, occurrence.prompt.secret)
      known = lineEntered(known, activity.printed)
      tell()
    },
    interrupt: () => void (known = interrupted(known)),
  })

  function stateOf(): WatchState {
    return {
      state: known.state,
      prompt: known.open?.prompt ?? null,
      stands: last !== null && known.open !== null && standsIn(last, known.open),
      verdict: last?.verdict ?? unknownVerdict,
      at: iso(clock.now()),
      fg: last?.fg ?? null,
      mode: last?.mode ?? null,
    }
  }

  const lineStart = (): LineStart => ({
    at: clock.now(),
    keys: activity.keys,
    printed: activity.printed,
    mark: last?.fg?.mark ?? null,
  })

  function tell(): void {
    const before = told
    told = stateOf()
    if (differs(before, told)) deps.report(told)
  }

  function news(): void {
    const now = clock.now()
    times.newsAt = now
    times.unseenAt ??= now
    arm()
  }

  const next = () => {
    const settled = known.state === 'waiting' && last?.verdict.state === 'waiting'
    return nextLook({ ...times, settled, doubt: tooLate || known.notReading > 0 })
  }

  function arm(): void {
    if (over || looking || known.state === 'exited') return
    const at = next()
    // A timer that fires too early is set again: cheaper than a new one for each piece of output.
    if (timer && timer.at <= at) return
    timer?.handle[Symbol.dispose]()
    timer = { at, handle: clock.at(at, () => due()) }
  }

  function due(): void {
    timer = null
    const at = next()
    if (at > clock.now()) return arm()
    // A failed look saw nothing; callers of now() get the error.
    void queue.run(() => look(false)).catch(() => undefined)
  }

  async function look(whole: boolean): Promise<void> {
    tooLate = false
    if (over || known.state === 'exited') return
    looking = true
    try {
      const before = times.lookedAt
      times.lookedAt = clock.now()
      times.unseenAt = null
      const seen = await sampler.look(last, whole)
      tooLate = seen === 'late'
      if (seen && seen !== 'late' && !over) weigh(seen)
      times.debtMs = debtAfter(times.debtMs, times.lookedAt - before, sampler.spentMs())
    } finally {
      looking = false
      arm()
    }
  }

  function weigh(seen: ScreenLook): void {
    const before = known
    last = seen
    known = step(known, seen, newId)
    const { open } = known
    const changed = open?.prompt.id !== before.open?.prompt.id
    if (seen.lines) inputs.changed(seen.lines, changed && open !== null)
    if (before.open && changed) gone(before.open)
    if (open && changed) outcomes.asked(open.key)
    if (open) inputs.looked(seen.mode, changed)
    tell()
  }

  function gone(occurrence: Occurrence): void {
    if (inputs.gone(occurrence)) outcomes.answered(occurrence, occurrence.prompt.secret)
  }

  async function now(): Promise<WatchState> {
    await queue.run(() => look(true))
    // The mode of a slow terminal is read a few times, not forever.
    return tooLate ? now() : told
  }

  arm()
  return {
    get state() {
      return told
    },
    printed(bytes, offset, onlyEnds = false) {
      if (over || bytes === 0) return
      activity.printed += bytes
      activity.printedAt = clock.now()
      activity.offset = offset
      if (!onlyEnds) activity.typed = 'nothing'
      activity.changes += 1
      news()
    },
    typed(bytes, by) {
      if (over || bytes.length === 0 || known.state === 'exited') return
      // What a terminal sends on its own is not typing.
      began ??= lineStart()
      const keys = inputs.typed(bytes, by)
      if (activity.typed === 'line' || keys === 0) began = null
      if (keys === 0) return
      activity.keys += keys
      if (activity.typed === 'nothing') activity.typed = 'keys'
      news()
    },
    resized() {
      activity.changes += 1
      news()
    },
    exited(code) {
      if (over || known.state === 'exited') return
      activity.exited = true
      last = sampler.final()
      inputs.finish()
      if (known.open) gone(known.open)
      outcomes.exited(code)
      known = exited
      timer?.handle[Symbol.dispose]()
      tell()
    },
    get isSilent() {
      return began !== null && last !== null && hasReadSilently(began, last, activity, clock.now())
    },
    now,
    [Symbol.dispose]() {
      over = true
      timer?.handle[Symbol.dispose]()
      inputs[Symbol.dispose]()
      outcomes[Symbol.dispose]()
    },
  }
}

/** Between two frames of a spinner the screen is unclear; then it is enough that the cursor is back in its place. */
function standsIn({ verdict, row, fg, local, keys }: ScreenLook, open: Occurrence): boolean {
  if (verdict.state === 'waiting') return true
  if ((local && fg?.reading === 'no') || row === null || row.text === '' || row.number !== open.row?.number)
    return false
  // Only typed text follows it.
  return row.text.startsWith(open.row.text) && row.text.length - open.row.text.length <= keys - open.keys + 1
}

/** Confidence and process may change with every look; only changes that matter are reported. */
const differs = (a: WatchState, b: WatchState): boolean =>
  a.state !== b.state || a.prompt?.id !== b.prompt?.id || JSON.stringify(a.prompt) !== JSON.stringify(b.prompt)
