import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { openWorld, type Kind } from '../../world.ts'
import { makeHome } from '../home.ts'
import { runSteps } from './run.ts'
import { step } from './steps.ts'

const steps = fc.array(step, { minLength: 20, maxLength: 60, size: 'max' })

describe.each<{ kind: Kind; numRuns: number; atMost: number }>([
  { kind: 'sqlite', numRuns: 200, atMost: 12_000 },
  { kind: 'postgres', numRuns: 10, atMost: 8_000 },
])('whatever is done in whatever order ($kind)', ({ kind, numRuns, atMost }) => {
  it('model and database agree after every command, and what is refused changes nothing', async () => {
    await using home = await makeHome(kind)
    const seen = new Set<string>()
    const property = fc.asyncProperty(steps, async (sequence) => {
      await using world = await openWorld(kind, home)
      for (const outcome of await runSteps(world, sequence)) seen.add(outcome)
    })
    await fc.assert(property, { numRuns, interruptAfterTimeLimit: atMost })
    // The sequences reach most of what can happen; otherwise the agreement says little.
    expect(seen.size).toBeGreaterThan(kind === 'sqlite' ? 40 : 15)
  })
})
