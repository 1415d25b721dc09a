import { fail, ok, type Result } from '../../lib/result.ts'
import type { Size } from '../types.ts'

/** A terminal's size: that of whoever attached or typed last, of the server where nobody is attached. */
export type Sizes = {
  readonly size: Size
  /** Somebody with a screen of this size came, or changed it. */
  set(owner: object, size: Size): Result<void>
  /** They typed: the size is theirs. */
  claim(owner: object): void
  leave(owner: object): void
  byServer(size: Size, force: boolean): Result<void>
}

const most = 10_000

export function createSizes(first: Size, apply: (size: Size) => void): Sizes {
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
