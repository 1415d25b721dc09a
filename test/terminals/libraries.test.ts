import { readFile } from 'node:fs/promises'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { scale } from '../support/scale.ts'
import { openTerminalHarness, type TerminalHarness } from '../support/terminal-harness.ts'
import { until } from '../support/until.ts'
import { libraryCases, type LibraryCase } from './libraries/cases.ts'

const asker = new URL('./libraries/ask.mjs', import.meta.url).pathname
const cases = libraryCases.filter(({ always }) => scale({ test: always === true, long: true }))

describe('answers to prompt libraries, judged by what the library returned', () => {
  let harness: TerminalHarness
  beforeAll(async () => {
    harness = await openTerminalHarness()
  })
  afterAll(() => harness?.[Symbol.asyncDispose]())

  async function answered({ library, kind, text }: LibraryCase): Promise<{ status: string; got: string | null }> {
    const out = harness.at(`${library} ${kind} ${text}`.replaceAll(/\W+/g, '-'))
    const { sessionId: id } = await harness.start({
      sessionType: 'script',
      command: [process.execPath, asker, library, kind, out],
    })
    const { promptId } = await harness.waits(id, /Slug|Colour|colour|Publish|Port|Conflict/)
    const { status } = await harness.type(id, text, { expectPrompt: promptId })
    const read = (path: string) => readFile(path, 'utf8').catch(() => null)
    const got = status === 'delivered' ? await until(() => read(out), { what: `what ${library} returned` }) : null
    // What was typed too much would answer the next question.
    expect(await read(`${out}.more`)).toBeNull()
    return { status, got: got ?? (await read(out)) }
  }

  it.each(cases)('T9 $library $kind: $text', { timeout: 60_000 }, async (one) => {
    const wanted = one.cannotBeSeen
      ? { status: 'unverified', got: null }
      : { status: 'delivered', got: JSON.stringify(one.value) }
    expect(await answered(one)).toEqual(wanted)
  })
})
