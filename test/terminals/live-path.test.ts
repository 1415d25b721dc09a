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

const cases: Case[] = [...remote, ...secrets, ...shells, ...repls, ...readers, ...screens, ...questions, ...working]
const atOnce = 6
const floor = 0.99

/** Present on every system with a shell, or next to us. */
const everywhere =
  /^(node|npm|cat|sort|head|sleep|rm|cp|mv|ln|dd|yes|printf|sha256sum|su|chsh|chfn|xargs|find|gzip|tar|awk|tail|watch|more|ssh-keygen|sftp|chage|sed|vmstat)$/

function whyNot(
  { program, needs = [], ssh, far, account }: Case,
  place: Pick<Place, 'account' | 'far'>,
): string | null {
  const missing = missingPrograms([...(everywhere.test(program) ? [] : [program]), ...needs])
  if (missing.length > 0) return `not installed: ${missing.join(', ')}`
  if ((account || ssh || far) && place.account === null) return 'only root can make an account with a password'
  return (ssh || far) && !place.far ? 'no sshd here' : null
}

describe.skipIf(process.platform !== 'linux')('T4: a real program in a terminal', () => {
  const results = new Map<Case, Result>()
  const skipped = new Map<Case, string>()

  const measured = () => [...results.values()].filter(({ fault, moments }) => fault === null && moments.length > 0)
  const different = (chosen: readonly Result[]) => new Set(chosen.map(({ of }) => of.program)).size

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
    const programs = measured()
    console.log(
      `${programs.length} cases, ${different(programs)} programs; waiting: ${seen} of ${waits} seen, ` +
        `recall ${recall.toFixed(3)}; ${alarms} false alarms in ${works} other moments, ` +
        `precision ${precision.toFixed(3)}; from the last byte to the verdict p50 ${quantile(latencies, 0.5)} ms, ` +
        `p95 ${quantile(latencies, 0.95)} ms`,
    )
  })

  it.for(cases)('$name: its prompts are recognised', (of, context) => {
    const why = skipped.get(of)
    if (why !== undefined) context.skip(why)
    const { fault, moments, raw } = results.get(of) ?? { fault: 'it was not run', moments: [], raw: null }
    expect(fault).toBeNull()
    expect(moments.flatMap(({ understood }) => understood)).toEqual([])
    expect(raw ?? false).toBe(of.raw ?? false)
  })

  it('is measured with enough different programs', (context) => {
    if (skipped.size > 0) context.skip(`not all programs are here: ${[...new Set(skipped.values())].join('; ')}`)
    const all = measured()
    const far = all.filter(({ of }) => of.ssh)
    const near = all.filter(({ of }) => !of.ssh)
    const talkers = near.filter(({ of }) => of.talks)
    expect(different(near)).toBeGreaterThanOrEqual(40)
    expect(different(near.filter(({ raw }) => raw))).toBeGreaterThanOrEqual(10)
    expect(different(far)).toBeGreaterThanOrEqual(8)
    expect(different(talkers)).toBeGreaterThanOrEqual(10)
  })

  it('detects at least 99 of 100 prompts, with at most one false alarm in 100', () => {
    const { recall, precision } = figuresOf([...results.values()])
    const wrong = [...results.values()].flatMap(({ of, moments }) =>
      moments.filter(({ truth, right }) => truth !== 'either' && !right).map((one) => `${of.name}: ${one.evidence}`),
    )
    expect(recall, wrong.join('\n')).toBeGreaterThanOrEqual(floor)
    expect(precision, wrong.join('\n')).toBeGreaterThanOrEqual(floor)
  })
})
