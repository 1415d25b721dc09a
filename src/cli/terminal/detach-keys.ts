import { wrongUsage } from '../failure.ts'

/** The keys that detach, as the bytes a plain terminal sends for them; empty: no keys detach. */
export type DetachKeys = { readonly text: string; readonly bytes: readonly number[] }

/** Docker's Ctrl-P is history in every shell. Ctrl-] is only telnet's escape and a tag jump in vim. */
export const usualDetachKeys = 'ctrl-],d'

const escape = 0x1b

/** `ctrl-],d`: a sequence of keys, each a character or Ctrl with one; `none` turns them off. */
export function readDetachKeys(text: string): DetachKeys {
  if (text.toLowerCase() === 'none') return { text, bytes: [] }
  const bytes = text.split(',').map((key) => byteOf(key.trim()))
  if (bytes.every((byte) => byte !== null)) return { text, bytes }
  throw wrongUsage(
    `Invalid --detach-keys "${text}".`,
    'Separate keys with commas, such as ctrl-],d or ctrl-p,ctrl-q; or none.',
  )
}

function byteOf(key: string): number | null {
  const ctrl = /^ctrl-([a-z@\\\]^_])$/i.exec(key)?.[1]
  if (ctrl !== undefined) return ctrl.toUpperCase().charCodeAt(0) & 0x1f
  return /^[!-~]$/.test(key) ? key.charCodeAt(0) : null
}

export const detachOptions = (flags: {
  detach: boolean
  'detach-keys': string | undefined
}): { detach: boolean; detachKeys: DetachKeys } => ({
  detach: flags.detach,
  detachKeys: readDetachKeys(flags['detach-keys'] ?? usualDetachKeys),
})

/** `Ctrl-] d`, for people. */
export const spelledKeys = ({ text }: DetachKeys): string =>
  text
    .split(',')
    .map((key) => key.trim().replace(/^ctrl-(.)$/i, (_all, letter: string) => `Ctrl-${letter.toUpperCase()}`))
    .join(' ')

export type Detacher = {
  /** What goes to the program, and whether the keys were pressed. */
  feed(bytes: Buffer): { pass: Buffer; detach: boolean }
  /** Part of the sequence was pressed and is held back. */
  readonly holding: boolean
  /** Stops waiting for the rest of the sequence. */
  release(): Buffer
}

/** Finds the sequence in what is typed. Everything else passes unchanged and in order. */
export function createDetacher({ bytes: wanted }: DetachKeys): Detacher {
  let held: Buffer[] = []
  let matched = 0

  const release = (): Buffer => {
    const all = Buffer.concat(held)
    held = []
    matched = 0
    return all
  }

  return {
    feed(bytes) {
      if (wanted.length === 0) return { pass: bytes, detach: false }
      const passed: Buffer[] = []
      for (let at = 0; at < bytes.length;) {
        const { byte, length } = keyAt(bytes, at)
        const key = bytes.subarray(at, at + length)
        at += length
        if (byte !== 'released' && byte !== wanted[matched] && matched > 0) passed.push(release())
        if (byte === wanted[matched]) matched += 1
        if (matched === 0) passed.push(key)
        else held.push(key)
        if (matched < wanted.length) continue
        release()
        return { pass: Buffer.concat(passed), detach: true }
      }
      return { pass: Buffer.concat(passed), detach: false }
    },
    get holding() {
      return matched > 0
    },
    release,
  }
}

type DetachKey = { byte: number | 'released' | null; length: number }

// Programs may ask the terminal to send keys in long forms: `CSI code ; modifiers : event u` and `CSI 27 ; modifiers ; code ~`.
const longForm = /^\[(?:(\d+)(?::\d*)*(?:;(\d*)(?::(\d))?(?:;[\d:]*)?)?u|27;(\d+);(\d+)~)/
const longestForm = 40
const control = 4
const lockKeys = 64 | 128

function keyAt(bytes: Buffer, at: number): DetachKey {
  const first = bytes[at] ?? 0
  if (first !== escape) return { byte: first, length: 1 }
  const found = longForm.exec(bytes.toString('latin1', at + 1, at + 1 + longestForm))
  if (!found) return { byte: null, length: 1 }
  const [all, code, modifiers, event, otherModifiers, otherCode] = found
  const length = all.length + 1
  if (event === '3') return { byte: 'released', length }
  return { byte: plainByte(Number(code ?? otherCode), Number(modifiers || otherModifiers || 1) - 1), length }
}

function plainByte(code: number, modifiers: number): number | null {
  const pressed = modifiers & ~lockKeys
  if (pressed === control) return code >= 64 && code < 128 ? code & 0x1f : null
  return pressed === 0 && code < 128 ? code : null
}
