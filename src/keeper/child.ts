import { join } from 'node:path'
import { createBell } from '../lib/bell.ts'
import type { Logger } from '../lib/log.ts'
import { ok, type Result } from '../lib/result.ts'
import { createTree } from './ending.ts'
import { startFeed, type Feed, type FeedSink } from './feed.ts'
import { launch, type Launched } from './launch.ts'
import { createRingOutput, type OutputEvents } from './output.ts'
import { childMark, shortHash, type Place } from './place.ts'
import type { Attachments } from './pty/attachments.ts'
import type { Sizes } from './pty/sizes.ts'
import type { Typing } from './pty/typing.ts'
import type { Relays } from './relay.ts'
import { createRing } from './ring.ts'
import { createSpool, type SpoolLimits } from './spool.ts'
import { createStdin, type Stdin } from './stdin.ts'
import type { ChildInfo, ChildSpec, Exit, Probed, TypedListener } from './types.ts'

/** One process the keeper holds, and what it printed. */
export type Child = Pick<Stdin, 'write'> & {
  info(): ChildInfo
  /** It has ended, with whatever it left behind. */
  readonly gone: Promise<unknown>
  hasExited(): boolean
  /** Nothing it printed goes before it is acknowledged. */
  keepsAll: boolean
  listen(from: number, sink: FeedSink): Feed
  ack(offset: number): void
  stderr(): Buffer
  read(): Promise<{ bytes: Buffer; truncated: boolean }>
  closeStdin(): void
  end(graceMs: number): Promise<Exit>
  /** Nothing of it is left, neither processes nor files. */
  forget(): Promise<void>
  /** What only a program in a terminal has. */
  terminal: ChildTerminal | null
}

export type ChildTerminal = Pick<Typing, 'writeIf'> &
  Pick<Attachments, 'attach'> & {
    resize: Sizes['byServer']
    /** Says whether anybody was there to hear it. */
    signal(name: NodeJS.Signals): boolean
    probe(): Probed | null
    reply(bytes: Uint8Array): void
  }

const stderrBytes = 64 * 1024
/** For what a child leaves behind: to print the rest, and to end by itself. */
const afterExitMs = 2000
const lookAgainMs = 200

export type ChildDeps = {
  place: Place
  limits: SpoolLimits
  log: Logger
  relays: Relays
  /** Somebody typed into a terminal. */
  typed(id: string, ...typed: Parameters<TypedListener>): void
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
    // Few keepers hold terminals.
    const { startTerminal } = await import('./pty/terminal.ts')
    return startTerminal({ ...spec, pty }, deps)
  }
  const mark = childMark(deps.place.homeHash, spec.id)
  const launched = await launch(spec, mark)
  return launched.ok ? ok(hold(spec, launched.value, mark, deps)) : launched
}

function hold(spec: ChildSpec, { process: child, pid }: Launched, mark: string, deps: ChildDeps): Child {
  const log = deps.log.child({ child: spec.id, pid })
  const startedAt = new Date().toISOString()
  const ring = spec.output === 'acknowledged' ? null : spec.output.ring
  const ended = createBell()
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
      ? createSpool({ directory: join(deps.place.spool, shortHash(spec.id)), limits: deps.limits, log, events })
      : createRingOutput(Math.max(1, ring), events)
  const stderr = createRing(stderrBytes)
  const stdin = createStdin(child.stdin, spec.id)
  const tree = createTree(() => ({ pid, mark, hasExited: exited !== null }), log)

  child.on('error', (error) => log.warn({ error: String(error) }, 'a child reports an error'))
  child.stderr.on('error', () => {})
  child.stderr.on('data', (bytes: Buffer) => stderr.append(bytes))
  child.stderr.on('close', () => {
    hasSaidAll = true
    ended.ring()
  })
  child.stdout.on('error', () => {})
  child.stdout.on('close', () => {
    isAtEnd = true
    ended.ring()
    // Whoever speaks by its output and has closed it can't be heard any more.
    if (ring === null) setTimeout(endMute, afterExitMs).unref()
  })
  child.stdout.on('data', (bytes: Buffer) => {
    isFlowing = output.append(bytes)
    if (!isFlowing) child.stdout.pause()
  })

  function endMute(): void {
    if (exited) return
    log.warn({}, 'a child that closed its output was ended')
    void tree.end()
  }

  const gone = Promise.withResolvers<Exit>()
  child.on('exit', (code, signal) => {
    exited = { code, signal }
    log.info({ code, signal }, 'a child ended')
    gone.resolve(exited)
    void settleExit(exited)
  })

  /** Others may hold its output open: they are waited for a little. A child that must wait for the server is not cut off. */
  async function settleExit(how: Exit): Promise<void> {
    const until = Date.now() + afterExitMs
    const mayComeMore = () => (!isAtEnd && !isFlowing) || ((!isAtEnd || !hasSaidAll) && Date.now() < until)
    while (mayComeMore()) await ended.after(ended.rings(), lookAgainMs)
    child.stdout.destroy()
    child.stderr.destroy()
    child.stdin.destroy()
    exit = how
    feed?.wake()
    ended.ring()
  }

  /** What a child leaves behind gets a moment too, and is ended then. */
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
      // So that list() and listeners know what this one's caller knows, unless bytes wait for the server.
      const isSettling = () => exited && !exit && isFlowing
      while (isSettling()) await ended.after(ended.rings(), lookAgainMs)
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
