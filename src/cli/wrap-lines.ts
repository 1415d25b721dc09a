import { createWrap } from './live/wrap.ts'

/** Lines that fit, broken between words; what follows a break is indented like its line. Lines to copy stay whole. */
export function wrapLines(text: string, width: number, hang = 0): string {
  if (width === Number.POSITIVE_INFINITY) return text
  return text
    .split('\n')
    .map((line) => {
      if (line.length <= width || /(?:^|[ (/])signalbox [a-z]/.test(line)) return line
      const indent = /^\s*/.exec(line)?.[0] ?? ''
      const deep = indent + ' '.repeat(hang)
      const wrap = createWrap(Math.max(10, width - deep.length))
      const [first = '', ...rest] = (wrap.push(line.slice(indent.length)) + wrap.end()).split('\n')
      return [indent + first, ...rest.map((one) => deep + one)].join('\n')
    })
    .join('\n')
}
