/**
 * Finds many words in one pass, however the text is chunked: an automaton whose state is a number. Most
 * text contains none of them, so this decides how fast masking is.
 */
export type Word = {
  readonly text: string
  /** Ignores case. */
  readonly anyCase: boolean
  /** Only if no letter, digit or `_` is before it. */
  readonly alone: boolean
}

export type Triggers = {
  /** next[state | classes[byte]]: states count in steps of a power of two, so that no multiplication is needed. */
  readonly next: Uint32Array
  readonly classes: Uint8Array
  /** States from here on have found something; the highest says that an escape sequence begins. */
  readonly firstFound: number
  /** Which words end here, by their index in the list. */
  found(state: number): readonly number[]
  /** The state in which no word has begun, after this byte. */
  after(byte: number): number
  readonly start: number
}

export const isWord = (byte: number): boolean =>
  (byte >= 0x30 && byte <= 0x39) || (byte >= 0x41 && byte <= 0x5a) || byte === 0x5f || (byte >= 0x61 && byte <= 0x7a)

type WordPosition = { readonly word: number; readonly at: number }
type State = { places: readonly WordPosition[]; afterWord: boolean; found: number[]; next: number[] }

export function createTriggers(words: readonly Word[]): Triggers {
  const { classes, bytesOf } = classesOf(words)
  const beginning = bytesOf.map((byte) => words.flatMap((word, at) => (matches(word, 0, byte) ? [at] : [])))
  const count = bytesOf.length
  const shift = Math.ceil(Math.log2(count))
  const states: State[] = []
  const known = new Map<string, number>()

  function stateOf(places: readonly WordPosition[], afterWord: boolean): number {
    const key = `${afterWord}|${places.map(({ word, at }) => `${word}.${at}`).join()}`
    const same = known.get(key)
    if (same !== undefined) return same
    const found = places.filter(({ word, at }) => at === words[word]?.text.length).map(({ word }) => word)
    const index = states.push({ places, afterWord, found, next: [] }) - 1
    known.set(key, index)
    return index
  }

  function step(state: State, byte: number, byClass: number): number {
    const places: WordPosition[] = []
    for (const { word, at } of state.places) if (matches(words[word], at, byte)) places.push({ word, at: at + 1 })
    for (const word of beginning[byClass] ?? []) {
      if (!(state.afterWord && words[word]?.alone)) places.push({ word, at: 1 })
    }
    // Most steps lead back to the state in which no word has begun.
    if (places.length === 0) return isWord(byte) ? 1 : 0
    return stateOf(places, isWord(byte))
  }

  stateOf([], false)
  stateOf([], true)
  for (let index = 0; index < states.length; index++) {
    const state = states[index]
    if (state) state.next = bytesOf.map((byte, byClass) => (byte === 0x1b ? -1 : step(state, byte, byClass)))
  }
  return packed(states, classes, shift)
}

function matches(word: Word | undefined, at: number, byte: number): boolean {
  const wanted = word?.text.charCodeAt(at)
  if (word === undefined || wanted === undefined || Number.isNaN(wanted)) return false
  return wanted === byte || (word.anyCase && lower(wanted) === lower(byte))
}

const lower = (byte: number): number => (byte >= 0x41 && byte <= 0x5a ? byte + 32 : byte)

/** Bytes that no word distinguishes share a class. One of them represents it. */
function classesOf(words: readonly Word[]): { classes: Uint8Array; bytesOf: number[] } {
  const letters = new Set(words.flatMap(({ text }) => [...Buffer.from(text.toLowerCase() + text.toUpperCase())]))
  const classes = new Uint8Array(256)
  const bytesOf: number[] = []
  const byKey = new Map<string, number>()
  for (let byte = 0; byte < 256; byte++) {
    const key = byte === 0x1b || letters.has(byte) ? String(byte) : isWord(byte) ? 'word' : 'other'
    const index = byKey.get(key) ?? bytesOf.push(byte) - 1
    byKey.set(key, index)
    classes[byte] = index
  }
  return { classes, bytesOf }
}

/** States that found something get the highest numbers, so that one comparison tells. */
function packed(states: readonly State[], classes: Uint8Array, shift: number): Triggers {
  const plain = states.filter(({ found }) => found.length === 0)
  const order = [...plain, ...states.filter(({ found }) => found.length > 0)]
  const numbers = new Map(order.map((state, index) => [state, index]))
  const escape = order.length
  const next = new Uint32Array((escape + 1) << shift)
  for (const [index, state] of order.entries()) {
    for (const [byClass, target] of state.next.entries()) {
      const to = states[target]
      next[(index << shift) | byClass] = (to ? (numbers.get(to) ?? 0) : escape) << shift
    }
  }
  const start = states[0]
  const afterWord = states[1]
  const startNumber = ((start && numbers.get(start)) ?? 0) << shift
  const afterWordNumber = ((afterWord && numbers.get(afterWord)) ?? 0) << shift
  return {
    next,
    classes,
    firstFound: plain.length << shift,
    found: (state) => order[state >> shift]?.found ?? [],
    after: (byte) => (isWord(byte) ? afterWordNumber : startNumber),
    start: startNumber,
  }
}
