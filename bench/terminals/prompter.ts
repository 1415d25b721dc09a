// Asks one question after another, each in a different way, and records when the last byte of each was written.
import { appendFileSync, openSync, readSync, writeSync } from 'node:fs'
import { execFileSync } from 'node:child_process'
import { createInterface } from 'node:readline'

const [stamps = '', rounds = '1'] = process.argv.slice(2)
const tty = openSync('/dev/tty', 'r')
const stty = (...modes: string[]) => execFileSync('stty', modes, { stdio: ['inherit', 'pipe', 'pipe'] })

const shapes: Record<string, (number: number) => Promise<void> | void> = {
  line(number) {
    ask('line', `Delete ${number} tables? (yes/no): `)
    readOnce()
  },
  secret(number) {
    stty('-echo')
    ask('secret', `Password for host-${number}: `)
    readOnce()
    stty('echo')
    writeSync(1, '\n')
  },
  menu(number) {
    stty('-icanon', '-echo')
    ask('menu', `\u001b[?25lPick a colour for ${number}:\r\n❯ red\r\n  green\r\n  blue\r\n`)
    readOnce()
    stty('sane')
    writeSync(1, '\u001b[?25h')
  },
  readline: (number) =>
    new Promise<void>((resolve) => {
      const lines = createInterface({ input: process.stdin, output: process.stdout, terminal: true })
      lines.question(`Name of project ${number}? `, () => {
        lines.close()
        process.stdin.pause()
        resolve()
      })
      stamp('readline')
    }),
}

function stamp(shape: string): void {
  const at = performance.timeOrigin + performance.now()
  appendFileSync(stamps, `${shape} ${at}\n`)
}

function ask(shape: string, text: string): void {
  writeSync(1, text)
  stamp(shape)
}

/** Up to Enter. */
function readOnce(): void {
  const bytes = Buffer.alloc(1024)
  for (let count = 0; !/[\r\n]/.test(bytes.toString('latin1', 0, count));) count = readSync(tty, bytes)
}

for (let round = 0; round < Number(rounds); round += 1)
  for (const shape of Object.values(shapes)) {
    writeSync(1, `step ${round} is done, ${round * 3} files checked\n`)
    await shape(round)
  }
process.exit()
