import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { backoff } from '../../../lib/backoff.ts'
import type { App } from '../../../app/app.ts'
import type { Detection } from '../../../app/terminals.ts'
import type { SessionId } from '../../../domain/session/schema.ts'
import type { Terminal } from '../../../domain/terminal/schema.ts'
import { createKeeperLink, type ChildInfo, type KeeperLink } from '../../../keeper-client/client.ts'
import type { Clock } from '../../../lib/clock.ts'
import type { Logger } from '../../../lib/log.ts'
import type { Result } from '../../../lib/result.ts'
import type { Question, Report } from '../protocol.ts'
import type { AnswerOutcome } from '../worker/watch/types.ts'
import { startWorker, type WorkerClient } from './worker-client.ts'
import { newLiveTerminal, type LiveTerminal } from './live-terminal.ts'

import { createInputTracker } from './input-tracker.ts'

export type RegistryDeps = {
  app: App
  clock: Clock
  log: Logger
  dataDir: string
  masks: readonly string[]
  recordingBytes: number
  seen(id: SessionId, detection: Detection, program: string): void
  /** Its program or its keeper has ended, so nothing waits there any more. */
  over(id: SessionId, reason: string): Promise<void>
  /** What came of an answer. */
  outcome(outcome: AnswerOutcome): void
  /** The worker thread was restarted, so its terminals have to be adopted again. */
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

/** The terminals this server watches: takes bytes from the keeper to the worker, and reports back. */
export type TerminalRegistry = {
  readonly all: ReadonlyMap<string, LiveTerminal>
  readonly link: KeeperLink
  directoryOf(id: string): string
  open(session: SessionId, terminal: Terminal, source: OpenSource): LiveTerminal
  ask<T>(live: LiveTerminal, question: Question): Promise<Result<T>>
  /** The number of live readers changed. */
  readers(live: LiveTerminal): void
  /** Stops watching. Everything recorded is on disk then. */
  letGo(live: LiveTerminal): Promise<void>
  close(): Promise<void>
}

export const system = { kind: 'system', name: 'terminal' } as const
const advanceEveryMs = 1000
/** Bytes with the worker that are not recorded yet. Above this the keeper waits, and with it the program. */
const underWay = 2 * 1024 * 1024
const calmMs = 60_000
const mostFailures = 3
const firstPauseMs = 100
const longestPauseMs = 30_000

export function createTerminalRegistry(deps: RegistryDeps): TerminalRegistry {
  const { app, clock, log, dataDir } = deps
  const all = new Map<string, LiveTerminal>()
  const failures = new Map<string, number>()
  const tracker = createInputTracker({ app, log })
  const link = createKeeperLink({ dataDir, log, role: 'terminals', lost: lostKeeper })
  const directoryOf = (id: string) => join(dataDir, 'terminals', id)
  let isClosed = false
  let worker = newWorker()
  let deaths = 0
  let lastDeath = 0

  function newWorker(): WorkerClient {
    return startWorker({ log, hear: onReport, died: () => void workerDied().catch(logError) })
  }

  /** What it recorded is on disk, and the keeper still has the rest. */
  async function workerDied(): Promise<void> {
    if (isClosed) return
    const now = clock.now()
    deaths = now - lastDeath > calmMs ? 1 : deaths + 1
    lastDeath = now
    log.error({ deaths }, 'the thread for terminals has ended and is started again')
    for (const live of all.values()) {
      live.died = true
      release(live)
    }
    // The next one may die of the same cause.
    await pause(backoff(deaths, firstPauseMs, longestPauseMs))
    if (isClosed) return
    worker = newWorker()
    await deps.restarted()
  }

  /** It may fail again for the same reason: after a few attempts it is left alone. */
  async function adoptAgain({ id }: LiveTerminal): Promise<void> {
    const times = (failures.get(id) ?? 0) + 1
    failures.set(id, times)
    if (times > mostFailures) {
      log.error({ session: id }, 'a terminal is no longer watched: it failed too often')
      return
    }
    await pause(backoff(times, firstPauseMs, longestPauseMs))
    if (!isClosed) await deps.restarted()
  }

  function release(live: LiveTerminal): void {
    live.listening?.[Symbol.dispose]()
    live.typed?.[Symbol.dispose]()
    if (all.get(live.id) === live) all.delete(live.id)
    live.grew.wake()
    live.closed.resolve()
  }

  function onReport(report: Report): void {
    if (report.op === 'answer') return
    const live = all.get(report.id)
    if (!live) {
      if (report.op === 'trouble' && report.fault) log.error({ terminal: report.id }, report.fault.message)
      return
    }
    switch (report.op) {
      case 'opened':
        live.position = report.position
        void listen(live).catch(logError)
        return
      case 'taken':
        live.position = report.position
        live.recorded = report.recorded
        live.epoch = report.epoch
        if (report.fresh && live.readers > 0) live.recent.add(report.recorded - report.fresh.length, report.fresh)
        if (live.childId !== null) link.current()?.ack(live.childId, report.position)
        live.grew.wake()
        note(live)
        return
      case 'state':
        live.detection = report.detection
        deps.seen(live.id, report.detection, report.program)
        app.live.publish({ sessionId: live.id, type: 'terminal.state', data: report.detection })
        return
      case 'reply':
        if (live.childId !== null) link.current()?.reply(live.childId, Buffer.from(report.text))
        return
      case 'probe':
        void probe(live, report.n).catch(logError)
        return
      case 'entered':
        void tracker.entered(live, report.entered, report.program).catch(logError)
        return
      case 'outcome':
        void tracker.outcome(report.outcome).catch(logError)
        deps.outcome(report.outcome)
        return
      case 'trouble':
        live.trouble = report.fault
        if (report.fault) log.warn({ session: live.id, code: report.fault.code }, report.fault.message)
        return
      case 'failed':
        live.died = true
        live.recorded = report.recorded
        release(live)
        void adoptAgain(live).catch(logError)
        return
      case 'closed':
        live.recorded = report.recorded
        release(live)
        return
      default:
        report satisfies never
    }
  }
  function logError(error: unknown): void {
    log.error({ error: error instanceof Error ? error.stack : String(error) }, 'something about a terminal failed')
  }

  async function probe(live: LiveTerminal, n: number): Promise<void> {
    const probed = live.childId === null ? null : await link.current()?.probe(live.childId)
    worker.tell({ op: 'probed', id: live.id, n, foreground: probed?.ok ? probed.value : null })
  }

  /** Stores activity and position, at most once a second. */
  function note(live: LiveTerminal): void {
    const now = clock.now()
    if (now - live.noted < advanceEveryMs) return
    live.noted = now
    void advance(live).catch(logError)
  }

  async function advance(live: LiveTerminal): Promise<void> {
    const { id, position, epoch, size } = live
    await app.dispatch({ type: 'terminal.advance', id, filePosition: position, epoch, ...size }, system)
    await app.dispatch({ type: 'session.touch', id, tool: null }, system)
  }

  async function listen(live: LiveTerminal): Promise<void> {
    const keeper = link.current()
    if (live.childId === null || !keeper) return
    const { childId } = live
    const listening = await keeper.listen(childId, live.position, {
      data: (bytes, offset) => deliver(live, bytes, offset),
      exit: ({ code, signal }) => void exited(live, code, signal).catch(logError),
    })
    if (!listening.ok) {
      log.error({ session: live.id, code: listening.fault.code }, "the output of a terminal can't be read")
      return
    }
    live.listening = listening.value
    if (all.get(live.id) !== live) return release(live)
    live.typed = keeper.typed(childId, (bytes, { size, ...at }) => {
      if (at.by === 'keyboard') live.typedAt = clock.now()
      if (size) resized(live, size, at.to)
      else worker.tell({ op: 'typed', id: live.id, bytes, secret: live.typists.get(at.by)?.secret === true, ...at })
    })
    // Someone may have attached with another size, or typed, before we listened.
    const child = (await keeper.list()).find(({ id }) => id === childId)
    if (!child?.pty) return
    resized(live, child.pty, 0)
    const { inputs } = child.pty
    worker.tell({ op: 'typed', id: live.id, bytes: new Uint8Array(), by: '', secret: false, to: 0, inputs })
  }

  function resized(live: LiveTerminal, { cols, rows }: { cols: number; rows: number }, to: number): void {
    if (live.size?.cols === cols && live.size.rows === rows) return
    live.size = { cols, rows }
    worker.tell({ op: 'resize', id: live.id, cols, rows, to })
    void advance(live).catch(logError)
  }

  /** Limits what is in flight to the worker: the keeper waits, and with it the program. */
  async function deliver(live: LiveTerminal, bytes: Uint8Array, offset: number): Promise<void> {
    const end = offset + bytes.length
    worker.tell({ op: 'bytes', id: live.id, offset, bytes })
    while (all.get(live.id) === live) {
      const known = live.grew.count()
      if (end - live.position <= underWay) return
      await live.grew.after(known, null)
    }
  }

  async function exited(live: LiveTerminal, code: number | null, signal: string | null): Promise<void> {
    worker.tell({ op: 'exit', id: live.id, code })
    worker.tell({ op: 'close', id: live.id })
    await live.closed.promise
    // Not all of it is recorded: the next adoption reaches its end again.
    if (live.died) return
    await advance(live)
    await deps.over(live.id, 'The program has ended.')
    const { id, hungUpBy } = live
    const hungUp = hungUpBy !== null
    await app.dispatch({ type: 'terminal.close', id, exitCode: code, exitSignal: signal, hungUp }, system)
    if (hungUp) await app.dispatch({ type: 'session.terminate', id, reason: 'hung up' }, hungUpBy)
    else if (code === 0) await app.dispatch({ type: 'session.complete', id, reason: null }, system)
    else {
      const reason = signal === null ? `exit code ${code ?? 'unknown'}` : `ended by ${signal}`
      await app.dispatch({ type: 'session.fail', id, reason }, system)
    }
    if (live.childId !== null) await link.current()?.forget(live.childId)
  }

  async function lostKeeper(): Promise<void> {
    const live = [...all.values()].filter(({ childId }) => childId !== null)
    await Promise.all(live.map((one) => letGo(one)))
    // Perhaps only the connection was lost: adopt what the keeper still holds.
    await deps.restarted()
  }

  function open(session: SessionId, terminal: Terminal, source: OpenSource): LiveTerminal {
    const live = newLiveTerminal({
      id: session,
      childId: source.kind === 'pty' ? source.childId : null,
      directory: directoryOf(session),
    })
    all.set(session, live)
    const { cols, rows, startTime, command, name, logFile } = terminal
    live.size = { cols, rows }
    worker.tell({
      op: 'open',
      opening: {
        id: session,
        directory: live.directory,
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
    return live
  }

  async function letGo(live: LiveTerminal): Promise<void> {
    worker.tell({ op: 'close', id: live.id })
    await live.closed.promise
    await advance(live)
  }

  return {
    all,
    link,
    directoryOf,
    open,
    ask: (live, question) => worker.ask(live.id, question),
    readers(live) {
      if (live.readers === 0) live.recent.clear()
      if (all.get(live.id) === live) worker.tell({ op: 'readers', id: live.id, some: live.readers > 0 })
    },
    letGo,
    async close() {
      isClosed = true
      const live = [...all.values()]
      await worker.close()
      for (const one of live) await advance(one).catch(() => {})
      await link.release()?.[Symbol.asyncDispose]()
    },
  }
}
