import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { openServerHarness, type ServerHarness } from '../acp/harness.ts'
import { collectGarbage } from '../lib/collect-garbage.ts'
import { freePort } from '../lib/free-port.ts'
import { forInformation, type Figure, type Line } from '../lib/line.ts'
import { sampleOf } from '../lib/sample.ts'
import { ourProcesses, residentOf } from './processes.ts'
import { startTerminal } from './start.ts'
import { linesOf } from './text.ts'

const bar = 5
const few = 10
const many = 50
const much = 250
const rounds = 10
/** 1,000 lines and the 24 on the screen, 80 cells each, as the emulator keeps them. */
const scrollback = (1024 * 80 * 12) / 1e6

export const terminalMemory: Line = {
  name: 'terminals-memory',
  measured: `Resident memory of the built server and its keeper together, per terminal: the growth from ${few} to
${many} terminals of 80 × 24, each with a full scrollback of 1,000 lines and its program waiting for input. The
program itself is not counted, nor are the cells of screen and scrollback (12 bytes each, ${scrollback.toFixed(2)}
MB). Another terminal has printed a lot before, and the server collects its garbage first. "Printed ${much} MB" is the
growth per terminal after ${rounds} more that printed that much, one after another.`,
  async run({ folder, quick }) {
    const port = await freePort()
    const place = join(folder, 'server')
    mkdirSync(place)
    await using harness = await openServerHarness(place, '', `--inspect=127.0.0.1:${port}`)
    const file = join(folder, 'lines.txt')
    writeFileSync(file, linesOf('coloured', 1e6))
    const add = (count: number, megabytes: number) => addIdle(harness, file, count, megabytes)
    // Memory that a flood once took from the system is kept for the next one; it belongs to no terminal.
    await add(1, quick ? 50 : much)
    await add(few, 1)
    const before = await resident(harness, port)
    await add(quick ? few : many - few, 1)
    const each = ((await resident(harness, port)) - before) / (quick ? few : many - few)
    // One after another: what the system reclaims between two floods belongs to no terminal.
    const quiet = await resident(harness, port)
    const floods = quick ? 2 : rounds
    for (let round = 0; round < floods; round += 1) await add(1, quick ? 50 : much)
    const flooded = ((await resident(harness, port)) - quiet) / floods
    return [
      figure('idle', 'Memory a terminal beyond its scrollback', each - scrollback),
      figure('printed', `Memory a terminal that printed ${much} MB, beyond its scrollback`, flooded - scrollback),
    ]
  },
}

const figure = (name: string, title: string, value: number): Figure => ({
  ...forInformation({ name: `terminals-memory/${name}`, title, unit: 'MB', ours: sampleOf([value]) }),
  bar: `≤ ${bar} MB`,
  holds: value <= bar,
})

/** Started a few at a time; waits until each has printed everything and waits. */
async function addIdle(harness: ServerHarness, file: string, count: number, megabytes: number): Promise<void> {
  const command = `i=0; while [ $i -lt ${megabytes} ]; do cat '${file}'; i=$((i+1)); done; read -r _`
  for (let left = count; left > 0; left -= 5) {
    const ids = await Promise.all(
      Array.from({ length: Math.min(5, left) }, () => startTerminal(harness, ['sh', '-c', command])),
    )
    for (const id of ids) while (!(await isIdle(harness, id, megabytes * 1e6))) await sleep(50)
  }
}

async function isIdle(harness: ServerHarness, id: string, bytes: number): Promise<boolean> {
  const { offset } = await harness.call<{ offset: number }>('GET', `/api/terminals/${id}/screen`)
  return offset >= bytes
}

async function resident(harness: ServerHarness, port: number): Promise<number> {
  await sleep(1000)
  await collectGarbage(port)
  await sleep(1000)
  return residentOf(ourProcesses(harness))
}
