import { afterEach, expect, it } from 'vitest'
import { seededRandom } from '../support/kill-harness-journal.ts'
import type { LoopClient, Said, Way } from '../support/loop-client.ts'
import { diffTo } from '../support/loop-files.ts'
import type { LoopAsk } from '../support/loop-operator.ts'
import { openLoopHarness, type LoopHarness } from '../support/loop-harness.ts'
import { until } from '../support/until.ts'
import { figure, scale } from '../support/scale.ts'

const each = 5
const clients: LoopClient[] = []
afterEach(async () => {
  await Promise.all(clients.splice(0).map((client) => client.kill()))
})

type Held = { title: string; done: Promise<Said | Error> }

/** Every session holds one approval and four questions. */
async function holdCalls(harness: LoopHarness, sessions: number, wayOf: (n: number) => Way): Promise<Held[]> {
  const held: Held[] = []
  const place = async (n: number) => {
    const client = await harness.connect(n, wayOf(n))
    clients.push(client)
    for (let k = 0; k < each; k += 1) {
      const title = `session ${n} call ${k}`
      const change = { title, diff: diffTo(`w${n}`, 1), file_path: 'a.txt' }
      const call =
        k === 0
          ? client.call('ask_approval', change, { seconds: 180 })
          : client.call('forward_prompt', { prompt_text: title }, { seconds: 180 })
      const done = call.catch((error: unknown) => new Error(String(error)))
      held.push({ title, done })
    }
  }
  for (let from = 0; from < sessions; from += 20)
    await Promise.all(Array.from({ length: Math.min(20, sessions - from) }, (_, n) => place(from + n)))
  return held
}

/** Gives each an answer that only it should get. */
async function answerAll(harness: LoopHarness, asks: readonly LoopAsk[]): Promise<number> {
  const left = [...asks]
  let given = 0
  const work = async () => {
    for (let ask = left.pop(); ask; ask = left.pop()) {
      const words = `heard: ${ask.title}`
      const answer = ask.title.endsWith(' 0')
        ? { outcome: 'reject', reason: words }
        : { outcome: 'refine', instruction: words }
      const reply = await harness.server.owner
        .send('POST', `/api/asks/${ask.id}/answer`, { body: answer })
        .catch(() => null)
      if (reply === null) return
      if (reply.status !== 200) throw new Error(`${ask.title}: ${reply.status} ${reply.text}`)
      given += 1
    }
  }
  await Promise.all(Array.from({ length: 8 }, work))
  return given
}

async function wrongAnswers(held: readonly Held[]): Promise<string[]> {
  const ends = await Promise.all(held.map(async ({ title, done }) => ({ title, said: await done })))
  return ends.flatMap(({ title, said }) => {
    const words = said instanceof Error ? null : (said['reason'] ?? said['instruction'])
    return words === `heard: ${title}`
      ? []
      : [`${title}: ${said instanceof Error ? said.message : JSON.stringify(said)}`]
  })
}

const shuffled = <T>(items: readonly T[], random: () => number): T[] =>
  items
    .map((item) => [random(), item] as const)
    .toSorted(([a], [b]) => a - b)
    .map(([, item]) => item)

const allOpen = (harness: LoopHarness, count: number): Promise<LoopAsk[]> =>
  until(
    async () => {
      const asks = await harness.openAsks()
      return asks.length >= count ? asks : null
    },
    { what: `${count} open asks`, seconds: 120 },
  )

const many = scale({ test: 30, long: 100 })
const allHeld = many * each

it(`${allHeld} held calls are answered in any order, each with its own answer`, async () => {
  await using harness = await openLoopHarness({ places: many })
  const before = harness.memory()
  const held = await holdCalls(harness, many, (n) => (n % 5 === 4 ? 'http-2026' : 'http'))
  const asks = await allOpen(harness, allHeld)
  expect(asks.length).toBe(allHeld)
  const during = harness.memory()
  const began = performance.now()
  expect(await answerAll(harness, shuffled(asks, seededRandom(4)))).toBe(allHeld)
  expect(await wrongAnswers(held)).toEqual([])
  const took = Math.round(performance.now() - began)
  figure(
    'calls held at once',
    `server: ${before} MB, with ${allHeld} held calls ${during} MB, then ${harness.memory()} MB; answered in ${took} ms`,
  )
  expect(harness.memory()).toBeLessThan(before + 250)
  expect(harness.server.errors).toEqual([])
})

const some = scale({ test: 20, long: 40 })
const someHeld = some * each

it(`${someHeld} held calls when the server is killed between the answers: each client gets its own`, async () => {
  await using harness = await openLoopHarness({ places: some })
  const held = await holdCalls(harness, some, (n) => (n % 20 === 19 ? 'stdio' : 'http'))
  const asks = shuffled(await allOpen(harness, someHeld), seededRandom(5))
  let given = await answerAll(harness, asks.slice(0, someHeld * 0.3))
  const answering = answerAll(harness, asks.slice(someHeld * 0.3))
  await until(async () => (await harness.openAsks().catch(() => [])).length < someHeld * 0.6)
  await harness.server.kill()
  given += await answering
  await harness.server.start()
  const open = await harness.openAsks()
  // Each answerer may have one answer in flight: it counts if it was stored.
  expect(open.length).toBeGreaterThanOrEqual(someHeld - given - 8)
  expect(open.length).toBeLessThanOrEqual(someHeld - given)
  console.log(`killed after ${given} of ${someHeld} answers`)
  await answerAll(harness, open)
  expect(await wrongAnswers(held)).toEqual([])
  expect(harness.server.errors).toEqual([])
})
