/** A key is a code point, or one of these. Numbers, because numbers can be overwritten. */
export const key = {
  enter: 0x11_00_01,
  backspace: 0x11_00_02,
  killLine: 0x11_00_03,
  killWord: 0x11_00_04,
  killToEnd: 0x11_00_05,
  home: 0x11_00_06,
  end: 0x11_00_07,
  left: 0x11_00_08,
  right: 0x11_00_09,
  wordLeft: 0x11_00_0a,
  wordRight: 0x11_00_0b,
  delete: 0x11_00_0c,
  /** ^C, ^\ and ^Z: the line is given up. */
  interrupt: 0x11_00_0d,
  /** ^D */
  finish: 0x11_00_0e,
  tab: 0x11_00_0f,
  up: 0x11_00_10,
  down: 0x11_00_11,
  escape: 0x11_00_12,
  /** ^V: the next key is taken literally. */
  literal: 0x11_00_13,
  /** Its effect is known only to the program. */
  other: 0x11_00_14,
} as const

export const isCharacter = (code: number): boolean => code < 0x11_00_00

const controls = new Map<number, number>([
  [0x01, key.home],
  [0x02, key.left],
  [0x03, key.interrupt],
  [0x04, key.finish],
  [0x05, key.end],
  [0x06, key.right],
  [0x08, key.backspace],
  [0x09, key.tab],
  [0x0a, key.enter],
  [0x0b, key.killToEnd],
  [0x0d, key.enter],
  [0x0e, key.down],
  [0x10, key.up],
  [0x15, key.killLine],
  [0x16, key.literal],
  [0x17, key.killWord],
  [0x1a, key.interrupt],
  [0x1c, key.interrupt],
  [0x7f, key.backspace],
])

export const controlKey = (byte: number): number => controls.get(byte) ?? key.other

const finals = new Map<string, number>([
  ['A', key.up],
  ['B', key.down],
  ['C', key.right],
  ['D', key.left],
  ['H', key.home],
  ['F', key.end],
])
const numbered = new Map<string, number>([
  ['1', key.home],
  ['3', key.delete],
  ['4', key.end],
  ['7', key.home],
  ['8', key.end],
])
/** What terminals send on their own: mouse, focus, answers to queries. It was not typed. */
const replies = new Set(['I', 'M', 'O', 'R', 'c', 'm', 'n', 't', 'y'])

/** ESC [ …: null if it is not a key. */
export function csiKey(parameters: string, final: string): number | null {
  if (final === 'u') return kittyKey(parameters)
  const plain = finals.get(final)
  if (plain !== undefined) {
    const jump = /;[3-8]$/.test(parameters)
    if (jump && plain === key.left) return key.wordLeft
    if (jump && plain === key.right) return key.wordRight
    return plain
  }
  if (final === '~') return numbered.get(parameters.split(';')[0] ?? '') ?? key.other
  return replies.has(final) ? null : key.other
}

/** ESC O … */
export const ss3Key = (final: string): number => finals.get(final) ?? (final === 'M' ? key.enter : key.other)

/** ESC and a character. */
export function altKey(byte: number): number {
  if (byte === 0x62) return key.wordLeft
  if (byte === 0x66) return key.wordRight
  if (byte === 0x7f || byte === 0x08) return key.killWord
  return key.other
}

/** Terminals with the newer keyboard protocol name keys by number. */
function kittyKey(parameters: string): number | null {
  if (parameters.startsWith('?')) return null
  const [codes = '', modifiers = '1'] = parameters.split(';')
  if (modifiers.endsWith(':3')) return null
  const code = Number.parseInt(codes, 10)
  const held = Number.parseInt(modifiers, 10) - 1
  if ((held & 4) !== 0 && code >= 0x61 && code <= 0x7a) return controlKey(code - 0x60)
  if ((held & ~1) !== 0) return key.other
  if (code === 27) return key.escape
  if (code < 0x20 || code === 0x7f) return controlKey(code)
  return Number.isInteger(code) && code <= 0x10_ff_ff ? code : key.other
}
