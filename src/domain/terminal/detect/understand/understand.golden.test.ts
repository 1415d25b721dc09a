import { describe, expect, it } from 'vitest'
import { around } from './golden/around.ts'
import { commands } from './golden/commands.ts'
import { dangers } from './golden/danger.ts'
import { english } from './golden/english.ts'
import { languages } from './golden/languages.ts'
import { harms } from './golden/harm.ts'
import { foundOf, type GoldenRow } from './golden/row.ts'
import { secrets } from './golden/secrets.ts'
import { understand } from './understand.ts'

const tables = {
  'a question in English': english,
  'an answer that could do harm': dangers,
  'harm said in other words': harms,
  'a secret': secrets,
  'a prompt for commands': commands,
  'a prompt by its surroundings': around,
  'a question in another language': languages,
}

const named = (rows: readonly GoldenRow[]) =>
  rows.map((row) => ({ row, name: [row.above?.split('\n').at(-1), row.text].filter(Boolean).join(' ⏎ ') }))

/** Compares only the fields that the row states. */
const expectedOf = (row: GoldenRow) => ({
  type: row.type,
  secret: row.type === 'password' || row.mode?.secretByMode === true,
  dangerous: row.danger !== undefined,
  dangerReason: row.danger === undefined ? null : expect.stringMatching(row.danger),
  ...(row.fallback === undefined ? {} : { default: row.fallback }),
})

describe.each(Object.entries(tables))('%s', (_, rows) => {
  it.each(named(rows))('$name', ({ row }) => {
    const prompt = understand(foundOf(row))
    const keys = prompt.choices.map((choice) => choice.key)
    const first = prompt.suggestedInputs[0]
    expect(prompt).toMatchObject(expectedOf(row))
    expect({ keys, first }).toEqual({ keys: row.keys ?? keys, first: row.first ?? first })
    expect(row.text).toMatch(new RegExp(prompt.matchedPattern, 'u'))
  })
})

it('is checked on at least 250 prompts', () => {
  expect(Object.values(tables).flat().length).toBeGreaterThan(250)
})
