import { createCommandLineMasker } from './command-line.ts'
import { createCustomMasker, type CustomMask } from './custom-masks.ts'
import { createEchoGuard, type Guarding } from './echo-guard.ts'
import { createFrame } from './frame.ts'
import { createMasker, prepareMasks, type Masks } from './masker.ts'
import { builtInMasks } from './masks.ts'
import { createSuspect, type Suspect } from './suspect.ts'
import { createTaint } from './taint.ts'
import { isUtf8 } from 'node:buffer'

/**
 * From a program's output to what may be stored and shown: no split characters, escape sequences or CR LF, and no
 * secrets. The text has exactly as many bytes as the input, so that offsets are the same in both.
 */
export type Capture = {
  /** The last result of `push`, `flush` or `end`, in UTF-8; valid until the next `push` of any capture. */
  readonly encoded: Buffer
  /** How much was passed on: the offset of the next byte of text. */
  readonly offset: number
  /** How many bytes are held until more arrives. */
  readonly held: number
  /** True while `flush` would release something: call it 20 ms after the last `push`. */
  readonly waits: boolean
  /** What can be passed on now; may be empty. */
  push(bytes: Uint8Array): string
  /** What could still have become a secret or a CR LF, but did not in time. */
  flush(): string
  /** Everything left: no more input will come. */
  end(): string
  /**
   * Input typed while a secret prompt is open: its echo is masked, and what was entered is masked wherever it is printed
   * from then on. Call it before the output that follows.
   */
  guard(typed: Uint8Array, how: Guarding): void
  /** The secret prompt has ended. */
  unguard(): void
  /** Which typed lines the program showed. */
  readonly echo: Omit<Suspect, 'see'>
}

export type CaptureMasks = { readonly builtIn: Masks; readonly custom: readonly CustomMask[] }

/** Built once and shared: it takes some milliseconds. */
export const captureMasks = (custom: readonly CustomMask[] = []): CaptureMasks => ({
  builtIn: prepareMasks(builtInMasks),
  custom,
})

const longestLine = 1024
const defaultColumns = 80
const nothing: Buffer = Buffer.alloc(0)

export type CaptureDeps = {
  readonly masks: CaptureMasks
  /** Where it continues: the end of the recording. */
  readonly offset?: number
  /** The end of the recorded text up to there: a secret that began in it continues. */
  readonly before?: string
  /** How wide the terminal is now. */
  readonly columns?: () => number
}

export function createCapture(deps: CaptureDeps): Capture {
  const frame = createFrame()
  const taint = createTaint()
  const guard = createEchoGuard(taint)
  const suspect = createSuspect(taint, {
    line: () => line,
    columns: deps.columns ?? (() => defaultColumns),
  })
  const commands = createCommandLineMasker()
  const masker = createMasker(deps.masks.builtIn)
  const custom = deps.masks.custom.length > 0 ? createCustomMasker(deps.masks.custom) : null
  let offset = deps.offset ?? 0
  let line = nothing
  let encoded = nothing

  /** The end of the shown text, back to the start of its line: the prompt, if a secret is typed now. */
  function remember(bytes: Buffer): void {
    const start = Math.max(bytes.lastIndexOf(10) + 1, bytes.length - longestLine)
    const more = bytes.subarray(start)
    line = Buffer.from(start > 0 ? more : Buffer.concat([line, more]).subarray(-longestLine))
  }

  if (deps.before) {
    const before = Buffer.from(deps.before)
    masker.resume(before)
    remember(before)
    commands.resume(line)
    custom?.resume(line)
  }

  function masked(bytes: Buffer): Buffer {
    const once = bytes.length > 0 ? masker.push(commands.push(bytes)) : bytes
    return custom && once.length > 0 ? custom.push(once) : once
  }

  function handOn(bytes: Buffer): string {
    encoded = wellFormed(bytes)
    if (bytes.length === 0) return ''
    offset += bytes.length
    remember(bytes)
    return encoded.toString('utf8')
  }

  const guarded = (bytes: Buffer): Buffer => (guard.isOn && bytes.length > 0 ? guard.push(bytes) : bytes)
  const tainted = (bytes: Buffer): Buffer => (bytes.length > 0 ? taint.push(bytes) : bytes)
  /** As the program printed it: a guarded echo is seen, too. */
  const seen = (bytes: Buffer): Buffer => {
    if (bytes.length > 0) suspect.see(bytes)
    return bytes
  }

  /** Each stage, first to last, releases what it holds. */
  function flushed(whole: Buffer): Buffer {
    const parts = [masked(tainted(guarded(whole))), masked(tainted(guard.flush())), masked(taint.flush())]
    const told = masker.flush()
    parts.push(custom ? custom.push(told) : told)
    if (custom) parts.push(custom.flush())
    return Buffer.concat(parts)
  }

  const waiting = () => guard.held + taint.held + masker.held + (custom?.held ?? 0)

  return {
    get encoded() {
      return encoded
    },
    get offset() {
      return offset
    },
    get held() {
      return frame.held + waiting()
    },
    get waits() {
      return frame.isReturn || waiting() > 0
    },
    push(bytes) {
      const whole = frame.push(Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength))
      return handOn(masked(tainted(guarded(seen(whole)))))
    },
    flush: () => handOn(flushed(seen(frame.flush()))),
    end: () => handOn(flushed(seen(frame.end()))),
    guard: (typed, how) => guard.typed(typed, line, how),
    unguard: () => guard.over(),
    echo: suspect,
  }
}

/**
 * Bytes as text of the same length in UTF-8: each byte that is not part of a character becomes `?`. Because the length
 * stays the same, an offset in the text is also an offset in the source.
 */
const wellFormed = (bytes: Buffer): Buffer => (isUtf8(bytes) ? bytes : repaired(bytes))

function repaired(bytes: Buffer): Buffer {
  const copy = Buffer.from(bytes)
  for (let at = 0; at < copy.length;) {
    const length = characterAt(copy, at)
    if (length === 0) copy[at] = 0x3f
    at += length || 1
  }
  return copy
}

/** The length of the character that starts here; 0 if none does. */
function characterAt(bytes: Buffer, at: number): number {
  const first = bytes[at] ?? 0
  if (first < 0x80) return 1
  const length = first >= 0xf0 ? 4 : first >= 0xe0 ? 3 : 2
  if (first < 0xc2 || first > 0xf4 || at + length > bytes.length) return 0
  return isUtf8(bytes.subarray(at, at + length)) ? length : 0
}
