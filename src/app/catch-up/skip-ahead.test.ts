import { expect, it } from 'vitest'
import type { SessionId } from '../../domain/session/id.ts'
import type { Terminal } from '../../domain/terminal/schema.ts'
import type { Actor } from '../../domain/user/actor.ts'
import { ok } from '../../lib/result.ts'
import { readTerminals, type TerminalMeans } from './read-terminals.ts'

const sessionId = '11111111-1111-4111-8111-111111111111' as SessionId
const actor: Actor = { kind: 'system', name: 'test' }
const at = '2026-01-01T00:00:00.000Z'

/** A terminal that printed these lines; each line's number is its offset. */
function terminalOf(lines: readonly string[]): TerminalMeans {
  const terminal = { sessionId, state: 'active', epoch: 0, startTime: at } as Terminal
  const cursorAt = (n: number) => ({ cursor: `0:${n}`, epoch: 0, truncated: false, hasMore: n < lines.length })
  return {
    list: async () => ok([{ terminal, detection: null }]),
    get: async () => ok({ terminal, detection: null }),
    screen: async () => ok({ screen: '', offset: lines.length, cols: 80, rows: 24 }),
    updates: async () => ok({ text: '', ...cursorAt(lines.length) }),
    printed: async (_, { cursor, maxLines }) => {
      const from = Number(cursor?.split(':')[1] ?? 0)
      const read = lines.slice(from, from + maxLines)
      return ok({ lines: read.map((line) => ({ line, at })), ...cursorAt(from + read.length) })
    },
    search: async ({ query, maxResults, contextLines }) => {
      const pattern = new RegExp(query.replace('(?i)', ''), 'i')
      const found = lines.flatMap((line, offset) => {
        const after = lines.slice(offset + 1, offset + 1 + contextLines)
        return pattern.test(line) ? [{ sessionId, line, offset, at, before: [], after }] : []
      })
      const matches = found.toReversed().slice(0, maxResults)
      return ok({ matches, truncated: found.length > maxResults, didYouMean: [] })
    },
  }
}

const read = async (lines: readonly string[], from: { cursor?: string; since?: string } = {}) => {
  const marks = new Map(from.cursor === undefined ? [] : [['111111111111', { cursor: from.cursor, prompt: null }]])
  const asked = { marks, since: from.since ?? null, sessionId: null, closed: new Set<SessionId>(), now: at }
  const told = await readTerminals(terminalOf(lines), actor, asked)
  if (!told.ok) throw new Error(told.fault.message)
  const [mark] = told.value.marks.values()
  const items = told.value.items.map(({ severity, text }) => `${severity} ${text}`)
  return { items, more: told.value.more, cursor: mark?.cursor }
}
const flood = (count: number): string[] => Array.from({ length: count }, (_, n) => `compiling ${n}`)

it('B9 output of many pages is one item', async () => {
  expect(await read(flood(15_000))).toEqual({ items: ['low 15000 lines of output'], more: false, cursor: '0:15000' })
})

it('B9 an error after a hundred thousand lines is reported at the first look, and so is one among them', async () => {
  const lines = [...flood(50_000), 'ERROR: out of inodes', ...flood(50_000), '', 'ERROR: linker failed']
  expect(await read(lines)).toEqual({
    items: [
      'low 20000 lines of output',
      'low 80 kB of output; only errors are listed here',
      'high ERROR: out of inodes',
      'low 999 lines of output',
      'high ERROR: linker failed',
    ],
    more: false,
    cursor: `0:${lines.length}`,
  })
  const next = await read([...lines, 'ERROR: again'], { cursor: `0:${lines.length}` })
  expect(next.items).toEqual(['high ERROR: again'])
})

it('B9 an error before the last lines is also found by time', async () => {
  const { items } = await read(['ERROR: out of inodes', ...flood(10_000)], { since: '2027-01-01T00:00:00.000Z' })
  expect(items).toEqual(['high ERROR: out of inodes', 'low 100 lines of output'])
})

it('B9 a terminal that prints as fast as it is read is reported up to now', async () => {
  const lines = flood(1000)
  const deps = terminalOf(lines)
  const faster: TerminalMeans = {
    ...deps,
    printed: async (...asked) => {
      lines.push(...flood(3000))
      return deps.printed(...asked)
    },
  }
  const asked = { marks: new Map(), since: null, sessionId: null, closed: new Set<SessionId>(), now: at }
  const told = await readTerminals(faster, actor, asked)
  expect(told).toMatchObject({ ok: true, value: { more: false } })
})
