import { expect } from 'vitest'
import { createKillHarness, missedEvents } from '../support/kill-harness.ts'
import type { Rows } from '../support/kill-harness-rows.ts'
import { freshHome } from '../support/kill-harness-server.ts'
import { until, within } from '../support/until.ts'
import { campaignSeed, figure, scale } from '../support/scale.ts'

const kills = scale({ test: 6, long: 50 })
const writers = 20
const longestLoadMs = 500

/** Kills the server repeatedly while it works; nothing acknowledged may be lost, and nothing done twice. */
export async function expectNothingLost(
  name: string,
  options: {
    env: Readonly<Record<string, string>>
    rowsOf: (home: string) => Rows | Promise<Rows>
  },
): Promise<void> {
  using home = freshHome()
  const rows = async () => options.rowsOf(home.path)
  const seed = campaignSeed()
  const harness = createKillHarness({ home: home.path, env: options.env, rows, writers, seed })
  const note = (when: string) => `${when}, seed ${seed}`

  for (let kill = 1; kill <= kills; kill += 1) {
    await using life = await harness.start()
    expect(await harness.problems(), note(`before kill ${kill}`)).toEqual([])
    const before = harness.journal.acknowledged.length
    await harness.loadUntil(life, async () => {
      // Every other time counts from the first acknowledgement, so that slow machines are also killed while busy.
      if (kill % 2 === 0) await until(() => harness.journal.acknowledged.length > before)
      await new Promise((resolve) => setTimeout(resolve, harness.random() * longestLoadMs))
      return life.kill('SIGKILL')
    })
  }

  await using life = await harness.start()
  await harness.settle(life)
  expect(await harness.problems(), note('in the end')).toEqual([])
  const all = await rows()
  await within(harness.reader.until(String(all.events.at(-1)?.['id'])), 'the last event at the reader outside')
  expect(await life.kill('SIGTERM')).toEqual({ code: 0, signal: null })
  harness.reader.close()

  const { acknowledged, unknown, refused, repeats } = harness.journal
  const { inside, outside } = missedEvents(harness, await rows())
  figure(
    `kill -9 on ${name}`,
    `${kills} kills: ${acknowledged.length} writes acknowledged, ${unknown.length} without an answer, ${refused.length} refused, ` +
      `${repeats} repeated; ${harness.reader.seen.length} events read outside, ${harness.reader.repeats()} of them again.`,
  )
  expect(acknowledged.length).toBeGreaterThan(kills * 4)
  expect(outside, note('the reader outside')).toEqual([])
  expect(inside, note('the follower inside')).toEqual([])
  expect(harness.errors, note('the log')).toEqual([])
}
