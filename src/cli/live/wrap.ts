import { textWidth } from '../text-width.ts'

/** Wraps streaming text between words; the last word is held until it is complete. */
export function createWrap(width: number, start = 0): { push(text: string): string; end(): string } {
  let column = start
  let word = ''
  let gap = ''

  const place = (): string => {
    if (word === '') return ''
    const wide = textWidth(word)
    const fits = column + gap.length + wide <= width || column === 0
    const placed = fits ? gap + word : `\n${word}`
    column = fits ? column + gap.length + wide : wide
    gap = ''
    word = ''
    return placed
  }

  return {
    push(text) {
      if (width === Number.POSITIVE_INFINITY) return text
      let out = ''
      for (const part of text.split(/(\n|[^\S\n]+)/)) {
        if (part === '') continue
        if (part === '\n') {
          out += `${place()}\n`
          column = 0
          gap = ''
        } else if (/^\s/.test(part)) {
          out += place()
          gap += part.replaceAll('\t', '  ')
        } else word += part
      }
      return out
    },
    end() {
      const rest = place()
      column = 0
      gap = ''
      return rest
    },
  }
}
