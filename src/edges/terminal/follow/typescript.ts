export type TypescriptPiece = { readonly bytes: Buffer; readonly position: number }

export type Typescript = {
  push(chunk: Buffer, position: number): TypescriptPiece[]
  /** Nothing more for now: the start of a line is returned, unless it can only be one of `script`'s own. */
  settle(): TypescriptPiece[]
}

const words = [Buffer.from('Script started on '), Buffer.from('Script done on ')]
const newline = 10
/** Lines of `script` itself are short; a longer one is not. */
const longest = 1024

/** Leaves out the lines that `script` itself writes, anywhere in the file. */
export function createTypescript(): Typescript {
  let held: Buffer = Buffer.alloc(0)
  let heldAt = 0
  let atStart = true

  return {
    push(chunk, position) {
      const all = held.length > 0 ? Buffer.concat([held, chunk]) : chunk
      const start = held.length > 0 ? heldAt : position
      const pieces: TypescriptPiece[] = []
      let from = 0
      let at = 0
      held = Buffer.alloc(0)
      const put = (to: number) => {
        if (to > from) pieces.push({ bytes: all.subarray(from, to), position: start + from })
      }
      while (at < all.length) {
        const end = all.indexOf(newline, at)
        const line = all.subarray(at, end < 0 ? undefined : end)
        const isOwn = atStart && words.some((word) => begins(line, word))
        if (end < 0 && isOwn && line.length < longest) {
          put(at)
          held = Buffer.from(line)
          heldAt = start + at
          return pieces
        }
        if (isOwn && end >= 0 && words.some((word) => line.length >= word.length && begins(line, word))) {
          put(at)
          from = end + 1
        }
        atStart = end >= 0
        at = end < 0 ? all.length : end + 1
      }
      put(all.length)
      return pieces
    },
    settle() {
      // A typescript begins with such a line.
      if (held.length === 0 || heldAt === 0 || words.some((word) => held.length >= word.length)) return []
      const piece = { bytes: held, position: heldAt }
      held = Buffer.alloc(0)
      atStart = false
      return [piece]
    },
  }
}

/** The line begins with the word, or is its beginning. */
function begins(line: Buffer, word: Buffer): boolean {
  const length = Math.min(line.length, word.length)
  return length > 0 && line.subarray(0, length).equals(word.subarray(0, length))
}
