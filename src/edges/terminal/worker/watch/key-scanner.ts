import { altKey, controlKey, csiKey, key, ss3Key } from './key-codes.ts'

export type KeyScanner = {
  /** Calls back for each complete key. The rest waits for more bytes, and so does Escape, which may begin a key. */
  scan(bytes: Uint8Array, found: (code: number) => void): void
}

const esc = 0x1b
const bell = 0x07
const longestSequence = 64

/** Bytes of a keyboard → keys, however they are chunked. */
export function createKeyScanner(): KeyScanner {
  let state: 'ground' | 'escape' | 'csi' | 'ss3' | 'string' | 'mouse' = 'ground'
  let pasting = false
  let parameters = ''
  let skip = 0
  let code = 0
  let missing = 0

  function ground(byte: number, found: (code: number) => void): void {
    if (missing > 0 && (byte & 0xc0) === 0x80) {
      code = (code << 6) | (byte & 0x3f)
      missing -= 1
      if (missing === 0) found(code)
    } else if (byte === esc) state = 'escape'
    else if (byte >= 0xc0) {
      missing = byte >= 0xf0 ? 3 : byte >= 0xe0 ? 2 : 1
      code = byte & (0x3f >> missing)
    } else if (byte >= 0x80) missing = 0
    else {
      missing = 0
      const control = byte < 0x20 || byte === 0x7f
      if (!control) found(byte)
      else if (!pasting) found(controlKey(byte))
      else if (byte === 0x0a || byte === 0x0d) found(0x0a)
      else if (byte === 0x09) found(byte)
    }
  }

  function escape(byte: number, found: (code: number) => void): void {
    state = 'ground'
    parameters = ''
    if (byte === 0x5b) state = 'csi'
    else if (byte === 0x4f) state = 'ss3'
    else if (byte === 0x5d || byte === 0x50 || byte === 0x5f || byte === 0x5e) state = 'string'
    else if (byte === esc) {
      found(key.escape)
      state = 'escape'
    } else if (byte < 0x20 && byte !== 0x08) {
      found(key.escape)
      ground(byte, found)
    } else found(altKey(byte))
  }

  function csi(byte: number, found: (code: number) => void): void {
    if (byte < 0x40) {
      parameters += String.fromCodePoint(byte)
      if (parameters.length > longestSequence) state = 'ground'
      return
    }
    state = 'ground'
    const final = String.fromCodePoint(byte)
    if (final === '~' && (parameters === '200' || parameters === '201')) pasting = parameters === '200'
    else if (final === 'M' && parameters === '') {
      state = 'mouse'
      skip = 3
    } else {
      const pressed = csiKey(parameters, final)
      if (pressed !== null) found(pressed)
    }
  }

  function rest(byte: number, found: (code: number) => void): void {
    const was = state
    if (was === 'mouse') skip -= 1
    if (was === 'ss3' || (was === 'mouse' && skip === 0)) state = 'ground'
    if (was === 'ss3') found(ss3Key(String.fromCodePoint(byte)))
    if (was !== 'string') return
    // No answer of a terminal contains a line end: a person pressed Alt and a bracket.
    const lineEnd = byte === 0x0a || byte === 0x0d
    if (lineEnd || byte === bell || byte === 0x5c) state = 'ground'
    if (lineEnd) ground(byte, found)
  }

  return {
    scan(bytes, found) {
      for (const byte of bytes) {
        if (state === 'ground') ground(byte, found)
        else if (state === 'escape') escape(byte, found)
        else if (state === 'csi') csi(byte, found)
        else rest(byte, found)
      }
    },
  }
}
