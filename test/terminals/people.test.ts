import { readFileSync, writeFileSync } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import type { Browser } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { openMcpHarness, type McpHarness } from '../conformance/mcp-harness.ts'
import { openBrowser } from '../support/browser.ts'
import { figure, scale } from '../support/scale.ts'
import { until } from '../support/until.ts'
import { byAsk, byCommands, byMcp, byPage, byRest, type Person } from './people-surfaces.ts'

/** A harmless question, then a dangerous one, and so on; it writes down what it read for each. */
const program = `file=$1 n=0
while :; do
  n=$((n + 1))
  if [ $((n % 2)) = 1 ]; then printf 'Continue with part %s? [y/n] ' $n; else printf 'Delete all customer data of part %s? [y/n] ' $n; fi
  printf 'asked %s\\n' $n >> "$file"
  read -r line
  printf 'got %s <%s>\\n' $n "$line" >> "$file"
done`
const questionOf = (n: number): string =>
  n % 2 === 1 ? `Continue with part ${n}?` : `Delete all customer data of part ${n}?`

const long = { timeout: scale({ test: 120_000, long: 3_600_000 }) }
const config = '[terminal]\nask_after_seconds = 0\n'

describe('two people who answer at once', () => {
  let folder: string
  let harness: McpHarness
  let shared: Browser | undefined
  const total = { rounds: 0, wrong: 0, taken: 0 }
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'sbp-'))
    harness = await openMcpHarness({ config, places: 4 })
  })
  afterAll(async () => {
    if (total.rounds > 0)
      figure(
        'two people at once',
        `${total.rounds} rounds, ${total.taken} answered at the first try, ${total.wrong} wrong`,
      )
    await shared?.close()
    await harness?.[Symbol.asyncDispose]()
    await rm(folder, { recursive: true, force: true })
  })

  async function start(): Promise<{ id: string; file: string }> {
    const file = join(folder, `${total.rounds}-${Math.random()}.txt`)
    writeFileSync(file, '')
    const { sessionId: id } = await harness.owner.post<{ sessionId: string }>('/api/terminals', {
      sessionType: 'script',
      command: ['bash', '-c', program, 'bash', file],
      cwd: folder,
    })
    return { id, file }
  }

  /** Both see a question and answer it; the next must not get anything, whoever of them is late. */
  async function race(count: number, { id, file }: { id: string; file: string }, people: readonly Person[]) {
    const wrong: string[] = []
    const lines = () => readFileSync(file, 'utf8').split('\n')
    const last = () => lines().filter((line) => line.startsWith('asked ')).length
    await until(() => last() > 0, { what: 'the first question' })
    for (let round = 0; round < count; round += 1) {
      const n = last()
      const before = lines()
      await Promise.all(people.map((person) => person.see(questionOf(n))))
      const said = await Promise.all(
        people.map(async (person, which) => {
          await pause(which === round % 2 ? 0 : (round * 37) % 150)
          return person.answer()
        }),
      )
      total.rounds += 1
      // An ask is typed a moment after its answer was taken.
      await until(() => last() > n, { seconds: 3 }).catch(() => undefined)
      const got = lines()
        .slice(before.length - 1)
        .filter((line) => line.startsWith('got '))
      if (got.length > 1 || got.some((line) => line !== `got ${n} <y>`))
        wrong.push(`${questionOf(n)}: ${got.join(', ')}; ${JSON.stringify(said).slice(0, 1000)}`)
      if (got.length > 0) total.taken += 1
      else await ownAnswer(id, n, () => last() > n)
    }
    total.wrong += wrong.length
    await harness.owner.post(`/api/terminals/${id}/end`)
    return wrong
  }

  /** Nobody's answer was taken, for example because it is dangerous and both are agents. */
  async function ownAnswer(id: string, n: number, isOver: () => boolean) {
    const person = byRest(harness.owner, id)
    await person.see(questionOf(n))
    await person.answer()
    await until(isOver, { what: `an answer to ${questionOf(n)}` })
  }

  it('T9 over the API: the next question gets nothing', long, async () => {
    const place = await start()
    expect(
      await race(scale({ test: 8, long: 300 }), place, [
        byRest(harness.owner, place.id),
        byRest(harness.owner, place.id),
      ]),
    ).toEqual([])
  })

  it('T9 T10 in the inbox and over the API', long, async () => {
    const place = await start()
    expect(
      await race(scale({ test: 6, long: 200 }), place, [
        byAsk(harness.owner, place.id),
        byRest(harness.owner, place.id),
      ]),
    ).toEqual([])
  })

  it('T9 an agent and a person', long, async () => {
    const place = await start()
    await using agent = await harness.connect()
    await harness.owner.post(`/api/terminals/${place.id}/grants`, { sessionId: agent.sessionId })
    expect(
      await race(scale({ test: 6, long: 150 }), place, [byMcp(agent, place.id), byRest(harness.owner, place.id)]),
    ).toEqual([])
  })

  it('T9 at the command line', long, async () => {
    const place = await start()
    using one = byCommands(harness.server, place.id)
    using two = byCommands(harness.server, place.id)
    expect(await race(scale({ test: 4, long: 150 }), place, [one, two])).toEqual([])
  })

  it('T9 on two pages', long, async (context) => {
    shared ??= await openBrowser(context)
    const place = await start()
    await using one = await byPage(shared, harness.server, place.id)
    await using two = await byPage(shared, harness.server, place.id)
    expect(await race(scale({ test: 4, long: 120 }), place, [one, two])).toEqual([])
  })

  it('T9 on a page and at the command line', long, async (context) => {
    shared ??= await openBrowser(context)
    const place = await start()
    await using one = await byPage(shared, harness.server, place.id)
    using two = byCommands(harness.server, place.id)
    expect(await race(scale({ test: 2, long: 80 }), place, [one, two])).toEqual([])
  })
})
