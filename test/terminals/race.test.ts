import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { fileURLToPath } from 'node:url'
import type { Api } from '../support/api.ts'
import { inPty } from '../support/in-pty.ts'
import { missingPrograms } from '../support/programs.ts'
import { cleanEnv, startServer, type Server } from '../support/server.ts'
import { until } from '../support/until.ts'
import { answerAll, judge, race } from './race-run.ts'
import { shapes, type Shape } from './race-shapes.ts'
import { startRace, type RaceTerminal, type Seen } from './race-terminal.ts'
import { figure, scale } from '../support/scale.ts'

const signalbox = fileURLToPath(new URL('../../dist/signalbox.js', import.meta.url))
const races = scale({ test: 60, long: 1000 })
/** docs/terminals.md, "The window that is left". */
const astray = scale({ test: 1, long: 2 })
/** Few races are near the write, where the last check counts. */
const sweepMs = scale({ test: 12, long: 50 })
/** Long enough for a prompt to be seen and answered before it continues; in tenths of a second, as terminals count. */
const limitMs = 400
const calm = scale({ test: 10, long: 40 })
const bucketMs = 10

const here = shapes.filter(({ program }) => missingPrograms([program]).length === 0)

describe('an answer to a program that may continue on its own', () => {
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

  it('is delivered if nothing changes, in at least 99 of 100 cases', async () => {
    const terminals = await open('calm', 0)
    const all = await Promise.all(
      terminals.map(async (terminal) => ({ terminal, sent: await answerAll(terminal, calm) })),
    )
    const judged = all.map(({ terminal, sent }) => judge(terminal, sent))
    await over(terminals)
    const sent = all.flatMap((one) => one.sent)
    const delivered = sent.filter(({ status }) => status === 'delivered').length
    figure('answers to programs that wait', `${delivered} of ${sent.length} delivered`)
    expect(judged.flatMap(({ wrong }) => wrong)).toEqual([])
    expect(judged.flatMap(({ untrue }) => untrue)).toEqual([])
    expect(sent.length).toBeGreaterThanOrEqual(scale({ test: 75, long: 300 }))
    // One of the fewer than 100 in a short run, too.
    expect(sent.length - delivered).toBeLessThanOrEqual(Math.ceil(sent.length / 100))
  })

  it('never reaches the next prompt, whenever the program continues', async () => {
    const terminals = await open(
      'race',
      limitMs,
      here.filter(({ tears }) => !tears),
    )
    let count = 0
    // Every tenth of a millisecond once, near and far ones mixed.
    const next = () => (count < races ? (((count++ * 619) % races) / races) * 2 * sweepMs - sweepMs : null)
    const judged = await Promise.all(terminals.map(async (terminal) => judge(terminal, await race(terminal, next))))
    await over(terminals)
    const offsets = judged.flatMap((one) => one.offsets)
    const wrong = judged.flatMap((one) => one.wrong)
    figure('answers racing programs that go on', `${offsets.length} races, ${wrong.length} astray`)
    console.log(tableOf(offsets, wrong))
    expect(wrong.length, wrong.join('\n')).toBeLessThanOrEqual(astray)
    // An answer that went astray is missing at its own prompt, and may be too much at the next.
    const untrue = judged.flatMap((one) => one.untrue)
    expect(untrue.length, untrue.join('\n')).toBeLessThanOrEqual(2 * astray)
    expect(offsets.length).toBeGreaterThanOrEqual(races)
  })

  it('from two people at once is accepted from one of them, and the other is told', async () => {
    const api = server.api()
    const script = 'for n in 1 2 3 4 5 6 7 8 9; do read -rp "Keep entry $n? [y/n] " a; echo "$n: $a"; done; sleep 100'
    const { sessionId: id } = await api.post<{ sessionId: string }>('/api/terminals', {
      sessionType: 'script',
      command: ['bash', '-c', script],
    })
    for (let number = 1; number < 9; number += 1) {
      const { promptId } = await waitingFor(api, id, `Keep entry ${number}?`)
      const given = await Promise.all(['yes', 'no'].map((text) => answer(api, id, { text, expectPrompt: promptId })))
      expect(given.toSorted()).toEqual(['delivered', 'refused_stale'])
    }
    const lines = await shownBy(api, id)
    expect(lines.match(/^\d: (?:yes|no)$/gm)).toHaveLength(8)
    await api.post(`/api/terminals/${id}/end`)
  })

  it('is refused while someone has typed half a line at the keyboard', async () => {
    const api = server.api()
    const argv = [
      process.execPath,
      signalbox,
      'run',
      '--',
      'bash',
      '-c',
      'read -rp "Keep it? " a; echo "got <$a>"; sleep 100',
    ] as const
    using keyboard = inPty([...argv], cleanEnv({ SIGNALBOX_HOME: server.home }))
    await until(() => keyboard.text().includes('Keep it? '))
    const { sessionId: id } = await until(async () => {
      const { terminals } = await api.get<{ terminals: Listed[] }>('/api/terminals?state=active')
      return terminals.find(({ command }) => command?.some((word) => word.includes('Keep it?')))
    })
    const { promptId } = await waitingFor(api, id, 'Keep it?')
    keyboard.type('ha')
    await until(() => keyboard.text().includes('Keep it? ha'))
    expect(await answer(api, id, { text: 'no', expectPrompt: promptId })).toBe('refused_stale')
    keyboard.type('lf\r')
    await until(() => keyboard.text().includes('got <half>'))
    await api.post(`/api/terminals/${id}/end`)
  })
})

type Listed = { sessionId: string; command: string[] | null }

const waitingFor = (api: Api, id: string, words: string): Promise<Seen> =>
  until(
    async () => {
      const now = await api.get<Seen>(`/api/terminals/${id}/detection`)
      return now.waiting && now.promptText.includes(words) ? now : null
    },
    { what: words },
  )

const answer = async (api: Api, id: string, body: Record<string, unknown>): Promise<string> =>
  (await api.post<{ status: string }>(`/api/terminals/${id}/input`, body)).status

const shownBy = async (api: Api, id: string): Promise<string> =>
  (await api.get<{ screen: string }>(`/api/terminals/${id}/screen`)).screen

/** How often each outcome, by the time from the write to the change. */
function tableOf(offsets: readonly { status: string; offset: number }[], wrong: readonly string[]): string {
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
  return [
    'change after   delivered     stale  unreadable unverified',
    ...lines,
    `wrong: ${wrong.length}`,
    ...wrong,
  ].join('\n')
}
