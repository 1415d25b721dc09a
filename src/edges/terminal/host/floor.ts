import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { backoff } from '../../../lib/backoff.ts'
import type { App } from '../../../app/app.ts'
import type { Detection } from '../../../app/terminals.ts'
import type { SessionId } from '../../../domain/session/schema.ts'
import type { Terminal } from '../../../domain/terminal/schema.ts'
import type { ChildInfo } from '../../../keeper/client.ts'
import type { Clock } from '../../../lib/clock.ts'
import type { Logger } from '../../../lib/log.ts'
import type { Result } from '../../../lib/result.ts'
import type { Question, Report } from '../protocol.ts'
import type { Outcome } from '../worker/watch/types.ts'
import { startCrew, type Crew } from './crew.ts'
import { newHeld, type Held } from './held.ts'
import { createKeeperDoor, type KeeperDoor } from './keeper.ts'
import { createTracking } from './tracking.ts'

export type FloorDeps = {
  app: App
  clock: Clock
  log: Logger
  dataDir: string
  masks: readonly string[]
  recordingBytes: number
  seen(id: SessionId, detection: Detection, program: string): void
  /** Its program has ended, or its keeper: nothing waits there any more. */
  over(id: SessionId, reason: string): Promise<void>
  /** What came of an answer. */
  outcome(outcome: Outcome): void
  /** The thread had to be started again: what it looked after is to be taken up anew. */
  restarted(): Promise<void>
}

export type OpenSource =
  | { kind: 'pty'; childId: string; child: ChildInfo; remote: boolean }
  | {
      kind: 'file'
      path: string
      position: number
      epoch: number
      typescript: boolean
      roots: readonly string[] | null
    }

/** The terminals that are looked after here and now, between the keeper and the worker. */
export type Floor = {
  readonly all: ReadonlyMap<string, Held>
  readonly door: KeeperDoor
  directoryOf(id: string): string
  open(session: SessionId, terminal: Terminal, source: OpenSource): Held
  ask<T>(held: Held, question: Question): Promise<Result<T>>
  /** Somebody begins, or ceases, to read along. */
  readers(held: Held): void
  /** Ends the looking after; what was recorded is on disk then. */
  letGo(held: Held): Promise<void>
  close(): Promise<void>
}

export const system = { kind: 'system', name: 'terminal' } as const
const advanceEveryMs = 1000
/** Handed to the worker and not recorded yet: beyond it the keeper waits, and with it the program. */
const underWay = 2 * 1024 * 1024
const calmMs = 60_000
const mostFailures = 3
const firstPauseMs = 100
const longestPauseMs = 30_000

export function createFloor(deps: FloorDeps): Floor {
  const { app, clock, log, dataDir } = deps
  const all = new Map<string, Held>()
  const failures = new Map<string, number>()
  const tracking = createTracking({ app, log })
  const door = createKeeperDoor({ dataDir, log, lost: () => void lostKeeper().catch(unseen) })
  const directoryOf = (id: string) => join(dataDir, 'terminals', id)
  let isClosed = false
  let crew = newCrew()
  let deaths = 0
  let lastDeath = 0

  function newCrew(): Crew {
    return startCrew({ log, hear, died: () => void crewDied().catch(unseen) })
  }

  /** What it recorded is on disk; the keeper still has the rest. */
  async function crewDied(): Promise<void> {
    if (isClosed) return
    const now = clock.now()
    deaths = now - lastDeath > calmMs ? 1 : deaths + 1
    lastDeath = now
    log.error({ deaths }, 'the thread for terminals has ended and is started again')
    for (const held of all.values()) {
      held.died = true
      release(held)
    }
    // What ended it may end the next one too.
    await pause(backoff(deaths, firstPauseMs, longestPauseMs))
    if (isClosed) return
    crew = newCrew()
    await deps.restarted()
  }

  /** What broke it may break it again: a few times, then it is left alone. */
  async function takeUpAgain({ id }: Held): Promise<void> {
    const times = (failures.get(id) ?? 0) + 1
    failures.set(id, times)
    if (times > mostFailures) {
      log.error({ session: id }, 'a terminal is no longer looked after: it failed too often')
      return
    }
    await pause(backoff(times, firstPauseMs, longestPauseMs))
    if (!isClosed) await deps.restarted()
  }

  function release(held: Held): void {
    held.listening?.[Symbol.dispose]()
    held.typed?.[Symbol.dispose]()
    if (all.get(held.id) === held) all.delete(held.id)
    held.grew.ring()
    held.closed.resolve()
  }

  function hear(report: Report): void {
    if (report.op === 'answer') return
    const held = all.get(report.id)
    if (!held) {
      if (report.op === 'trouble' && report.fault) log.error({ terminal: report.id }, report.fault.message)
      return
    }
    switch (report.op) {
      case 'opened':
        held.position = report.position
        void listen(held).catch(unseen)
        return
      case 'taken':
        held.position = report.position
        held.recorded = report.recorded
        held.epoch = report.epoch
        if (report.fresh && held.readers > 0) held.tail.add(report.recorded - report.fresh.length, report.fresh)
        if (held.childId !== null) door.current()?.ack(held.childId, report.position)
        held.grew.ring()
        note(held)
        return
      case 'state':
        held.detection = report.detection
        deps.seen(held.id, report.detection, report.program)
        app.live.publish({ sessionId: held.id, type: 'terminal.state', data: report.detection })
        return
      case 'reply':
        if (held.childId !== null) door.current()?.reply(held.childId, Buffer.from(report.text))
        return
      case 'probe':
        void probe(held, report.n).catch(unseen)
        return
      case 'entered':
        void tracking.entered(held, report.entered, report.program).catch(unseen)
        return
      case 'outcome':
        void tracking.outcome(report.outcome).catch(unseen)
        deps.outcome(report.outcome)
        return
      case 'trouble':
        held.trouble = report.fault
        if (report.fault) log.warn({ session: held.id, code: report.fault.code }, report.fault.message)
        return
      case 'failed':
        held.died = true
        held.recorded = report.recorded
        release(held)
        void takeUpAgain(held).catch(unseen)
        return
      case 'closed':
        held.recorded = report.recorded
        release(held)
        return
      default:
        report satisfies never
    }
  }
  function unseen(error: unknown): void {
    log.error({ error: error instanceof Error ? error.stack : String(error) }, 'something about a terminal failed')
  }

  async function probe(held: Held, n: number): Promise<void> {
    const probed = held.childId === null ? null : await door.current()?.probe(held.childId)
    crew.tell({ op: 'probed', id: held.id, n, foreground: probed?.ok ? probed.value : null })
  }

  /** A sign of life, and how far it was read: at most once a second. */
  function note(held: Held): void {
    const now = clock.now()
    if (now - held.noted < advanceEveryMs) return
    held.noted = now
    void advance(held).catch(unseen)
  }

  async function advance(held: Held): Promise<void> {
    const { id, position, epoch, size } = held
    await app.dispatch({ type: 'terminal.advance', id, filePosition: position, epoch, ...size }, system)
    await app.dispatch({ type: 'session.touch', id, tool: null }, system)
  }

  async function listen(held: Held): Promise<void> {
    const keeper = door.current()
    if (held.childId === null || !keeper) return
    const { childId } = held
    const listening = await keeper.listen(childId, held.position, {
      data: (bytes, offset) => hand(held, bytes, offset),
      exit: ({ code, signal }) => void exited(held, code, signal).catch(unseen),
    })
    if (!listening.ok) {
      log.error({ session: held.id, code: listening.fault.code }, 'what a terminal prints can not be read')
      return
    }
    held.listening = listening.value
    if (all.get(held.id) !== held) return release(held)
    held.typed = keeper.typed(childId, (bytes, { size, ...at }) => {
      if (size) resized(held, size, at.to)
      else crew.tell({ op: 'typed', id: held.id, bytes, ...at })
    })
    // Somebody may have come before us with another size, or have typed while we were on our way.
    const child = (await keeper.list()).find(({ id }) => id === childId)
    if (!child?.pty) return
    resized(held, child.pty, 0)
    const { inputs } = child.pty
    crew.tell({ op: 'typed', id: held.id, bytes: new Uint8Array(), by: '', to: 0, inputs })
  }

  function resized(held: Held, { cols, rows }: { cols: number; rows: number }, to: number): void {
    if (held.size?.cols === cols && held.size.rows === rows) return
    held.size = { cols, rows }
    crew.tell({ op: 'resize', id: held.id, cols, rows, to })
    void advance(held).catch(unseen)
  }

  /** No more under way than the worker can soon take: the keeper waits, and with it the program. */
  async function hand(held: Held, bytes: Uint8Array, offset: number): Promise<void> {
    const end = offset + bytes.length
    crew.tell({ op: 'bytes', id: held.id, offset, bytes })
    while (all.get(held.id) === held) {
      const known = held.grew.rings()
      if (end - held.position <= underWay) return
      await held.grew.after(known, null)
    }
  }

  async function exited(held: Held, code: number | null, signal: string | null): Promise<void> {
    crew.tell({ op: 'exit', id: held.id, code })
    crew.tell({ op: 'close', id: held.id })
    await held.closed.promise
    // Not all of it is recorded: whoever takes it up anew comes to its end again.
    if (held.died) return
    await advance(held)
    await deps.over(held.id, 'The program has ended.')
    const { id, hungUpBy } = held
    const hungUp = hungUpBy !== null
    await app.dispatch({ type: 'terminal.close', id, exitCode: code, exitSignal: signal, hungUp }, system)
    if (hungUp) await app.dispatch({ type: 'session.terminate', id, reason: 'hung up' }, hungUpBy)
    else if (code === 0) await app.dispatch({ type: 'session.complete', id, reason: null }, system)
    else {
      const reason = signal === null ? `exit code ${code ?? 'unknown'}` : `ended by ${signal}`
      await app.dispatch({ type: 'session.fail', id, reason }, system)
    }
    if (held.childId !== null) await door.current()?.forget(held.childId)
  }

  async function lostKeeper(): Promise<void> {
    log.error({}, 'the connection to the keeper of terminals is gone')
    const held = [...all.values()].filter(({ childId }) => childId !== null)
    await Promise.all(held.map((one) => letGo(one)))
    // It may have been the connection alone: what the keeper still holds is taken up again.
    await deps.restarted()
  }

  function open(session: SessionId, terminal: Terminal, source: OpenSource): Held {
    const held = newHeld({
      id: session,
      childId: source.kind === 'pty' ? source.childId : null,
      directory: directoryOf(session),
    })
    all.set(session, held)
    const { cols, rows, startTime, command, name, logFile } = terminal
    held.size = { cols, rows }
    crew.tell({
      op: 'open',
      opening: {
        id: session,
        directory: held.directory,
        cols,
        rows,
        title: name ?? command?.join(' ') ?? logFile,
        startedAt: startTime,
        masks: deps.masks,
        totalBytes: deps.recordingBytes,
        source:
          source.kind === 'pty'
            ? {
                kind: 'pty',
                tty: source.child.pty?.tty ?? null,
                remote: source.remote,
                from: source.child.from,
                inputs: source.child.pty?.inputs ?? 0,
              }
            : source,
      },
    })
    return held
  }

  async function letGo(held: Held): Promise<void> {
    crew.tell({ op: 'close', id: held.id })
    await held.closed.promise
    await advance(held)
  }

  return {
    all,
    door,
    directoryOf,
    open,
    ask: (held, question) => crew.ask(held.id, question),
    readers(held) {
      if (held.readers === 0) held.tail.clear()
      if (all.get(held.id) === held) crew.tell({ op: 'readers', id: held.id, some: held.readers > 0 })
    },
    letGo,
    async close() {
      isClosed = true
      const held = [...all.values()]
      await crew.close()
      for (const one of held) await advance(one).catch(() => {})
      await door.close()
    },
  }
}
