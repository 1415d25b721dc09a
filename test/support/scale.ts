// How often a test repeats what is needed only for statistics: a few times in `npm test`, many in `npm run test:long`.
import { appendFileSync } from 'node:fs'

/** True in `npm run test:long`. */
export const long = process.env['SIGNALBOX_TEST_LONG'] === '1'

export const scale = <T>(sizes: { test: T; long: T }): T => (long ? sizes.long : sizes.test)

/** The same moments in every `npm test`, so that a failure is not luck; others in each long run, or those that are named. */
export const campaignSeed = (): number =>
  Number(process.env['SIGNALBOX_TEST_SEED'] ?? scale({ test: 15, long: Date.now() % 1_000_000 }))

/** What a campaign came to, for the closing list of `npm run test:long`: which, how many, what came out. */
export function figure(campaign: string, outcome: string): void {
  const file = process.env['SIGNALBOX_TEST_FIGURES']
  if (file) appendFileSync(file, `${JSON.stringify({ campaign, outcome })}\n`)
}
