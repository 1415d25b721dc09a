import { afterEach, expect, it } from 'vitest'
import { seededRandom } from '../support/kill-harness-journal.ts'
import type { LoopClient, Said, Way } from '../support/loop-client.ts'
import { diffTo } from '../support/loop-files.ts'
import type { LoopAsk } from '../support/loop-operator.ts'
import { openLoopYard, type LoopYard } from '../support/loop-yard.ts'
import { until } from '../support/until.ts'

const each = 5
const clients: LoopClient[] = []
afterEach(async () => {
  await Promise.all(clients.splice(0).map((client) => client.kill()))
})

type Held = { title: string; done: Promise<Said | Error> }

/** Every session holds one approval and four questions. */
async function holdCalls(yard: LoopYard, sessions: number, wayOf: (n: number) => Way): Promise<Held[]> {
  const held: Held[] = []
  const place = async (n: number) => {
    const client = await yard.connect(n, wayOf(n))
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

/** Says to each what only this one should hear. */
async function answerAll(yard: LoopYard, asks: readonly LoopAsk[]): Promise<number> {
  const left = [...asks]
  let given = 0
  const work = async () => {
    for (let ask = left.pop(); ask; ask = left.pop()) {
      const words = `heard: ${ask.title}`
      const answer = ask.title.endsWith(' 0')
        ? { outcome: 'reject', reason: words }
        : { outcome: 'refine', instruction: words }
      const reply = await yard.server.owner
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

const allOpen = (yard: LoopYard, count: number): Promise<LoopAsk[]> =>
  until(
    async () => {
      const asks = await yard.openAsks()
      return asks.length >= count ? asks : null
    },
    { what: `${count} open asks`, seconds: 120 },
  )

it('500 calls held at once are answered in any order, each with its own answer', async () => {
  await using yard = await openLoopYard({ places: 100 })
  const before = yard.memory()
  const held = await holdCalls(yard, 100, (n) => (n % 5 === 4 ? 'http-2026' : 'http'))
  const asks = await allOpen(yard, 500)
  expect(asks.length).toBe(500)
  const during = yard.memory()
  const began = performance.now()
  expect(await answerAll(yard, shuffled(asks, seededRandom(4)))).toBe(500)
  expect(await wrongAnswers(held)).toEqual([])
  const took = Math.round(performance.now() - began)
  console.log(
    `server: ${before} MB, with 500 held calls ${during} MB, then ${yard.memory()} MB; answered in ${took} ms`,
  )
  expect(yard.memory()).toBeLessThan(before + 250)
  expect(yard.server.errors).toEqual([])
})

it('200 calls are held when the server is killed in the middle of the answers: each client gets its own', async () => {
  await using yard = await openLoopYard({ places: 40 })
  const held = await holdCalls(yard, 40, (n) => (n % 20 === 19 ? 'stdio' : 'http'))
  const asks = shuffled(await allOpen(yard, 200), seededRandom(5))
  let given = await answerAll(yard, asks.slice(0, 60))
  const answering = answerAll(yard, asks.slice(60))
  await until(async () => (await yard.openAsks().catch(() => [])).length < 120)
  await yard.server.kill()
  given += await answering
  await yard.server.start()
  const open = await yard.openAsks()
  // One answer a hand was on its way: it counts where it was kept.
  expect(open.length).toBeGreaterThanOrEqual(200 - given - 8)
  expect(open.length).toBeLessThanOrEqual(200 - given)
  console.log(`killed after ${given} of 200 answers`)
  await answerAll(yard, open)
  expect(await wrongAnswers(held)).toEqual([])
  expect(yard.server.errors).toEqual([])
})
