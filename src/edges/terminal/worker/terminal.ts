import { setTimeout as pause } from 'node:timers/promises'
import { detect, promptKey } from '../../../domain/terminal/detect/detect.ts'
import { systemClock } from '../../../lib/clock.ts'
import { fail, ok, type Result } from '../../../lib/result.ts'
import type { TtyModes } from '../../../lib/tty-modes.ts'
import { createCapture, type CaptureMasks } from '../capture/capture.ts'
import { createEmulator, screenText } from '../emulator.ts'
import { followFile } from '../follow/follow.ts'
import { logTail } from '../follow/log-tail.ts'
import { readMark, writeMark } from '../follow/mark.ts'
import type { Opening, Question, Report, TypingContext } from '../protocol.ts'
import { openRecording } from '../recording/recording.ts'
import { readRecording } from '../recording/read.ts'
import { detectionOf } from './detection.ts'
import { createEntries, upToEnters } from './entries.ts'
import { createGuardedLine, cursorLine } from './guarded-line.ts'
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
export type TypedKeys = { bytes: Uint8Array; by: string; secret: boolean; to: number }

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
  } else if (source.kind === 'file') {
    // It may already end in a question. What was there before is shown, and not recorded.
    const before = await logTail(source.path, source.position, (path) => checkPath(path, source.roots))
    const shown = createCapture({ masks })
    await emulator.write(shown.push(before) + shown.end())
  }
  const capture = createCapture({
    masks,
    offset: recording.to,
    before: recording.before,
    columns: () => emulator.screen().cols,
  })
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
      guarded.reported()
      send({ op: 'state', id, detection: detectionOf(state, placeNow()), program: state.fg?.program ?? '' })
    },
    entered: (entered) => entries.entered(entered),
    outcome: (outcome) => send({ op: 'outcome', id, outcome }),
  })
  const guarded = createGuardedLine({
    capture,
    screen: () => emulator.screen(),
    state: () => watch.state,
    isSilent: () => watch.isSilent,
  })
  const entries = createEntries({
    echo: capture.echo,
    clock,
    report: (entered) => send({ op: 'entered', id, entered, program: watch.state.fg?.program ?? '' }),
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
    guarded.printed(recording.to - before)
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

  async function apply(next: TypedKeys | Size): Promise<void> {
    // The end of a prompt is held if it could begin a secret: it was printed before the key.
    if ('bytes' in next && capture.waits) await take(capture.flush())
    await feeder.settled()
    if ('cols' in next) {
      recording.resize(next.cols, next.rows, clock.now())
      emulator.resize(next.cols, next.rows)
      watch.resized()
      return
    }
    for (const keys of upToEnters(next.bytes)) {
      const { isSecret: secret, line } = guarded.typed(keys, next.secret)
      watch.typed(keys, { by: next.by, secret, line })
    }
    entries.looked()
  }

  function takePiece(bytes: Uint8Array): Promise<void> {
    if (bytes.length === 0) return Promise.resolve()
    holding?.[Symbol.dispose]()
    holding = null
    const text = capture.push(bytes)
    entries.looked()
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
      line: cursorLine(screen),
      to: seen.to,
      inputs: seen.inputs,
      waits: state.fg && !keeperProbe.remote ? { pid: state.fg.pid, mark: state.fg.mark } : null,
      mode: state.mode,
      bracketedPaste: screen.bracketedPaste,
      applicationCursor: screen.applicationCursor,
      screen: screenText(screen.lines),
      looks: emulator.looks(),
      cursorRow: screen.cursor.hidden ? null : screen.cursor.row,
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
        capture.echo.giveUp()
        watch.exited(code)
        entries.looked()
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
      entries[Symbol.dispose]()
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
