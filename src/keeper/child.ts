import { join } from 'node:path'
import type { Writable } from 'node:stream'
import { createWakeSignal } from '../lib/wake-signal.ts'
import type { Logger } from '../lib/log.ts'
import { ok, type Result, fail } from '../lib/result.ts'
import { createProcessTree } from '../lib/process-tree.ts'
import { startFeed, type Feed, type FeedSink } from './output/feed.ts'
import { launch, type LaunchedChild } from './launch.ts'
import { createRingOutput, type OutputEvents } from './output/output.ts'
import { childMark, shortHash, type KeeperPaths } from './protocol/paths.ts'
import type { Attachments } from './pty/attachments.ts'
import type { TerminalSize } from './pty/terminal-size.ts'
import type { TerminalInput } from './pty/terminal-input.ts'
import type { Relays } from './relay/relay.ts'
import { createRing } from './output/ring.ts'
import { createSpool, type SpoolLimits } from './output/spool.ts'
import type { ChildInfo, ChildSpec, Exit, ForegroundProbe, TypedAt } from './protocol/types.ts'
import { createWriteKeys } from './write-keys.ts'

/** One process the keeper holds, and what it printed. */
export type Child = Pick<Stdin, 'write'> & {
  info(): ChildInfo
  /** It has ended, with all its processes. */
  readonly gone: Promise<unknown>
  hasExited(): boolean
  /** Nothing it printed is dropped before it is acknowledged. */
  keepsAll: boolean
  listen(from: number, sink: FeedSink): Feed
  ack(offset: number): void
  stderr(): Buffer
  read(): Promise<{ bytes: Buffer; truncated: boolean }>
  closeStdin(): void
  end(graceMs: number): Promise<Exit>
  /** Resolves when none of its processes and files is left. */
  forget(): Promise<void>
  /** Null if it does not run in a terminal. */
  terminal: ChildTerminal | null
}

export type ChildTerminal = Pick<TerminalInput, 'writeIf'> &
  Pick<Attachments, 'attach'> & {
    resize: TerminalSize['byServer']
    /** False if there is no process to signal. */
    signal(name: NodeJS.Signals): boolean
    probe(): ForegroundProbe | null
    reply(bytes: Uint8Array): void
  }

const stderrBytes = 64 * 1024
/** How long its remaining processes may print and end on their own. */
const afterExitMs = 2000
const lookAgainMs = 200

export type ChildDeps = {
  paths: KeeperPaths
  limits: SpoolLimits
  log: Logger
  relays: Relays
  /** Something was typed into a terminal. */
  typed(id: string, bytes: Uint8Array, at: TypedAt): void
  /** A terminal's program has ended. */
  changed(): void
}

export async function startChild(spec: ChildSpec, deps: ChildDeps): Promise<Result<Child>> {
  if (!spec.relay) return startOne(spec, deps)
  const relay = await deps.relays.hold(spec.relay)
  if (!relay.ok) return relay
  const letGo = () => relay.value[Symbol.dispose]()
  const child = await startOne(spec, deps)
  if (child.ok) void child.value.gone.then(letGo, letGo)
  else letGo()
  return child
}

async function startOne(spec: ChildSpec, deps: ChildDeps): Promise<Result<Child>> {
  const { pty } = spec
  if (pty) {
    // Loaded on demand: few keepers hold terminals.
    const { startTerminal } = await import('./pty/terminal.ts')
    return startTerminal({ ...spec, pty }, deps)
  }
  const mark = childMark(deps.paths.homeHash, spec.id)
  const launched = await launch(spec, mark)
  return launched.ok ? ok(hold(spec, launched.value, mark, deps)) : launched
}

function hold(spec: ChildSpec, { process: child, pid }: LaunchedChild, mark: string, deps: ChildDeps): Child {
  const log = deps.log.child({ child: spec.id, pid })
  const startedAt = new Date().toISOString()
  const ring = spec.output === 'acknowledged' ? null : spec.output.ring
  const ended = createWakeSignal()
  let exited: Exit | null = null
  let exit: Exit | null = null
  let feed: Feed | null = null
  let isFlowing = true
  let isAtEnd = false
  let hasSaidAll = false

  const events: OutputEvents = {
    changed: () => feed?.wake(),
    room() {
      isFlowing = true
      child.stdout.resume()
    },
  }
  const output =
    ring === null
      ? createSpool({ directory: join(deps.paths.spool, shortHash(spec.id)), limits: deps.limits, log, events })
      : createRingOutput(Math.max(1, ring), events)
  const stderr = createRing(stderrBytes)
  const stdin = createStdin(child.stdin, spec.id, onDeaf)
  const tree = createProcessTree(() => ({ pid, mark, hasExited: exited !== null }), log)

  child.on('error', (error) => log.warn({ error: String(error) }, 'a child reports an error'))
  child.stderr.on('error', () => {})
  child.stderr.on('data', (bytes: Buffer) => stderr.append(bytes))
  child.stderr.on('close', () => {
    hasSaidAll = true
    ended.wake()
  })
  child.stdout.on('error', () => {})
  child.stdout.on('close', () => {
    isAtEnd = true
    ended.wake()
    // An agent that closed its output can't say anything any more.
    endSoon('closed its output')
  })
  child.stdout.on('data', (bytes: Buffer) => {
    isFlowing = output.append(bytes)
    if (!isFlowing) child.stdout.pause()
  })

  /** An agent that closed its input can't be told anything any more. */
  function onDeaf(): void {
    endSoon('closed its input')
  }

  function endSoon(what: string): void {
    if (ring !== null) return
    const end = () => {
      if (exited) return
      log.warn({}, `a child ${what} and was ended`)
      stderr.append(Buffer.from(`It ${what}, so Signalbox ended it.\n`))
      void tree.end()
    }
    setTimeout(end, afterExitMs).unref()
  }

  const gone = Promise.withResolvers<Exit>()
  child.on('exit', (code, signal) => {
    exited = { code, signal }
    log.info({ code, signal }, 'a child ended')
    gone.resolve(exited)
    void settleExit(exited)
  })

  /** Other processes may hold its output open: they get a moment. Output that waits for the server is not cut off. */
  async function settleExit(how: Exit): Promise<void> {
    const until = Date.now() + afterExitMs
    const mayComeMore = () => (!isAtEnd && !isFlowing) || ((!isAtEnd || !hasSaidAll) && Date.now() < until)
    while (mayComeMore()) await ended.after(ended.count(), lookAgainMs)
    child.stdout.destroy()
    child.stderr.destroy()
    child.stdin.destroy()
    exit = how
    feed?.wake()
    ended.wake()
  }

  /** Processes it leaves behind get a moment too, and are ended then. */
  const cleared = gone.promise.then(async () => {
    if (!(await tree.goneWithin(afterExitMs))) await tree.end()
  })

  return {
    gone: cleared,
    hasExited: () => exited !== null,
    keepsAll: ring === null,
    write: stdin.write,
    closeStdin: stdin.close,
    info: () => ({
      id: spec.id,
      pid,
      label: { ...spec.label },
      startedAt,
      from: output.from,
      to: output.to,
      exit,
      pty: null,
    }),
    listen(from, sink) {
      feed?.stop()
      feed = startFeed({ output, from, exit: () => exit, sink, log })
      return feed
    },
    ack: (offset) => output.drop(offset),
    stderr: () => stderr.read(0),
    async read() {
      const piece = await output.read(output.from, Number.MAX_SAFE_INTEGER)
      return { bytes: piece?.bytes ?? Buffer.alloc(0), truncated: output.from > 0 }
    },
    async end(graceMs) {
      stdin.close()
      let timer: NodeJS.Timeout | undefined
      const late = new Promise<null>((resolve) => (timer = setTimeout(() => resolve(null), graceMs)))
      const voluntary = await Promise.race([gone.promise, late])
      clearTimeout(timer)
      if (voluntary) await cleared
      else await tree.end()
      // Wait until list() and listeners know the exit too, unless bytes still wait for the server.
      const isSettling = () => exited && !exit && isFlowing
      while (isSettling()) await ended.after(ended.count(), lookAgainMs)
      return exited ?? { code: null, signal: null }
    },
    async forget() {
      feed?.stop()
      await cleared
      await output.close()
    },
    terminal: null,
  }
}

/** Input for a child: in order, each key once, without waiting for the child to read. */
type Stdin = {
  write(key: string, bytes: Uint8Array): Result<void>
  close(): void
}

const mostQueued = 64 * 1024 * 1024

/** `deaf`: nobody reads what was written. */
function createStdin(stream: Writable, id: string, deaf: () => void): Stdin {
  const keys = createWriteKeys()
  // The child ended, which its exit reports, or closed its input.
  stream.on('error', deaf)

  return {
    write(key, bytes) {
      if (keys.has(key)) return ok(undefined)
      if (!stream.writable) return closed(id)
      if (stream.writableLength + bytes.length > mostQueued) return blocked(id, stream.writableLength)
      keys.add(key)
      stream.write(bytes)
      return ok(undefined)
    },
    close() {
      stream.end()
    },
  }
}

const closed = (id: string) =>
  fail({
    kind: 'conflict',
    code: 'stdin_closed',
    message: `${id} accepts no more input: it has ended, or its input was closed.`,
  })

const blocked = (id: string, queued: number) =>
  fail({
    kind: 'limited',
    code: 'stdin_blocked',
    message: `${id} does not read its input: ${Math.round(queued / 1024 / 1024)} MB are already waiting.`,
    hint: 'End it, or wait until it reads again.',
  })
