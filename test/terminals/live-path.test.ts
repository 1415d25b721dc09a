import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { missingPrograms } from '../support/programs.ts'
import { startServer } from '../support/server.ts'
import { questions } from './cases/questions.ts'
import { readers } from './cases/readers.ts'
import { remote } from './cases/remote.ts'
import { repls } from './cases/repls.ts'
import { screens } from './cases/screens.ts'
import { secrets } from './cases/secrets.ts'
import { shells } from './cases/shells.ts'
import { working } from './cases/working.ts'
import type { Case } from './case.ts'
import { openPlace, type Place } from './place.ts'
import { runCase, type Result } from './run-case.ts'
import { figuresOf, quantile, table } from './score.ts'

const cases: Case[] = [
  ...remote,
  ...secrets,
  ...shells,
  ...repls,
  ...readers,
  ...screens,
  ...questions,
  ...working,
]
const atOnce = 6
const floor = 0.99

/** Found on every system that has a shell, or beside us. */
const everywhere = /^(node|npm|cat|sort|head|sleep|rm|cp|mv|ln|dd|yes|printf|sha256sum|su|chsh|chfn|xargs|find|gzip|tar|awk|tail|watch|more|ssh-keygen)$/

function whyNot({ program, needs = [], ssh, far, account }: Case, place: Pick<Place, 'account' | 'far'>): string | null {
  const missing = missingPrograms([...(everywhere.test(program) ? [] : [program]), ...needs])
  if (missing.length > 0) return `not installed: ${missing.join(', ')}`
  if ((account || ssh || far) && place.account === null) return 'only root can make an account with a password'
  return (ssh || far) && !place.far ? 'no sshd here' : null
}

describe.skipIf(process.platform !== 'linux')('T4: is it waiting, live', () => {
  const results = new Map<Case, Result>()
  const skipped = new Map<Case, string>()

  beforeAll(async () => {
    await using place = await openPlace()
    await using server = await startServer({ env: place.env })
    const api = server.api()
    const queue = cases.values()
    const turn = async () => {
      for (const of of queue) {
        const why = whyNot(of, place)
        if (why === null) results.set(of, await runCase(of, place, api))
        else skipped.set(of, why)
      }
    }
    await Promise.all(Array.from({ length: atOnce }, turn))
  }, 180_000)

  afterAll(() => {
    const { waits, seen, works, alarms, recall, precision, latencies } = figuresOf([...results.values()])
    console.log(table([...results.values()].toSorted((a, b) => cases.indexOf(a.of) - cases.indexOf(b.of))))
    console.log(
      `waiting: ${seen} of ${waits} seen, recall ${recall.toFixed(3)}; ${alarms} false alarms in ${works} other moments, ` +
        `precision ${precision.toFixed(3)}; from the last byte to the verdict p50 ${quantile(latencies, 0.5)} ms, ` +
        `p95 ${quantile(latencies, 0.95)} ms`,
    )
  })

  it.each(cases.map((of) => [of.name, of] as const))('%s', (_name, of) => {
    const result = results.get(of)
    if (!result) return
    expect(result.fault).toBeNull()
  })
})
