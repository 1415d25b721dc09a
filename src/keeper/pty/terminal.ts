import { join } from 'node:path'
import { createBell } from '../../lib/bell.ts'
import { findProgram, noProgram } from '../../lib/find-program.ts'
import type { Logger } from '../../lib/log.ts'
import { createPool } from '../../lib/pool.ts'
import { fail, ok, type Result } from '../../lib/result.ts'
import { probeForeground } from '../../lib/tty-probe.ts'
import type { Child, ChildDeps } from '../child.ts'
import type { OutputEvents } from '../output.ts'
import { shortHash } from '../place.ts'
import { privateFiles } from '../private-files.ts'
import { isDirectory, spawnFailed } from '../program.ts'
import { createSpool } from '../spool.ts'
import type { ChildSpec, Exit, Size } from '../types.ts'
import { createAttachments } from './attachments.ts'
import { openMaster } from './master.ts'
import { fork, resize, type Forked } from './native.ts'
import { createReaders } from './readers.ts'
import { createTerminalSession } from './session.ts'
import { createSizes, isSize } from './sizes.ts'
import { createTyping } from './typing.ts'
import { warmUp } from './warm.ts'

const nothing = new Uint8Array()
const usualTerm = 'xterm-256color'
/** With its first process a terminal is hung up, and others print there no more; this is for systems that take a while. */
const afterExitMs = 200
const lookAgainMs = 50
/** For all terminals: what they print is soon recorded, and gone. */
const pool = createPool(64 * 1024, 64)

export async function startTerminal(spec: ChildSpec & { pty: Size }, deps: ChildDeps): Promise<Result<Child>> {
  const [name, ...args] = spec.argv
  if (!isDirectory(spec.cwd)) return spawnFailed(name, `directory ${spec.cwd} not found`)
  if (!isSize(spec.pty)) return spawnFailed(name, `no terminal has ${spec.pty.cols} columns and ${spec.pty.rows} rows`)
  const file = findProgram(name, spec.cwd, spec.env)
  if (!file) return fail(noProgram(name, spec.cwd, spec.env))
  warmUp()
  const ending = Promise.withResolvers<Exit>()
  const env = { TERM: usualTerm, ...spec.env, PWD: spec.cwd }
  try {
    const forked = fork({ file, args, cwd: spec.cwd, env, ...spec.pty }, ending.resolve)
    return ok(hold(spec, forked, ending.promise, deps))
  } catch (error) {
    return spawnFailed(name, error instanceof Error ? error.message : String(error))
  }
}

function hold(spec: ChildSpec & { pty: Size }, forked: Forked, gone: Promise<Exit>, deps: ChildDeps): Child {
  const { pid, fd, tty } = forked
  const log: Logger = deps.log.child({ child: spec.id, pid })
  const startedAt = new Date().toISOString()
  const bell = createBell()
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
  const directory = join(deps.place.spool, shortHash(spec.id))
  const output = createSpool({ directory, limits: deps.limits, log, events, pool })
  const readers = createReaders({ output, exit: () => exit, changed: flow, log })
  const session = createTerminalSession(pid, () => exited !== null, log)
  const sizes = createSizes(spec.pty, (size) => {
    if (master.isOpen()) resize(fd, size)
    attachments.resized(size)
    deps.typed(spec.id, nothing, { to: output.to, inputs: typing.inputs, by: 'size', size })
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
      typing.close()
      bell.ring()
    },
  })
  const typing = createTyping({
    fd,
    isOpen: master.isOpen,
    id: spec.id,
    drain: () => master.drain(),
    to: () => output.to,
    told: (bytes, inputs, by) => deps.typed(spec.id, bytes, { to: output.to, inputs, by }),
  })
  const attachments = createAttachments({ id: spec.id, readers, sizes, typing, output, log })

  /** What is left in the kernel after the exit is little, and is taken in any case. */
  function flow(): void {
    const next = exited !== null || (hasRoom && !readers.isHeld)
    if (next === isFlowing) return
    isFlowing = next
    if (next) master.resume()
    else master.pause()
  }

  const settled = gone.then(async (how) => {
    exited = how
    log.info({ ...how }, 'a terminal’s program ended')
    flow()
    const until = Date.now() + afterExitMs
    while (master.isOpen() && Date.now() < until) await bell.after(bell.rings(), lookAgainMs)
    while (master.drain());
    master.close()
    typing.close()
    exit = how
    readers.wake()
    deps.changed()
  })

  return {
    gone: settled,
    hasExited: () => exited !== null,
    keepsAll: true,
    write: typing.write,
    // A terminal has no input to close: who hangs up ends it.
    closeStdin() {},
    info: () => ({
      id: spec.id,
      pid,
      label: { ...spec.label },
      startedAt,
      from: output.from,
      to: output.to,
      exit,
      pty: { ...sizes.size, tty, inputs: typing.inputs, attached: attachments.count },
    }),
    listen: readers.server,
    ack: readers.ack,
    stderr: () => Buffer.alloc(0),
    async read() {
      const piece = await output.read(output.from, Number.MAX_SAFE_INTEGER)
      return { bytes: Buffer.from(piece?.bytes ?? nothing), truncated: output.from > 0 }
    },
    async end(graceMs) {
      await session.end(graceMs)
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
      writeIf: typing.writeIf,
      resize: sizes.byServer,
      signal: session.signalForeground,
      probe() {
        if (exited) return null
        const seen = probeForeground(pid, tty)
        // What it printed before it was seen has been read then.
        master.drain()
        return seen && { ...seen, to: output.to }
      },
      attach: attachments.attach,
      reply(bytes) {
        if (attachments.count === 0) typing.reply(bytes)
      },
    },
  }
}
