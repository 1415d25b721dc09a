import { textWidth } from './text-width.ts'

/** Placeholder for spaces in a command while its line is wrapped; never occurs in our texts. */
const glue = '\u{f0000}'

/** A command to copy, up to the end of its clause or a comment. */
const commands =
  /(?<![\w./-])(?:[\w./-]{0,200}\/)?signalbox(?: (?!#|or\b|and\b)(?:"[^"]*"|'[^']*'|[^\s.;,)]+(?:[.;,)]+(?=\S)[^\s.;,)]+)*))+/g

/** Wraps lines between words, keeping their indentation. Commands to copy stay whole. */
export function wrapLines(text: string, width: number, hang = 0): string {
  if (width === Number.POSITIVE_INFINITY) return text
  return text
    .split('\n')
    .map((line) => {
      if (textWidth(line) <= width) return line
      const indent = /^\s*/.exec(line)?.[0] ?? ''
      const deep = indent + ' '.repeat(hang)
      const wrap = createWrap(Math.max(10, width - deep.length), indent.length - deep.length)
      const glued = line
        .slice(indent.length)
        .replaceAll(commands, (command) => command.replaceAll(' ', glue))
        .replaceAll('# ', `#${glue}`)
      const broken = (wrap.push(glued) + wrap.end()).replaceAll(glue, ' ')
      const [first = '', ...rest] = broken.replace(/^\n/, '').split('\n')
      return [indent + first, ...rest.map((one) => deep + one)].join('\n')
    })
    .join('\n')
}

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
