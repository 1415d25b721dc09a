import { expect, it } from 'vitest'
import { endMany } from '../support/ending-trial.ts'

const times = Number(process.env['ENDS'] ?? 1000)
/** Four at a time on two cores. */
const secondsEach = 3

it(
  `${times} keepers and servers that are still compiling end when told to, and none remains`,
  { timeout: (60 + times * secondsEach) * 1000 },
  async () => {
    const began = Date.now()
    const wrong = await endMany(times)
    console.log(`${times} ended in ${Math.round((Date.now() - began) / 1000)} s, ${wrong.length} did not end well`)
    expect(wrong.join('\n')).toBe('')
  },
)
