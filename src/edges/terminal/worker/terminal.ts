import { setTimeout as pause } from 'node:timers/promises'
import { detect, promptKey } from '../../../domain/terminal/detect/detect.ts'
import { understand } from '../../../domain/terminal/detect/understand/understand.ts'
import type { Screen } from '../../../domain/terminal/screen.ts'
import { systemClock } from '../../../lib/clock.ts'
import { fail, ok, type Result } from '../../../lib/result.ts'
import type { TtyModes } from '../../../lib/tty-modes.ts'
import { createCapture, type CaptureMasks } from '../capture/capture.ts'
import { createEmulator, screenText } from '../emulator.ts'
import { followFile } from '../follow/follow.ts'
import { readMark, writeMark } from '../follow/mark.ts'
import type { Opening, Question, Report, TypingContext } from '../protocol.ts'
import { openRecording } from '../recording/recording.ts'
import { readRecording } from '../recording/read.ts'
import { detectionOf } from './detection.ts'
import { createUnreportedOutput, type UnreportedOutput } from './unreported-output.ts'
import { createKeeperProbe, type KeeperProbe } from './keeper-probe.ts'
import type { WatchState } from './watch/types.ts'
import { createScreenFeeder } from './screen-feeder.ts'
import { createWatch } from './watch/watch.ts'
import { createSerialQueue } from '../../../lib/serial-queue.ts'

/** One terminal in this thread. */
export type WorkerTerminal = {
  bytes(bytes: Uint8Array, offset: number): Promise<void>
  typed(keys: TypedKeys, inputs: number): void
  probed: KeeperProbe['probed']
  resize(size: Size): void
  /** Whether there are live readers. */
  readers(some: boolean): void
  exit(code: number | null): Promise<void>
  ask(question: Question): Promise<Result<unknown>>
  /** Gives how much was recorded. */
  close(): Promise<number>
}

/** What was typed, by whom, and where the output ended at that moment. */
export type TypedKeys = { bytes: Uint8Array; by: string; to: number }

type Size = { cols: number; rows: number; to: number }

type Deps = { send(report: Report): void; modes: TtyModes; masks: CaptureMasks }

/** How much of the recording repaints the screen after a restart. */
const repaintBytes = 512 * 1024
const segmentBytes = 16 * 1024 * 1024
const mostTries = 20
const patienceMs = 1000
const flushMs = 20
/** How long text that could still become a secret is held. */
const holdMs = 20

export async function openTerminal(opening: Opening, { send, modes, masks }: Deps): Promise<WorkerTerminal> {
  const { id, source, directory } = opening
  const clock = systemClock
  const first = source.kind === 'pty' ? source.from : source.position
  const recording = await openRecording({
    directory,
    header: {
      cols: opening.cols,
      rows: opening.rows,
      title: opening.title,
      env: {},
      startedAt: Date.parse(opening.startedAt),
      source: first,
    },
    limits: { segmentBytes, totalBytes: opening.totalBytes },
    clock,
    trouble: (fault) => send({ op: 'trouble', id, fault }),
  })
  const emulator = createEmulator({
    cols: opening.cols,
    rows: opening.rows,
    convertEol: source.kind === 'file',
    // Queries from before a restart have been answered.
    reply(text) {
      if (isLive && source.kind === 'pty') send({ op: 'reply', id, text })
    },
  })
  let isLive = false
  if (recording.to > 0) {
    const from = Math.max(recording.from, recording.to - repaintBytes)
    const { text } = await readRecording(directory, { from, epoch: recording.epoch, maxBytes: repaintBytes })
    await emulator.write(text)
  }
  const capture = createCapture({ masks, offset: recording.to, before: recording.before })
  const keeperProbe = createKeeperProbe(
    source,
    () => readTo(),
    (n) => send({ op: 'probe', id, n }),
  )
  const watch = createWatch({
    emulator,
    clock,
    probe: keeperProbe.probe,
    modes: async () => (source.kind === 'pty' && source.tty !== null ? modes.read(source.tty) : null),
    remote: source.kind === 'pty' && source.remote,
    keyboard: source.kind === 'pty',
    detect,
    promptKey,
    report(state) {
      if (!state.prompt?.secret) capture.unguard()
      send({ op: 'state', id, detection: detectionOf(state, placeNow()), program: state.fg?.program ?? '' })
    },
    entered: (entered) => send({ op: 'entered', id, entered, program: watch.state.fg?.program ?? '' }),
    outcome: (outcome) => send({ op: 'outcome', id, outcome }),
  })
  const feeder = createScreenFeeder({ emulator, clock, shown: watch.printed })
  let inputs = source.kind === 'pty' ? source.inputs : 0
  /** In the order in which they came. */
  const queue = createSerialQueue()
  let flushing: Disposable | null = null
  let holding: Disposable | null = null
  let isClosed = false
  let unreported: UnreportedOutput | null = null
  /** Keys typed at a position that the output has not reached yet. */
  const ahead: (TypedKeys | Size)[] = []

  const placeNow = () => recording.source ?? recording.to
  /** Bytes received so far, including those that wait for more. */
  const readTo = () => placeNow() + capture.held

  async function take(text: string): Promise<void> {
    if (text === '') return
    const before = recording.to
    unreported?.add(capture.encoded)
    if (!recording.write(text, clock.now(), capture.encoded)) await recording.room()
    await feeder.push(text, recording.to - before, recording.to)
    flushing ??= clock.at(clock.now() + flushMs, () => void flush())
  }

  async function flush(): Promise<void> {
    // Output that arrives during the write is flushed by the next one.
    flushing = null
    await recording.flush()
    tellTaken()
  }

  function tellTaken(): void {
    const { durable, to, epoch } = recording
    // Right after a log was restarted, unwritten text belongs to the previous one.
    const position = Math.max(0, placeNow() - (to - durable))
    send({ op: 'taken', id, position, recorded: durable, epoch, fresh: unreported?.upTo(durable) ?? null })
  }

  /** Keys and output in the order in which they reached the terminal. */
  async function takeBytes(bytes: Uint8Array): Promise<void> {
    let rest = bytes
    for (let next = ahead[0]; next && next.to <= readTo() + rest.length; next = ahead[0]) {
      const until = Math.max(0, next.to - readTo())
      await takePiece(rest.subarray(0, until))
      rest = rest.subarray(until)
      ahead.shift()
      await apply(next)
    }
    await takePiece(rest)
  }

  /** The line that is being typed, from its first key. */
  let typedLine: { isSecret: boolean } | null = null

  async function apply(next: TypedKeys | Size): Promise<void> {
    await feeder.settled()
    if ('cols' in next) {
      recording.resize(next.cols, next.rows, clock.now())
      emulator.resize(next.cols, next.rows)
      watch.resized()
      return
    }
    const { bytes, by } = next
    // A person may type before the prompt is recognised, and before the program turns the echo off.
    typedLine ??= { isSecret: asksForSecret(lineOf(emulator.screen())) }
    if (watch.state.prompt?.secret || typedLine.isSecret) capture.guard(bytes)
    if (bytes.includes(13) || bytes.includes(10)) typedLine = null
    watch.typed(bytes, by)
  }

  function takePiece(bytes: Uint8Array): Promise<void> {
    if (bytes.length === 0) return Promise.resolve()
    holding?.[Symbol.dispose]()
    holding = null
    const text = capture.push(bytes)
    if (capture.waits) holding = clock.at(clock.now() + holdMs, () => void queue.run(() => take(capture.flush())))
    return take(text)
  }

  /** The log was restarted: an incomplete character or secret from before stays incomplete. */
  async function begin(epoch: number): Promise<void> {
    await take(capture.end())
    recording.begin(epoch, 0)
  }

  async function typingContext(): Promise<TypingContext> {
    // The detection and the end of the output must be from the same moment.
    for (let tries = 0; ; tries += 1) {
      await caughtUp()
      const seen = { to: readTo(), inputs, idle: queue.idle() }
      const state = await watch.now()
      if (tries === mostTries || (seen.to === readTo() && seen.inputs === inputs && seen.idle === queue.idle()))
        return standingOf(state, seen)
    }
  }

  function standingOf(state: WatchState, seen: { to: number; inputs: number }): TypingContext {
    const screen = emulator.screen()
    return {
      detection: detectionOf(state, placeNow()),
      isSure: state.stands,
      line: lineOf(screen),
      to: seen.to,
      inputs: seen.inputs,
      waits: state.fg && !keeperProbe.remote ? { pid: state.fg.pid, mark: state.fg.mark } : null,
      mode: state.mode,
      bracketedPaste: screen.bracketedPaste,
      applicationCursor: screen.applicationCursor,
      screen: screenText(screen.lines),
    }
  }

  /** Resolves when everything received is on the screen; with a full disk that can take long. */
  const caughtUp = async () => {
    await Promise.race([queue.idle(), pause(patienceMs)])
    await feeder.settled()
  }

  async function ask(question: Question): Promise<Result<unknown>> {
    if (question.what === 'typing_context') return ok(await typingContext())
    await caughtUp()
    if (question.what === 'detect') return ok(detectionOf(await watch.now(), placeNow()))
    const { cols, rows, lines } = emulator.screen()
    const screen = question.format === 'text' ? screenText(lines) : emulator.ansi(question.format === 'scrollback')
    return ok({ screen, offset: recording.to, cols, rows })
  }

  const following =
    source.kind === 'file'
      ? followFile(
          {
            path: source.path,
            position: recording.source ?? source.position,
            epoch: recording.epoch,
            mark: await readMark(directory),
            typescript: source.typescript,
            checkPath: (path) => checkPath(path, source.roots),
          },
          {
            bytes: (chunk, position) =>
              queue.run(async () => {
                // Lines that `script` itself added are left out.
                if (position !== readTo()) recording.skipTo(position)
                await takeBytes(chunk)
              }),
            epoch: (epoch) => void queue.run(async () => begin(epoch)),
            mark: (mark) => writeMark(directory, mark),
            trouble: (fault) => send({ op: 'trouble', id, fault }),
          },
        )
      : null
  isLive = true
  send({ op: 'opened', id, position: placeNow() })

  return {
    bytes: (bytes, offset) =>
      queue.run(() => {
        if (offset !== readTo()) throw new Error(`byte ${readTo()} was to come, not ${offset}`)
        return takeBytes(bytes)
      }),
    typed(keys, count) {
      void queue.run(async () => {
        inputs = count
        if (keys.to <= readTo()) await apply(keys)
        else ahead.push(keys)
      })
    },
    probed: keeperProbe.probed,
    resize(size) {
      void queue.run(async () => {
        if (size.to <= readTo()) await apply(size)
        else ahead.push(size)
      })
    },
    readers(some) {
      unreported = some ? (unreported ?? createUnreportedOutput(recording.to)) : null
    },
    exit: (code) =>
      queue.run(async () => {
        await take(capture.end())
        await feeder.settled()
        watch.exited(code)
      }),
    ask,
    async close() {
      if (isClosed) return recording.durable
      isClosed = true
      await following?.[Symbol.asyncDispose]()
      // An incomplete character or secret stays in the source, for the next worker.
      await queue.idle()
      await feeder.settled()
      holding?.[Symbol.dispose]()
      flushing?.[Symbol.dispose]()
      watch[Symbol.dispose]()
      await recording.close()
      tellTaken()
      emulator.dispose()
      return recording.durable
    },
  }
}

/** Checked by its real name: an agent's log must stay where its agent may look, even if the path changes. */
async function checkPath(path: string, roots: readonly string[] | null): Promise<Result<void>> {
  if (roots === null || roots.some((root) => path === root || path.startsWith(`${root}/`))) return ok(undefined)
  return fail({
    kind: 'forbidden',
    code: 'not_permitted',
    message: `${path} is outside the workspace and terminal.watch_roots.`,
  })
}

/** By its text alone: the mode of the terminal is not known in time. */
const asksForSecret = (line: string): boolean =>
  line.trim() !== '' &&
  understand({
    text: line.trim(),
    line,
    above: [],
    menu: null,
    fullScreen: false,
    secretByMode: false,
    canonical: null,
    program: null,
  }).secret

/** From its start to the cursor, wrapped lines joined. */
function lineOf({ lines, cursor }: Screen): string {
  const above = lines.slice(0, cursor.row + 1)
  const start = above.findLastIndex(({ wrapped }) => !wrapped)
  const rows = above.slice(Math.max(0, start)).map(({ text }) => text)
  const last = rows.pop() ?? ''
  return rows.join('') + last.slice(0, cursor.col).padEnd(cursor.col)
}
