import { wrapLines } from './wrap-lines.ts'

/** Where a command writes, and what fits there. */
export type Output = {
  /** A line for people, or a document for programs. */
  print(text: string): void
  /** Raw output for exports and streams. Resolves when more can be written. */
  write(text: string): Promise<void>
  /** Messages beside the result, on stderr. */
  note(text: string): void
  json(value: unknown): void
  readonly width: number
  readonly paint: Paint
}

const colours = { bold: 1, dim: 2, red: 31, green: 32, yellow: 33, cyan: 36 } as const
export type Colour = keyof typeof colours
export type Paint = (colour: Colour, text: string) => string

export const plain: Paint = (_colour, text) => text
export const coloured: Paint = (colour, text) => (text === '' ? '' : `\u001b[${colours[colour]}m${text}\u001b[0m`)

/** JSON.stringify leaves some characters unescaped that a terminal acts on. */
export function formatJson(value: unknown, indented: boolean): string {
  return JSON.stringify(value, null, indented ? 2 : 0).replaceAll(
    /[\u007f-\u009f\u2028\u2029\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]/g,
    (char) => `\\u${char.charCodeAt(0).toString(16).padStart(4, '0')}`,
  )
}

type OutputStream = NodeJS.WritableStream & { isTTY?: boolean; columns?: number }

export function streamOutput(stdout: OutputStream, stderr: OutputStream, env: NodeJS.ProcessEnv): Output {
  const isTerminal = stdout.isTTY === true
  return {
    print: (text) => void stdout.write(`${text}\n`),
    write: (text) =>
      stdout.write(text) ? Promise.resolve() : new Promise((resolve) => void stdout.once('drain', resolve)),
    note: (text) =>
      void stderr.write(`${wrapLines(text, stderr.isTTY ? stderr.columns || 80 : Number.POSITIVE_INFINITY)}\n`),
    json: (value) => void stdout.write(`${formatJson(value, isTerminal)}\n`),
    width: isTerminal ? Math.max(40, stdout.columns || 80) : Number.POSITIVE_INFINITY,
    paint: isTerminal && !env['NO_COLOR'] && env['TERM'] !== 'dumb' ? coloured : plain,
  }
}
