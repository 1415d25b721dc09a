const on = 'h'
/** On unless a program turns them off: wrapping, and the cursor. */
const usuallyOn = new Set(['7', '25'])
/** The three codes of the alternate screen. It is left last, so that its own modes are reset first. */
const otherScreen = new Set(['47', '1047', '1049'])

const esc = '\\u001b'
const sequences = new RegExp(
  [
    `${esc}\\[\\?([\\d;]+)([hl])`,
    `${esc}\\[([<>=])(\\d*)[\\d;]*u`,
    `${esc}\\[>(4)(?:;(\\d*))?m`,
    `${esc}\\[(\\d*) q`,
    `${esc}\\[([\\d;]*)r`,
    `${esc}([=>c(])([0B]?)`,
    `${esc}\\[(!)p`,
  ].join('|'),
  'g',
)
const unfinished = new RegExp(`${esc}(?:\\[[0-?]{0,40} ?|\\()?$`)

export type ScreenModes = {
  /** Reads modes from output. */
  seen(bytes: Uint8Array): void
  /** The sequence that restores a terminal after detaching. */
  undo(): string
}

/** Tracks the modes a program set, to restore the terminal after detaching. */
export function createScreenModes(): ScreenModes {
  const changed = new Set<string>()
  const marks = new Set<'keypad' | 'keys' | 'cursor' | 'margins' | 'letters'>()
  let keyboards = 0
  let rest = ''
  let wrote = false

  const forget = () => {
    changed.clear()
    marks.clear()
    keyboards = 0
  }
  const mark = (name: 'keypad' | 'keys' | 'cursor' | 'margins' | 'letters', is: boolean) => {
    if (is) marks.add(name)
    else marks.delete(name)
  }
  const take = (found: readonly (string | undefined)[]) => {
    const [, modes, set, keyboard, count, keys, level, cursor, margins, short, letters, soft] = found
    for (const mode of modes?.split(';') ?? [])
      if ((set === on) === usuallyOn.has(mode)) changed.delete(mode)
      else changed.add(mode)
    if (keyboard === '<') keyboards = Math.max(0, keyboards - Number(count || 1))
    else if (keyboard !== undefined) keyboards += keyboard === '>' ? 1 : 0
    if (keys !== undefined) mark('keys', level !== undefined && level !== '' && level !== '0')
    if (cursor !== undefined) mark('cursor', cursor !== '' && cursor !== '0')
    if (margins !== undefined) mark('margins', margins !== '')
    if (short === '=' || short === '>') mark('keypad', short === '=')
    if (short === '(') mark('letters', letters === '0')
    if (short === 'c' || soft !== undefined) forget()
  }

  return {
    seen(bytes) {
      wrote ||= bytes.length > 0
      const buffer = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength)
      if (rest === '' && !buffer.includes(0x1b)) return
      const text = rest + buffer.toString('latin1')
      for (const found of text.matchAll(sequences)) take(found)
      rest = unfinished.exec(text)?.[0] ?? ''
    },
    undo() {
      if (!wrote) return ''
      const back = (mode: string) => `\u001b[?${mode}${usuallyOn.has(mode) ? 'h' : 'l'}`
      const modes = [...changed]
      return [
        keyboards > 0 ? `\u001b[<${keyboards}u` : '',
        marks.has('keys') ? '\u001b[>4m' : '',
        marks.has('keypad') ? '\u001b>' : '',
        marks.has('letters') ? '\u001b(B' : '',
        marks.has('cursor') ? '\u001b[0 q' : '',
        marks.has('margins') ? '\u001b7\u001b[r\u001b8' : '',
        ...modes.filter((mode) => !otherScreen.has(mode)).map(back),
        ...modes.filter((mode) => otherScreen.has(mode)).map(back),
        '\u001b[0m',
      ].join('')
    },
  }
}
