import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { openWorld, type Kind } from '../../world.ts'
import { makeHome } from '../home.ts'
import { runSteps } from './run.ts'
import { step } from './steps.ts'
import { campaignSeed, figure, scale } from '../../support/scale.ts'

const steps = fc.array(step, { minLength: 20, maxLength: 60, size: 'max' })

describe.each<{ kind: Kind; numRuns: number }>([
  { kind: 'sqlite', numRuns: scale({ test: 20, long: 400 }) },
  { kind: 'postgres', numRuns: scale({ test: 3, long: 40 }) },
])('any commands in any order ($kind)', ({ kind, numRuns }) => {
  const timeout = scale({ test: 120_000, long: 1_800_000 })
  it('model and database agree after every command, and a refused command changes nothing', { timeout }, async () => {
    await using home = await makeHome(kind)
    const seen = new Set<string>()
    let runs = 0
    const property = fc.asyncProperty(steps, async (sequence) => {
      await using world = await openWorld(kind, home)
      runs += 1
      for (const outcome of await runSteps(world, sequence)) seen.add(outcome)
    })
    await fc.assert(property, { seed: campaignSeed(), numRuns })
    figure(`commands in any order on ${kind}`, `${runs} sequences, ${seen.size} kinds of outcome`)
    // The sequences must reach most cases; otherwise agreement proves little.
    expect(seen.size).toBeGreaterThan(kind === 'sqlite' ? 40 : 15)
  })
})
