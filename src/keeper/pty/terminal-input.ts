import { closeSync, openSync } from 'node:fs'
import { statOf } from '../../lib/proc-files.ts'
import { watchWait } from '../../lib/tty-probe.ts'
import { ok, type Result } from '../../lib/result.ts'
import { createWriteKeys } from '../write-keys.ts'
import type { ConditionalWrite, WriteCondition } from '../protocol/types.ts'
import { closed, createInputQueue } from './input-queue.ts'

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
      if (cond.to <= answeredAt) return ok(refused('typed'))
      using watch = cond.waits ? watchWait(cond.waits.mark) : null
      drain()
      if (to() !== cond.to) return ok(refused('printed'))
      if (inputs !== cond.inputs || !queue.isIdle) return ok(refused('typed'))
      if (cond.waits && watch?.isSame() !== true) return ok(refused('ran'))
      const written = put(bytes, key)
      if (!written.ok) return written
      keys.add(key)
      answeredAt = cond.to
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
