import { describe, expect, it } from 'vitest'
import { missingPrograms } from '../support/programs.ts'
import { startServer } from '../support/server.ts'
import { until } from '../support/until.ts'
import { openPlace } from './place.ts'
import { quantile } from './score.ts'
import { startTerminal } from './terminal.ts'
import { figure, scale } from '../support/scale.ts'

const rounds = scale({ test: 8, long: 30 })

/** Each prompt contains the time it was printed. */
const reads = 'while :; do read -p "At ${EPOCHREALTIME//[.,]/} which? " a; done'
const keys = `
process.stdin.setRawMode(true)
const ask = () => process.stdout.write('At ' + Math.round((performance.timeOrigin + performance.now()) * 1000) + ' which? ')
process.stdin.on('data', () => { process.stdout.write('\\r\\n'); ask() })
ask()`

const kinds = [
  { kind: 'reads lines', start: { sessionType: 'script', command: ['bash', '--norc', '-c', reads] }, key: 'enter' },
  { kind: 'reads keys', start: { sessionType: 'script', command: [process.execPath, '-e', keys] }, key: 'x' },
  { kind: 'reads lines far away', start: { sessionType: 'ssh', host: 'box', command: [reads] }, key: 'enter' },
]

describe.skipIf(process.platform !== 'linux')('T5: from the last byte to the verdict', () => {
  it.for(kinds)('every prompt of a program that $kind is reported', async ({ kind, start, key }, context) => {
    const missing = missingPrograms(['bash', 'ssh', 'sshd'])
    if (missing.length > 0) context.skip(`not installed: ${missing.join(', ')}`)
    await using place = await openPlace()
    if (start.sessionType === 'ssh' && !place.far) context.skip('only root can have an sshd with an account')
    await using server = await startServer({ env: place.env })
    await using terminal = await startTerminal(server.api(), start)
    const seen = new Map<string, number>()
    while (seen.size < rounds) {
      const [stamp, at] = await until(() => {
        const last = terminal.heard.at(-1)
        const printed = /At (\d+) which\?/.exec(last?.detection.promptText ?? '')?.[1]
        return last && printed && !seen.has(printed) ? ([printed, last.at] as const) : null
      })
      seen.set(stamp, at - Number(stamp) / 1000)
      await terminal.keys([key])
    }
    // The first was printed before we listened.
    const sorted = [...seen.values()].slice(1).toSorted((a, b) => a - b)
    figure(
      `from byte to verdict, ${kind}`,
      `p50 ${quantile(sorted, 0.5).toFixed(1)} ms, p95 ${quantile(sorted, 0.95).toFixed(1)} ms, ` +
        `of ${sorted.length} prompts, one after another`,
    )
    expect(sorted.every((ms) => ms > 0)).toBe(true)
  })
})
