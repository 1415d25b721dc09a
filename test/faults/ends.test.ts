import { expect, it } from 'vitest'
import { endMany } from '../support/ending-trial.ts'

// A thousand of them: test/long/ends.test.ts.
it('keepers and servers that are still compiling end when told to', async () => {
  const wrong = await endMany(8)
  expect(wrong.join('\n')).toBe('')
})
