import { RE2JS } from 're2js'
import { fail, ok, type Result } from '../../../lib/result.ts'
import { plainAt } from './bodies.ts'

/** A configured rule, matched in linear time whatever it is. */
export type CustomMask = { readonly source: string; readonly pattern: RE2JS }

export function compileMask(source: string): Result<CustomMask> {
  try {
    return ok({ source, pattern: RE2JS.compile(source) })
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error)
    return fail({
      kind: 'invalid',
      code: 'invalid_regex',
      message: `The mask ${JSON.stringify(source)} is not a regular expression: ${why}`,
      hint: 'terminal.masks takes RE2 syntax: no look-around, no back-references.',
    })
  }
}

/** Lines are checked whole; longer ones in pieces of this many bytes. */
const longest = 4096
const star = 0x2a
const newline = 10
const nothing: Buffer = Buffer.alloc(0)

export type CustomMasker = {
  readonly held: number
  /** The part of the line that was shown before the first `push`. */
  resume(line: Buffer): void
  push(bytes: Buffer): Buffer
  flush(): Buffer
}

/**
 * Masks what the rules match within a line: their first group if there is one, otherwise the whole match. A line
 * that continues after it was shown is checked again as a whole, so that a match is hidden from where it is first seen.
 */
export function createCustomMasker(masks: readonly CustomMask[]): CustomMasker {
  let held = nothing
  /** The part of this line that was already shown, as given. */
  let before = nothing

  function hidden(bytes: Buffer): Buffer {
    const all = before.length > 0 ? Buffer.concat([before, bytes]) : bytes
    const places: number[] = []
    for (let at = plainAt(all, 0); at < all.length; at = plainAt(all, at + 1)) places.push(at)
    const plain = new Uint8Array(places.map((at) => all[at] ?? 0))
    let out: Buffer | null = null
    for (const { pattern } of masks) {
      const matcher = pattern.matcher(plain)
      while (matcher.find()) {
        const group = matcher.groupCount() > 0 && matcher.group(1) !== null ? 1 : 0
        if (matcher.end(group) === matcher.start(group)) continue
        out ??= Buffer.from(all)
        for (let at = matcher.start(group); at < matcher.end(group); at++) out[places[at] ?? 0] = star
      }
    }
    return (out ?? all).subarray(before.length)
  }

  function run(bytes: Buffer, late: boolean): Buffer {
    const parts: Buffer[] = []
    let at = 0
    for (;;) {
      const end = bytes.indexOf(newline, at)
      const isLine = end >= 0 && end - at + before.length < longest
      const stop = isLine ? end + 1 : at + longest - before.length
      if (!isLine && stop > bytes.length) break
      parts.push(hidden(bytes.subarray(at, stop)))
      before = nothing
      at = stop
    }
    held = late ? nothing : Buffer.from(bytes.subarray(at))
    if (late && at < bytes.length) {
      const rest = bytes.subarray(at)
      parts.push(hidden(rest))
      before = Buffer.concat([before, rest])
    }
    return Buffer.concat(parts)
  }

  return {
    get held() {
      return held.length
    },
    resume(line) {
      before = line
    },
    push: (bytes) => run(held.length > 0 ? Buffer.concat([held, bytes]) : bytes, false),
    flush: () => (held.length > 0 ? run(held, true) : nothing),
  }
}
