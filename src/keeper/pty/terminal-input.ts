import { closeSync, openSync, writeSync } from 'node:fs'
import { statOf } from '../../lib/proc-files.ts'
import { watchWait } from '../../lib/tty-probe.ts'
import { ok, type Result, fail } from '../../lib/result.ts'
import { createWriteKeys } from '../write-keys.ts'
import type { ConditionalWrite, WriteCondition } from '../protocol/types.ts'

/** Everything typed into one terminal: counted, and reported to the server. */
export type TerminalInput = {
  readonly inputs: number
  /** By an attached person. */
  type(bytes: Uint8Array): Result<void>
  /** By the server: each key once. */
  write(key: string, bytes: Uint8Array): Result<void>
  /** Not typed: what the terminal itself answers to the program. */
  reply(bytes: Uint8Array): void
  writeIf(key: string, bytes: Uint8Array, cond: WriteCondition): Result<ConditionalWrite>
  close(): void
}

type Deps = {
  fd: number
  isOpen: () => boolean
  id: string
  /** Reads what was printed and not read yet. */
  drain(): void
  to: () => number
  typed(bytes: Uint8Array, inputs: number, by: string): void
}

export function createTerminalInput({ fd, isOpen, id, drain, to, typed }: Deps): TerminalInput {
  const queue = createInputQueue({ fd, isOpen, id })
  const keys = createWriteKeys()
  let inputs = 0
  let answeredAt = -1
  /** What the program waited in then. */
  let answeredIn: string | null = null

  function put(bytes: Uint8Array, by: string): Result<void> {
    const written = queue.write(bytes)
    if (!written.ok) return written
    inputs += bytes.length
    typed(bytes, inputs, by)
    return written
  }

  return {
    get inputs() {
      return inputs
    },
    type: (bytes) => put(bytes, 'keyboard'),
    reply: (bytes) => void queue.write(bytes),
    write(key, bytes) {
      if (keys.has(key)) return ok(undefined)
      const written = put(bytes, key)
      if (written.ok) keys.add(key)
      return written
    },
    /** In one turn, so that nothing of ours comes between the last check and the write. */
    writeIf(key, bytes, cond) {
      if (keys.has(key)) return ok(wrote)
      if (!isOpen()) return closed(id)
      // Something must be shown between two answers: until then the program may not have read the first.
      // A key of the same answer may show nothing: it is enough that the program ran and waits again.
      const hasRun = cond.waits !== null && answeredIn !== null && cond.waits.mark !== answeredIn
      if (cond.to <= answeredAt && !(cond.goesOn === true && hasRun)) return ok(refused('typed'))
      using watch = cond.waits ? watchWait(cond.waits.mark) : null
      drain()
      if (to() !== cond.to) return ok(refused('printed'))
      if (inputs !== cond.inputs || !queue.isIdle) return ok(refused('typed'))
      if (cond.waits && watch?.isSame() !== true) return ok(refused('ran'))
      const written = put(bytes, key)
      if (!written.ok) return written
      keys.add(key)
      answeredAt = cond.to
      answeredIn = cond.waits?.mark ?? null
      return ok(wrote)
    },
    close: () => queue.close(),
  }
}

const wrote: ConditionalWrite = { written: true, why: null }
const refused = (why: ConditionalWrite['why']): ConditionalWrite => ({ written: false, why })

const warmUpTimes = 200
let isWarm = false

/** Runs the path of a conditional write on /dev/null, so that the first real one is not slowed down by compilation. */
export function warmUp(): void {
  if (isWarm) return
  isWarm = true
  const fd = openSync('/dev/null', 'w')
  const own = `${process.pid} ${process.pid} ${statOf(process.pid)?.started ?? 0} s1 running`
  let to = 0
  const input = createTerminalInput({ fd, isOpen: () => true, id: 'nobody', drain() {}, to: () => to, typed() {} })
  for (; to < warmUpTimes; to += 1) {
    input.writeIf(`warm ${to}`, Buffer.from('y\n'), { to, inputs: input.inputs, waits: null })
    watchWait(own)?.[Symbol.dispose]()
  }
  closeSync(fd)
}

/** Input for a terminal: piece after piece, never interleaved, without waiting for the program. */
type InputQueue = {
  /** All of it is written or queued. */
  write(bytes: Uint8Array): Result<void>
  /** The queue is empty. */
  readonly isIdle: boolean
  close(): void
}

type QueueDeps = { fd: number; isOpen: () => boolean; id: string }

/** A paste of this size waits until the program reads; more is refused. */
const mostQueued = 4 * 1024 * 1024
const retryMs = 2
const slowestRetryMs = 50

function createInputQueue({ fd, isOpen, id }: QueueDeps): InputQueue {
  let queue: Uint8Array[] = []
  let waiting = 0
  let wait = retryMs
  let retry: NodeJS.Timeout | undefined

  function put(bytes: Uint8Array): void {
    const rest = bytes.subarray(writeNow(fd, bytes))
    if (rest.length === 0) return
    // The sender may reuse its buffer.
    queue.push(Buffer.from(rest))
    waiting += rest.length
    schedule()
  }

  function schedule(): void {
    retry ??= setTimeout(writeMore, wait)
  }

  function writeMore(): void {
    retry = undefined
    let progress = false
    for (let first = queue[0]; first && isOpen(); first = queue[0]) {
      const count = writeNow(fd, first)
      progress ||= count > 0
      waiting -= count
      if (count < first.length) {
        queue[0] = first.subarray(count)
        break
      }
      queue.shift()
    }
    wait = progress ? retryMs : Math.min(wait * 2, slowestRetryMs)
    if (waiting > 0 && isOpen()) schedule()
  }

  return {
    get isIdle() {
      return waiting === 0
    },
    write(bytes) {
      if (!isOpen()) return closed(id)
      if (waiting + bytes.length > mostQueued) return blocked(id, waiting)
      if (waiting === 0) {
        put(bytes)
      } else if (bytes.length > 0) {
        queue.push(Buffer.from(bytes))
        waiting += bytes.length
      }
      return ok(undefined)
    },
    close() {
      clearTimeout(retry)
      queue = []
      waiting = 0
    },
  }
}

/** Writes as much as fits now. A closed terminal takes everything; its exit reports that. */
function writeNow(fd: number, bytes: Uint8Array): number {
  let at = 0
  try {
    while (at < bytes.length) {
      const count = writeSync(fd, bytes, at)
      if (count === 0) break
      at += count
    }
    return at
  } catch (error) {
    return isFull(error) ? at : bytes.length
  }
}

const isFull = (error: unknown): boolean => error instanceof Error && 'code' in error && error.code === 'EAGAIN'

const closed = (id: string) =>
  fail({ kind: 'conflict', code: 'stdin_closed', message: `${id} accepts no more input: its program has ended.` })

const blocked = (id: string, queued: number) =>
  fail({
    kind: 'limited',
    code: 'stdin_blocked',
    message: `${id} does not read its input: ${Math.ceil(queued / 1024)} KB are already waiting.`,
    hint: 'End it, or wait until it reads again.',
  })
