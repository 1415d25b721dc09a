import { appendFile, writeFile } from 'node:fs/promises'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { openTerminalHarness, type TerminalHarness } from '../support/terminal-harness.ts'
import { until } from '../support/until.ts'

const lines = (what: string, count: number): string =>
  Array.from({ length: count }, (_, n) => `${what} row ${n}\n`).join('')

describe('a log that is rewritten', () => {
  let harness: TerminalHarness
  beforeAll(async () => {
    harness = await openTerminalHarness()
  })
  afterAll(() => harness?.[Symbol.asyncDispose]())

  it('T2 is read from its beginning, even if nothing was added before', async () => {
    for (let turn = 0; turn < 8; turn += 1) {
      const path = harness.at(`anew-${turn}.log`)
      await writeFile(path, lines('run1', 20))
      const { sessionId: id } = await harness.follow(path)
      await writeFile(path, lines('run2', 200))
      const { text, epoch } = await harness.prints(id, /run2 row 199\n/)
      expect([epoch, text]).toEqual([1, lines('run2', 200)])
    }
  })

  it('T2 is read from its beginning while it is followed, even if its length is the same', async () => {
    const path = harness.at('as-long.log')
    await writeFile(path, lines('run1', 20))
    const { sessionId: id } = await harness.follow(path)
    // It is followed: added text arrives.
    const other = harness.at('beside.log')
    await writeFile(other, '')
    const beside = await harness.follow(other)
    await appendFile(other, 'here\n')
    await harness.prints(beside.sessionId, /here/)
    await writeFile(path, lines('run2', 20))
    const { text } = await until(
      async () => {
        const read = await harness.updates(id)
        return read.text.endsWith('run2 row 19\n') ? read : null
      },
      { what: 'the rewritten log' },
    )
    expect(text).toBe(lines('run2', 20))
    expect(await harness.get(id)).toMatchObject({ epoch: 1 })
  })
})
