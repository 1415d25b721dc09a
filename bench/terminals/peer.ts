import nodePty from '@lydell/node-pty'
import headless from '@xterm/headless'
import { readFileSync } from 'node:fs'
import { answerCalls } from '../lib/answer-calls.ts'

export type Taken = { ms: number; bytes: number; chunks: number[] }

const size = { cols: 80, rows: 24 }
/** Written but not on the screen yet: the emulator discards what is too far ahead. */
const mostWaiting = 1024 * 1024

answerCalls({
  /** node-pty alone: everything read and counted. */
  pty: ({ argv }: { argv: [string, ...string[]] }): Promise<Taken> =>
    new Promise((resolve) => {
      const [file, ...args] = argv
      const terminal = nodePty.spawn(file, args, { ...size, encoding: null })
      const chunks: number[] = []
      let [bytes, firstAt, lastAt] = [0, 0, 0]
      terminal.onData((data) => {
        lastAt = performance.now()
        if (bytes === 0) firstAt = lastAt
        bytes += data.length
        chunks.push(data.length)
      })
      terminal.onExit(() => resolve({ ms: lastAt - firstAt, bytes, chunks }))
    }),

  /** The same number of programs at once, all read and counted. */
  async crowd(programs: [string, ...string[]][]): Promise<number> {
    let bytes = 0
    const ended = programs.map(([file, ...args]) => {
      const terminal = nodePty.spawn(file, args, { ...size, encoding: null })
      terminal.onData((data) => void (bytes += data.length))
      return new Promise((resolve) => terminal.onExit(resolve))
    })
    await Promise.all(ended)
    return bytes
  },

  /** The emulator alone: the same bytes in the same pieces. */
  async emulator({ file, chunks }: { file: string; chunks: number[] }): Promise<Taken> {
    const bytes = readFileSync(file)
    const terminal = new headless.Terminal({ ...size, scrollback: 1000, allowProposedApi: true })
    const started = performance.now()
    let at = 0
    let shown = 0
    for (const length of chunks) {
      const piece = bytes.subarray(at, at + length)
      at += length
      const written = new Promise<void>((resolve) => terminal.write(piece, () => resolve(void (shown += length))))
      if (at - shown > mostWaiting) await written
    }
    await new Promise<void>((resolve) => terminal.write('', resolve))
    const ms = performance.now() - started
    terminal.dispose()
    return { ms, bytes: at, chunks: [] }
  },
})
