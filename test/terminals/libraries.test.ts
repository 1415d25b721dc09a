import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { isDeepStrictEqual } from 'node:util'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { missingPrograms } from '../support/programs.ts'
import { figure, long, scale } from '../support/scale.ts'
import { inPty } from '../support/in-pty.ts'
import { cleanEnv } from '../support/server.ts'
import { openTerminalHarness, type Terminal, type TerminalHarness } from '../support/terminal-harness.ts'
import { until } from '../support/until.ts'
import { libraryCases, manyCases, type LibraryCase } from './libraries/cases.ts'
import { byCommand, byPage, byRest, type Surface } from './libraries/surfaces.ts'

const signalbox = new URL('../../dist/signalbox.js', import.meta.url).pathname
const askers = new URL('./libraries/', import.meta.url).pathname
/** What each needs; Debian's Python has the libraries of its packages. */
const ofPython: Record<string, string> = {
  python: 'python3',
  curses: 'python3',
  click: 'click',
  typer: 'typer',
  rich: 'rich',
  prompt_toolkit: 'prompt_toolkit',
  readline: 'libreadline.so.8',
  libedit: 'libedit.so.2',
}
const ofPrograms = new Set('bash dialog whiptail fzf zsh ksh dash busybox perl tclsh lua5.4'.split(' '))

function askerOf(library: string): string[] {
  if (library in ofPython) return ['/usr/bin/python3', join(askers, 'ask.py')]
  return ofPrograms.has(library) ? ['bash', join(askers, 'ask.sh')] : [process.execPath, join(askers, 'ask.mjs')]
}

const isHere = (library: string): boolean => {
  const needed = ofPython[library] ?? (ofPrograms.has(library) ? library : null)
  return needed === null || missingPrograms([needed]).length === 0
}

const cases = libraryCases.filter(({ library, always }) => isHere(library) && always === true)
/** How many are asked at a time. */
const lanes = scale({ test: 1, long: 4 })

describe('answers to prompt libraries, judged by what the library returned', () => {
  let harness: TerminalHarness
  beforeAll(async () => {
    harness = await openTerminalHarness()
  })
  afterAll(() => harness?.[Symbol.asyncDispose]())

  async function answered(one: LibraryCase, answer: Surface): Promise<{ status: string; got: unknown }> {
    const { library, kind, text } = one
    const out = harness.at(`${library} ${kind} ${text} ${Math.random()}`.replaceAll(/\W+/g, '-'))
    const { sessionId: id } = await harness.start({
      sessionType: 'script',
      command: [...askerOf(library), library, kind, out],
    })
    const prompt = await harness.waits(id, /./)
    const status = await answer(id, prompt, one)
    const read = (path: string) => readFile(path, 'utf8').catch(() => null)
    const got = status === 'delivered' ? await until(() => read(out), { what: `what ${library} returned` }) : null
    // What was typed too much would answer the next question.
    expect(await read(`${out}.more`)).toBeNull()
    const value = valueOf(got ?? (await read(out)))
    await harness.owner.post(`/api/terminals/${id}/end`)
    return { status, got: value }
  }
  const wantedOf = (one: LibraryCase) =>
    one.honest ? { status: 'unverified', got: null } : { status: 'delivered', got: one.value }

  it.each(cases)('T9 $library $kind: $text', { timeout: 60_000 }, async (one) => {
    expect(await answered(one, byRest(harness))).toEqual(wantedOf(one))
  })

  /** Every question several times, or a few of them: nothing may be called delivered that was not. */
  async function campaign(surface: string, answers: readonly Surface[]): Promise<{ untrue: string[]; right: number }> {
    const chosen = scale({
      test: cases.filter((_, at) => at % 6 === 0),
      long: manyCases.filter(({ library }) => isHere(library)),
    })
    const untrue: string[] = []
    const others: string[] = []
    let right = 0
    let next = 0
    async function lane(answer: Surface): Promise<void> {
      for (let one = chosen[next++]; one; one = chosen[next++]) {
        const seen = await answered(one, answer).catch((error: unknown) => ({ status: String(error), got: undefined }))
        if (seen.status === 'delivered' && isDeepStrictEqual(seen.got, one.value)) {
          right += 1
          continue
        }
        // What is said to be typed, and is not what the program has; or what was said not to be typed, and is.
        const isTyped = seen.got !== null && seen.status !== 'unverified'
        const isUntrue = seen.status === 'delivered' || seen.got === undefined || isTyped
        ;(isUntrue ? untrue : others).push(`${one.library} ${one.kind} ${one.text}: ${JSON.stringify(seen)}`)
      }
    }
    await Promise.all(answers.map(lane))
    const libraries = new Set(chosen.map(({ library }) => library)).size
    figure(
      `answers ${surface}`,
      `${chosen.length} to ${libraries} libraries: ${right} right at the first try, ${untrue.length} untrue ${JSON.stringify(untrue)}, others ${JSON.stringify(others)}`,
    )
    return { untrue, right: right / chosen.length }
  }

  const whole = { timeout: scale({ test: 120_000, long: 3_600_000 }) }
  const several = (answer: Surface): Surface[] => Array.from({ length: lanes }, () => answer)
  const leastRight = scale({ test: 0.5, long: 0.95 })

  // The command line says the same of each answer, so this is for the long run.
  it.each(long ? ['by REST'] : [])('T9 %s', whole, async (way) => {
    const { untrue, right } = await campaign(way, several(byRest(harness)))
    expect(untrue).toEqual([])
    expect(right).toBeGreaterThanOrEqual(leastRight)
  })

  it('T9 at the command line', whole, async () => {
    const { untrue, right } = await campaign('at the command line', several(byCommand(harness)))
    expect(untrue).toEqual([])
    expect(right).toBeGreaterThanOrEqual(leastRight)
  })

  it('T9 on the page: tapped if it is offered, written otherwise', whole, async (context) => {
    await using page = await byPage(harness, context, lanes)
    const { untrue, right } = await campaign('on the page', page.answers)
    expect(untrue).toEqual([])
    expect(right).toBeGreaterThanOrEqual(leastRight)
  })

  it.each([
    ['text with placeholder', './web'],
    ['text', 'web'],
  ])('T6 T7 typed by hand into clack, %s: one answer with its text', { timeout: 60_000 }, async (kind, text) => {
    const out = harness.at(`by-hand-${Math.random()}`)
    const env = cleanEnv({ SIGNALBOX_HOME: harness.server.home })
    const asks = [...askerOf('@clack/prompts'), '@clack/prompts', kind, out]
    using keyboard = inPty([process.execPath, signalbox, 'run', '--', ...asks], env)
    await until(() => keyboard.text().includes('Slug'))
    const { sessionId: id } = await until(async () => {
      const { terminals } = await harness.owner.get<{ terminals: Terminal[] }>('/api/terminals?state=active')
      return terminals.find(({ command }) => command?.includes(out))
    })
    await harness.waits(id, /Slug/)
    for (const letter of text) {
      const before = keyboard.text().length
      keyboard.type(letter)
      await until(() => keyboard.text().length > before)
      await harness.detect(id)
    }
    keyboard.type('\r')
    const [event, ...others] = await until(async () => {
      const events = await harness.inputs(id)
      return events.length > 0 ? events : null
    })
    expect(others).toEqual([])
    expect(event).toMatchObject({ promptText: expect.stringContaining('Slug'), inputText: text, secret: false })
    await harness.owner.post(`/api/terminals/${id}/end`)
  })
})

/** Libraries return JSON, and programs lines. */
function valueOf(got: string | null): unknown {
  if (got === null) return null
  try {
    const value: unknown = JSON.parse(got)
    return got.endsWith('\n') ? lines(got) : value
  } catch {
    return lines(got)
  }
}

const lines = (got: string): unknown => (got.trim().includes('\n') ? got.trim().split('\n') : got.trim())
