import { statSync } from 'node:fs'
import { isAbsolute, join } from 'node:path'
import { createWakeSignal } from '../../lib/wake-signal.ts'
import { findProgram, noProgram } from '../../lib/find-program.ts'
import type { Logger } from '../../lib/log.ts'
import { createPool } from '../../lib/pool.ts'
import { fail, ok, type Result } from '../../lib/result.ts'
import { probeForeground } from '../../lib/tty-probe.ts'
import type { Child, ChildDeps } from '../child.ts'
import type { OutputEvents } from '../output/output.ts'
import { shortHash } from '../protocol/paths.ts'
import { isSavedModes } from '../spec.ts'
import { callersTerminals } from './callers-terminals.ts'
import { privateFiles } from '../private-files.ts'
import { isDirectory, spawnFailed } from '../launch.ts'
import { createSpool } from '../output/spool.ts'
import type { ChildSpec, Exit, PtySpec } from '../protocol/types.ts'
import { createAttachments } from './attachments.ts'
import { openMaster } from './master.ts'
import { fork, resize, type ForkedTerminal } from './native.ts'
import { createReaders } from './readers.ts'
import { createTerminalSize, isSize } from './terminal-size.ts'
import { createTerminalInput, warmUp } from './terminal-input.ts'
import { statOf } from '../../lib/proc-files.ts'
import { signal } from '../../lib/process-list.ts'
import { createSessionProcesses } from '../../lib/process-tree.ts'

type TerminalSpec = ChildSpec & { pty: PtySpec }

const nothing = new Uint8Array()
const usualTerm = 'xterm-256color'
/** A terminal is hung up with its first process, and others can't print there any more. Some systems take a moment. */
const afterExitMs = 200
const lookAgainMs = 50
/** Shared by all terminals: their output is soon recorded and dropped. */
const pool = createPool(64 * 1024, 64)

export async function startTerminal(spec: TerminalSpec, deps: ChildDeps): Promise<Result<Child>> {
  const [name] = spec.argv
  if (!isDirectory(spec.cwd)) return spawnFailed(name, `directory ${spec.cwd} not found`)
  if (!isSize(spec.pty)) return spawnFailed(name, `no terminal has ${spec.pty.cols} columns and ${spec.pty.rows} rows`)
  if (!findProgram(name, spec.cwd, spec.env)) return fail(noProgram(name, spec.cwd, spec.env))
  warmUp()
  const ending = Promise.withResolvers<Exit>()
  const { argv, cwd, umask = null } = spec
  const { cols, rows } = spec.pty
  const modes = await modesLike(spec.pty)
  const env = { TERM: usualTerm, ...spec.env, PWD: placeNamed(spec.env['PWD'], cwd) }
  try {
    const forked = fork({ argv, cwd, env, modes, umask, cols, rows }, ending.resolve)
    return ok(hold(spec, forked, ending.promise, deps))
  } catch (error) {
    return spawnFailed(name, error instanceof Error ? error.message : String(error))
  }
}

function hold(spec: TerminalSpec, forked: ForkedTerminal, gone: Promise<Exit>, deps: ChildDeps): Child {
  const { pid, fd, tty } = forked
  const log: Logger = deps.log.child({ child: spec.id, pid })
  const startedAt = new Date().toISOString()
  const arrived = createWakeSignal()
  let exited: Exit | null = null
  let exit: Exit | null = null
  let hasRoom = true
  let isFlowing = true

  const events: OutputEvents = {
    changed: () => readers.wake(),
    room() {
      hasRoom = true
      flow()
    },
  }
  const directory = join(deps.paths.spool, shortHash(spec.id))
  const output = createSpool({ directory, limits: deps.limits, log, events, pool })
  const readers = createReaders({ output, exit: () => exit, changed: flow, log })
  const processes = createTerminalProcesses(pid, () => exited !== null, log)
  const sizes = createTerminalSize({ cols: spec.pty.cols, rows: spec.pty.rows }, (size) => {
    if (master.isOpen()) resize(fd, size)
    attachments.resized(size)
    deps.typed(spec.id, nothing, { to: output.to, inputs: input.inputs, by: 'size', size })
  })
  const master = openMaster({
    fd,
    data(bytes) {
      hasRoom = output.append(bytes)
      readers.append(bytes)
      flow()
    },
    end() {
      privateFiles.remove(fd)
      input.close()
      arrived.wake()
    },
  })
  const input = createTerminalInput({
    fd,
    isOpen: master.isOpen,
    id: spec.id,
    drain: () => master.drain(),
    to: () => output.to,
    typed: (bytes, inputs, by) => deps.typed(spec.id, bytes, { to: output.to, inputs, by }),
  })
  const attachments = createAttachments({ id: spec.id, readers, sizes, input, output, log })

  /** Little is left in the kernel after the exit, so that is always read. */
  function flow(): void {
    const next = exited !== null || (hasRoom && !readers.isHeld)
    if (next === isFlowing) return
    isFlowing = next
    if (next) master.resume()
    else master.pause()
  }

  const settled = gone.then(async (how) => {
    exited = how
    log.info({ ...how }, "a terminal's program ended")
    flow()
    const until = Date.now() + afterExitMs
    while (master.isOpen() && Date.now() < until) await arrived.after(arrived.count(), lookAgainMs)
    while (master.drain());
    master.close()
    input.close()
    exit = how
    readers.wake()
    deps.changed()
  })

  return {
    gone: settled,
    hasExited: () => exited !== null,
    keepsAll: true,
    write: input.write,
    // A terminal has no input to close: hanging up ends it.
    closeStdin() {},
    info: () => ({
      id: spec.id,
      pid,
      label: { ...spec.label },
      startedAt,
      from: output.from,
      to: output.to,
      exit,
      pty: { ...sizes.size, tty, inputs: input.inputs, attached: attachments.count },
    }),
    listen: readers.server,
    ack: readers.ack,
    stderr: () => Buffer.alloc(0),
    async read() {
      const piece = await output.read(output.from, Number.MAX_SAFE_INTEGER)
      return { bytes: Buffer.from(piece?.bytes ?? nothing), truncated: output.from > 0 }
    },
    async end(graceMs) {
      await processes.end(graceMs)
      if (exited) await settled
      return exited ?? { code: null, signal: null }
    },
    async forget() {
      attachments.close('the terminal was released')
      readers.stop()
      if (exited) await settled
      await output.close()
    },
    terminal: {
      writeIf: input.writeIf,
      resize: sizes.byServer,
      signal: processes.signalForeground,
      probe() {
        if (exited) return null
        const seen = probeForeground(pid, tty)
        // Everything it printed before the probe is read then.
        master.drain()
        return seen && { ...seen, to: output.to }
      },
      attach: attachments.attach,
      reply(bytes) {
        if (attachments.count === 0) input.reply(bytes)
      },
    },
  }
}

/** The modes it starts with; null: those of any new terminal. */
async function modesLike({ like, modes }: PtySpec): Promise<string | null> {
  const found = like === undefined ? '' : await callersTerminals.stty(like, '-g')
  return isSavedModes(found) ? found : (modes ?? null)
}

/** A shell keeps the name by which it reached a directory, which may lead through a link. */
const placeNamed = (name: string | undefined, cwd: string): string =>
  name !== undefined && isAbsolute(name) && isSameDirectory(name, cwd) ? name : cwd

function isSameDirectory(a: string, b: string): boolean {
  const [one, other] = [a, b].map((path) => statSync(path, { bigint: true, throwIfNoEntry: false }))
  return one !== undefined && one.ino === other?.ino && one.dev === other.dev
}

/** The processes of a terminal: those of its session and no other. */
type TerminalProcesses = {
  /** Signals the foreground group; false if there is none. */
  signalForeground(name: NodeJS.Signals): boolean
  /** Hangs up. Processes that stay longer than the grace get SIGTERM and SIGKILL. */
  end(graceMs: number): Promise<void>
}

function createTerminalProcesses(pid: number, hasExited: () => boolean, log: Logger): TerminalProcesses {
  const session = createSessionProcesses(pid, hasExited, log)
  return {
    signalForeground(name) {
      if (hasExited()) return false
      const group = statOf(pid)?.foreground ?? pid
      return signal(-(group > 0 ? group : pid), name)
    },
    async end(graceMs) {
      await session.signalAll('SIGHUP')
      // Stopped processes receive nothing until they continue.
      await session.signalAll('SIGCONT')
      if (!(await session.goneWithin(graceMs))) await session.end()
    },
  }
}
