// Prints numbered lines at a steady rate, and at its end how long that took.
import { readFileSync, writeFileSync, writeSync } from 'node:fs'

const [name = '', perSecond = '0', seconds = '0', report = '', gate = ''] = process.argv.slice(2)
const stepMs = 10
const inStep = (Number(perSecond) * stepMs) / 1000
const steps = (Number(seconds) * 1000) / stepMs
const words = 'compiled src/edges/terminal/worker/main.ts in 12 ms, 0 warnings'
readFileSync(gate)
const started = performance.now()
let line = 0

for (let step = 0; step < steps; step += 1) {
  const dueAt = started + step * stepMs
  const early = dueAt - performance.now()
  if (early > 0) Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, early)
  let text = ''
  for (let count = 0; count < inStep; count += 1, line += 1) text += `${name} ${line} ${words}\n`
  writeWhole(Buffer.from(text))
}
writeFileSync(report, String((performance.now() - started) / 1000))

function writeWhole(bytes: Buffer): void {
  for (let at = 0; at < bytes.length;) {
    try {
      at += writeSync(1, bytes, at)
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'EAGAIN') throw error
    }
  }
}
