import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { missingPrograms } from '../support/programs.ts'
import { startServer, type Server } from '../support/server.ts'
import { answerAll, judge, race } from './race-run.ts'
import { shapes, type Shape } from './race-shapes.ts'
import { startRace, type RaceTerminal } from './race-terminal.ts'

const races = 1000
const sweepMs = 50
/** Long enough for a prompt to be seen and answered before it goes on. */
const limitMs = 350
const calm = 40
const bucketMs = 10

const here = shapes.filter(({ program }) => missingPrograms([program]).length === 0)

describe('an answer, and a program that may go on by itself', () => {
  let folder: string
  let server: Server

  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'sbr-'))
    server = await startServer()
  })
  afterAll(async () => {
    await server[Symbol.asyncDispose]()
    await rm(folder, { recursive: true, force: true, maxRetries: 5 })
  })

  const open = (name: string, limit: number, chosen: readonly Shape[] = here) =>
    Promise.all(chosen.map((shape, index) => startRace(server.api(), folder, `${name}-${index}`, shape, limit)))

  async function over(terminals: readonly RaceTerminal[]): Promise<void> {
    for (const { id, [Symbol.dispose]: close } of terminals) {
      close()
      await server.api().post(`/api/terminals/${id}/end`)
    }
  }

  it('is delivered where nothing changes, in 99 of 100 cases at least', async () => {
    const terminals = await open('calm', 0)
    const all = await Promise.all(
      terminals.map(async (terminal) => ({ terminal, sent: await answerAll(terminal, calm) })),
    )
    const judged = all.map(({ terminal, sent }) => judge(terminal, sent))
    await over(terminals)
    const sent = all.flatMap((one) => one.sent)
    const delivered = sent.filter(({ status }) => status === 'delivered').length
    console.log(`${delivered} of ${sent.length} delivered where nothing changes`)
    expect(judged.flatMap(({ wrong }) => wrong)).toEqual([])
    expect(judged.flatMap(({ untrue }) => untrue)).toEqual([])
    expect(sent.length).toBeGreaterThanOrEqual(300)
    expect(delivered / sent.length).toBeGreaterThanOrEqual(0.99)
  })

  it('never reaches the next prompt, whenever the program goes on', async () => {
    const terminals = await open(
      'race',
      limitMs,
      here.filter(({ tears }) => !tears),
    )
    let count = 0
    // Every tenth of a millisecond once, the near ones and the far ones mixed.
    const next = () => (count < races ? (((count++ * 619) % races) / races) * 2 * sweepMs - sweepMs : null)
    const judged = await Promise.all(terminals.map(async (terminal) => judge(terminal, await race(terminal, next))))
    await over(terminals)
    const offsets = judged.flatMap((one) => one.offsets)
    console.log(tableOf(offsets, judged.flatMap(({ wrong }) => wrong).length))
    expect(judged.flatMap(({ wrong }) => wrong)).toEqual([])
    expect(judged.flatMap(({ untrue }) => untrue)).toEqual([])
    expect(offsets.length).toBeGreaterThanOrEqual(races)
  })
})

/** How often what came of an answer, by the time from its write to the change. */
function tableOf(offsets: readonly { status: string; offset: number }[], wrong: number): string {
  const rows = new Map<number, Record<string, number>>()
  for (const { status, offset } of offsets) {
    const edge = sweepMs + 3 * bucketMs
    const bucket = Math.max(-edge, Math.min(edge, Math.floor(offset / bucketMs) * bucketMs))
    const row = rows.get(bucket) ?? {}
    row[status] = (row[status] ?? 0) + 1
    rows.set(bucket, row)
  }
  const lines = [...rows]
    .sort(([a], [b]) => a - b)
    .map(([bucket, row]) => {
      const cells = ['delivered', 'refused_stale', 'refused_unreadable', 'unverified'].map((name) => row[name] ?? 0)
      return `${String(bucket).padStart(6)} ms ${cells.map((cell) => String(cell).padStart(10)).join('')}`
    })
  return ['change after   delivered     stale  unreadable unverified', ...lines, `wrong: ${wrong}`].join('\n')
}
