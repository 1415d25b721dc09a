import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { openServerHarness, type ServerHarness } from '../acp/harness.ts'
import { forInformation, type Figure, type Line } from '../lib/line.ts'
import { sampleOf } from '../lib/sample.ts'
import { makeGate } from './gate.ts'
import { startTerminal } from './start.ts'

const bar = 100
const shapes = 4
const prompter = fileURLToPath(import.meta.resolve('./prompter.ts'))

export const terminalVerdict: Line = {
  name: 'terminals-verdict',
  measured: `From the last byte of a prompt until a reader of \`GET /api/events?session=…\` is told that the program
waits: milliseconds, over 300 prompts of four shapes in turn (a line read in canonical mode, a password with echo off,
a menu in raw mode, a line editor), each answered over REST once reported, in a terminal of the built server. The
program itself records the time after writing each prompt, so that its start is not counted.`,
  async run({ folder, quick }) {
    await using harness = await openServerHarness(folder)
    const prompts = quick ? 60 : 300
    const waits = await latencies(harness, folder, prompts)
    const sorted = waits.toSorted((a, b) => a - b)
    const at = (share: number) =>
      sorted[Math.min(sorted.length - 1, Math.ceil(sorted.length * share) - 1)] ?? Number.NaN
    const figure = (name: string, value: number): Figure =>
      forInformation({
        name: `terminals-verdict/${name}`,
        title: `Last byte of a prompt → reported as waiting, ${name}`,
        unit: 'ms',
        ours: { ...sampleOf([value]), rounds: sorted.length },
      })
    const p95 = at(0.95)
    return [
      figure('p50', at(0.5)),
      { ...figure('p95', p95), bar: `≤ ${bar} ms`, holds: p95 <= bar },
      figure('p99', at(0.99)),
    ]
  },
}

type State = { state: string; promptId: string | null; promptText: string }
const nowMs = () => performance.timeOrigin + performance.now()

async function latencies(harness: ServerHarness, folder: string, prompts: number): Promise<number[]> {
  const stamps = join(folder, 'stamps')
  writeFileSync(stamps, '')
  const gate = makeGate(folder)
  const id = await startTerminal(
    harness,
    gate.behind(`exec ${process.execPath} ${prompter} ${stamps} ${Math.ceil(prompts / shapes)}`),
  )
  const heardAt: number[] = []
  const done = Promise.withResolvers<void>()
  let last: string | null = null
  using listening = await harness.listen(`?session=${id}&type=terminal.state`, ({ data }) => {
    const at = nowMs()
    const { state, promptId, promptText } = JSON.parse(data) as State
    if (state === 'exited') return done.resolve()
    if (state !== 'waiting' || promptId === null || promptId === last) return
    last = promptId
    heardAt.push(at)
    // The gate is a read too, but not one to answer.
    if (readFileSync(stamps, 'utf8') === '') return
    // If it was detected again meanwhile, the answer is refused, and the new prompt is answered.
    const answer = promptText.startsWith('Pick') ? { keys: ['enter'] } : { text: 'yes' }
    const body = { ...answer, expectPrompt: promptId, confirmed: true }
    void harness.call('POST', `/api/terminals/${id}/input`, body).catch(done.reject)
  })
  void listening.closed.then(() => done.reject(new Error(`cut off after ${heardAt.length} prompts`)))
  await gate.open()
  await done.promise
  const written = readFileSync(stamps, 'utf8')
    .trim()
    .split('\n')
    .map((line) => Number(line.split(' ')[1]))
  // The time is recorded after the write, so the report may arrive a moment before it.
  const told = written.map((at) => (heardAt.find((heard) => heard > at - 2) ?? Number.NaN) - at)
  const unheard = told.findIndex((ms, index) => !((written[index] ?? 0) + ms < (written[index + 1] ?? Infinity)))
  if (unheard >= 0) throw new Error(`of prompt ${unheard} of ${written.length} nobody was told`)
  return told.map((ms) => Math.max(0, ms))
}
