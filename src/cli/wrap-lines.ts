import { createWrap } from './live/wrap.ts'
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
