import nodePty from '@lydell/node-pty'
import { readlinkSync } from 'node:fs'
import { setTimeout as sleep } from 'node:timers/promises'
import { detect, promptKey } from '../../src/domain/terminal/detect/detect.ts'
import { createEmulator } from '../../src/edges/terminal/emulator.ts'
import { createWatch } from '../../src/edges/terminal/worker/watch/watch.ts'
import { systemClock } from '../../src/lib/clock.ts'
import { createTtyModes } from '../../src/lib/tty-modes.ts'
import { probeForeground } from '../../src/lib/tty-probe.ts'
import { answerCalls } from '../lib/answer-calls.ts'

export type Cost = { cpuMs: number; ms: number; looks: number }

const size = { cols: 80, rows: 24 }
const inStep = 100
const stepMs = 10

answerCalls({
  async flood({ watched, seconds }: { watched: boolean; seconds: number }): Promise<Cost> {
    const program = nodePty.spawn('sh', ['-c', 'while :; do sleep 1; done'], size)
    const tty = readlinkSync(`/proc/${program.pid}/fd/0`)
    const emulator = createEmulator(size)
    const modes = createTtyModes()
    let looks = 0
    let offset = 0
    const watch = watched
      ? createWatch({
          emulator,
          clock: systemClock,
          probe: () => {
            looks += 1
            return probeForeground(program.pid, tty)
          },
          modes: () => modes.read(tty),
          remote: false,
          keyboard: true,
          detect,
          promptKey,
          report: () => {},
          entered: () => {},
          outcome: () => {},
        })
      : null
    const before = process.cpuUsage()
    const started = performance.now()
    for (let step = 0; step * stepMs < seconds * 1000; step += 1) {
      const text = Array.from(
        { length: inStep },
        (_, line) => `${step}.${line} src/app/main.ts: compiled in 12 ms\r\n`,
      ).join('')
      await emulator.write(text)
      offset += text.length
      watch?.printed(text.length, offset)
      const early = started + step * stepMs - performance.now()
      if (early > 0) await sleep(early)
    }
    const { user, system } = process.cpuUsage(before)
    const ms = performance.now() - started
    watch?.[Symbol.dispose]()
    modes[Symbol.dispose]()
    emulator.dispose()
    program.kill('SIGKILL')
    return { cpuMs: (user + system) / 1000, ms, looks }
  },
})
