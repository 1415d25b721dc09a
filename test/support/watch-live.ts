import { readlinkSync } from 'node:fs'
import { spawn } from '@lydell/node-pty'
import { detect, promptKey } from '../../src/domain/terminal/detect/detect.ts'
import { createEmulator } from '../../src/edges/terminal/emulator.ts'
import type { KeyboardAnswer, AnswerOutcome, WatchState } from '../../src/edges/terminal/worker/watch/types.ts'
import { createWatch } from '../../src/edges/terminal/worker/watch/watch.ts'
import { systemClock, type Clock } from '../../src/lib/clock.ts'
import { createTtyModes } from '../../src/lib/tty-modes.ts'
import { probeForeground } from '../../src/lib/tty-probe.ts'
import { until } from './until.ts'

const verdictMs = 1000
const patienceMs = 20_000
/** What is judged because nothing else came for seconds is judged later: a busy machine is slow, not silent. */
const patientClock: Clock = {
  ...systemClock,
  at: (time, run) => systemClock.at(time - systemClock.now() < verdictMs ? time : time + patienceMs, run),
}

/** A real program in a real terminal, watched. */
export function watchLive(file: string, args: string[], { remote = false, kernel = true } = {}) {
  const pty = spawn(file, args, {
    cols: 80,
    rows: 24,
    encoding: null,
    env: { PATH: process.env['PATH'], HOME: '/nonexistent', TERM: 'xterm-256color', LC_ALL: 'C.UTF-8', PS1: '$ ' },
  })
  // Right after the start the child still has its parent's files.
  const terminal = () => {
    const path = readlinkSync(`/proc/${pty.pid}/fd/0`)
    return path.startsWith('/dev/pts/') ? path : null
  }
  const emulator = createEmulator({ cols: 80, rows: 24 })
  const modes = createTtyModes()
  const reports: WatchState[] = []
  const entered: KeyboardAnswer[] = []
  const outcomes: AnswerOutcome[] = []
  let offset = 0
  let ended = false
  const watch = createWatch({
    emulator,
    clock: patientClock,
    probe: () => (kernel ? probeForeground(pty.pid, terminal()) : null),
    modes: async () => (kernel ? modes.read(terminal() ?? '') : null),
    remote,
    detect,
    promptKey,
    report: (state) => void reports.push(state),
    entered: (input) => void entered.push(input),
    outcome: (outcome) => void outcomes.push(outcome),
  })
  // Encoding null gives bytes, whatever the types say.
  pty.onData((data: string | Uint8Array) => {
    const bytes = typeof data === 'string' ? Buffer.from(data) : data
    void emulator.write(bytes).then(() => {
      offset += bytes.length
      watch.printed(bytes.length, offset)
    })
  })
  pty.onExit(({ exitCode }) => {
    ended = true
    // First the last bytes have to be on the screen.
    void emulator.write('').then(() => watch.exited(exitCode))
  })
  return {
    watch,
    reports,
    entered,
    outcomes,
    screen: () => emulator.text(),
    type(text: string, by = 'anna') {
      pty.write(text)
      watch.typed(Buffer.from(text), { by })
    },
    waits: (text: string | RegExp) =>
      until(
        () => {
          const { prompt } = watch.state
          const isMeant = typeof text === 'string' ? prompt?.text.includes(text) : text.test(prompt?.text ?? '')
          return isMeant ? prompt : null
        },
        { what: `a prompt like ${String(text)}` },
      ),
    exits: () => until(() => watch.state.state === 'exited', { what: 'the end of the program' }),
    [Symbol.dispose]() {
      watch[Symbol.dispose]()
      modes[Symbol.dispose]()
      if (!ended) pty.kill('SIGKILL')
      emulator.dispose()
    },
  }
}
