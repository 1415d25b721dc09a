/** Lines as builds, tests and servers print them, all different; each ends in CR LF, as a terminal prints it. */
export function linesOf(kind: 'plain' | 'coloured', bytes: number): string {
  const lines: string[] = []
  let size = 0
  for (let number = 0; size < bytes; number += 1) {
    const line = kind === 'plain' ? plain(number) : coloured(number)
    lines.push(line)
    size += Buffer.byteLength(line) + 2
  }
  return `${lines.join('\n')}\n`
}

/** The output of a terminal for this input. */
export const throughTerminal = (text: string): Buffer => Buffer.from(text.replaceAll('\n', '\r\n'))

const words = [
  'resolved',
  'src/app/dispatch.ts',
  'warning:',
  'unused',
  'in 12.4ms',
  'GET /api/items/42 200',
  'Überprüft',
  'ok',
]

function plain(number: number): string {
  const text = Array.from({ length: 3 + (number % 6) }, (_, at) => words[(number * 7 + at * 3) % words.length])
  return `${String(number).padStart(8, '0')} [${number % 97}] ${text.join(' ')}`
}

function coloured(number: number): string {
  const code = 31 + (number % 6)
  return `\u001b[2m${String(number).padStart(8, '0')}\u001b[0m \u001b[1;${code}m${words[number % words.length]}\u001b[0m ${plain(number).slice(9)} \u001b[38;5;${number % 256}m✓\u001b[39m`
}
