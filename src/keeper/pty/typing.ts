import { watchWait } from '../../lib/tty-probe.ts'
import { ok, type Result } from '../../lib/result.ts'
import { createKeys } from '../keys.ts'
import type { ConditionalWrite, WriteCondition } from '../types.ts'
import { closed, createKeyboard } from './keyboard.ts'

/** Everything that is typed into one terminal, counted, and told to whoever listens. */
export type Typing = {
  readonly inputs: number
  /** By somebody attached. */
  type(bytes: Uint8Array): Result<void>
  /** By the server: each key once. */
  write(key: string, bytes: Uint8Array): Result<void>
  /** Not typing: what the terminal itself says to the program. */
  reply(bytes: Uint8Array): void
  writeIf(key: string, bytes: Uint8Array, cond: WriteCondition): Result<ConditionalWrite>
  close(): void
}

type Deps = {
  fd: number
  isOpen: () => boolean
  id: string
  /** Takes what is printed and not yet read. */
  drain(): void
  to: () => number
  told(bytes: Uint8Array, inputs: number, by: string): void
}

export function createTyping({ fd, isOpen, id, drain, to, told }: Deps): Typing {
  const keyboard = createKeyboard({ fd, isOpen, id })
  const keys = createKeys()
  let inputs = 0
  let answeredAt = -1

  function put(bytes: Uint8Array, by: string): Result<void> {
    const written = keyboard.write(bytes)
    if (!written.ok) return written
    inputs += bytes.length
    told(bytes, inputs, by)
    return written
  }

  return {
    get inputs() {
      return inputs
    },
    type: (bytes) => put(bytes, 'keyboard'),
    reply: (bytes) => void keyboard.write(bytes),
    write(key, bytes) {
      if (keys.has(key)) return ok(undefined)
      const written = put(bytes, key)
      if (written.ok) keys.add(key)
      return written
    },
    /** In one turn: nothing of ours comes between the last look and the write. */
    writeIf(key, bytes, cond) {
      if (keys.has(key)) return ok(wrote)
      if (!isOpen()) return closed(id)
      // Between two answers something shows: until then the program may not have noticed that it has the first.
      if (cond.to <= answeredAt) return ok(refused('typed'))
      using watch = cond.waits ? watchWait(cond.waits.mark) : null
      drain()
      if (to() !== cond.to) return ok(refused('printed'))
      if (inputs !== cond.inputs || !keyboard.isIdle) return ok(refused('typed'))
      if (cond.waits && watch?.isSame() !== true) return ok(refused('ran'))
      const written = put(bytes, key)
      if (!written.ok) return written
      keys.add(key)
      answeredAt = cond.to
      return ok(wrote)
    },
    close: () => keyboard.close(),
  }
}

const wrote: ConditionalWrite = { written: true, why: null }
const refused = (why: ConditionalWrite['why']): ConditionalWrite => ({ written: false, why })
