import { fail, ok, type Result } from '../../lib/result.ts'
import type { Size } from '../protocol/types.ts'

/** A terminal's size is set by the person who attached or typed last, or by the server if no one is attached. */
export type TerminalSize = {
  readonly size: Size
  /** A person attached with a screen of this size, or changed it. */
  set(owner: object, size: Size): Result<void>
  /** The person typed: their screen sets the size. */
  claim(owner: object): void
  leave(owner: object): void
  byServer(size: Size, force: boolean): Result<void>
}

const most = 10_000

export function createTerminalSize(first: Size, apply: (size: Size) => void): TerminalSize {
  const screens = new Map<object, Size>()
  let owner: object | null = null
  let size = first

  function become(next: Size): void {
    if (next.cols === size.cols && next.rows === size.rows) return
    size = next
    apply(next)
  }

  return {
    get size() {
      return size
    },
    set(whose, next) {
      if (!isSize(next)) return impossible(next)
      const isNew = !screens.has(whose)
      screens.set(whose, next)
      if (isNew) owner = whose
      if (owner === whose) become(next)
      return ok(undefined)
    },
    claim(whose) {
      const theirs = screens.get(whose)
      if (!theirs) return
      owner = whose
      become(theirs)
    },
    leave(whose) {
      screens.delete(whose)
      if (owner !== whose) return
      const [next] = [...screens].at(-1) ?? []
      owner = next ?? null
      const theirs = next && screens.get(next)
      if (theirs) become(theirs)
    },
    byServer(next, force) {
      if (!isSize(next)) return impossible(next)
      if (owner && !force) return taken
      become(next)
      return ok(undefined)
    },
  }
}

export const isSize = ({ cols, rows }: Size): boolean =>
  [cols, rows].every((count) => Number.isInteger(count) && count >= 1 && count <= most)

const impossible = ({ cols, rows }: Size) =>
  fail({
    kind: 'invalid',
    code: 'terminal_size',
    message: `A terminal can't be ${cols} columns wide and ${rows} rows high.`,
    hint: `Both are whole numbers from 1 to ${most}.`,
  })

const taken = fail({
  kind: 'conflict',
  code: 'size_taken',
  message: 'Someone is attached to this terminal, and their screen sets its size.',
  hint: 'Wait until they detach, or force it.',
})
