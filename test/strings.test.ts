import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { collectStrings, stringsOf } from './support/strings/collect.ts'
import { renderStrings } from './support/strings/render.ts'

const root = join(import.meta.dirname, '..')
const all = collectStrings(root)

/** Words that the style forbids, and what to write instead (CONTRIBUTING.md, "How we write"). */
const forbidden: [RegExp, string][] = [
  [/\banew\b/i, 'again'],
  [/\bby (?:itself|themselves)\b/i, 'automatically'],
  [/\bstands? (?:in|below|above|after|before|there|here)\b/i, 'is in'],
  [/\bgo(?:es)? on\b/i, 'continues, keeps running'],
  [/(?<!there )\b(?:is|are) no (?!longer|more|one)/i, 'is not a'],
  [/\bof which\b/i, 'that'],
  [/\bwho(?:m)?ever\b/i, 'anyone who'],
  [/\bwhere (?:no|nothing|nobody|there is)\b/i, 'if no'],
  [/\bis to be\b/i, 'must be'],
  [/\bonce more\b/i, 'again'],
  [/\btak(?:e|es|en) up\b/i, 'reconnect, adopt'],
  [/\bcan not\b/i, 'cannot'],
  [/\bTimes are of\b/, 'Times are in'],
]

/** Pages that quote the forbidden words, or texts of the past. */
const quoting = new Set(['CONTRIBUTING.md', 'CHANGELOG.md'])

const faultsOf = (where: string, text: string): string[] =>
  forbidden.flatMap(([words, instead]) => {
    const [found] = words.exec(text) ?? []
    return found ? [`${where}: "${found}" in: ${text} (write: ${instead})`] : []
  })

describe('the product’s texts', () => {
  it('are all in docs/strings.txt, so that changes are reviewed', async () => {
    await expect(
      renderStrings(all),
      'Texts that users read have changed. If that is what you want: npm test -- -u test/strings.test.ts',
    ).toMatchFileSnapshot('../docs/strings.txt')
  })

  it('avoid what the style forbids', () => {
    const faults = all.flatMap(({ surface, text }) => faultsOf(surface, text))
    expect(faults, faults.join('\n')).toEqual([])
  })

  it('avoid it in the documentation too', () => {
    const pages = globSync(['*.md', 'docs/**/*.md'], { cwd: root }).filter((page) => !quoting.has(page))
    const faults = pages.flatMap((page) =>
      readFileSync(join(root, page), 'utf8')
        .split('\n')
        .flatMap((line) => faultsOf(page, line)),
    )
    expect(faults, faults.join('\n')).toEqual([])
  })
})

describe('collecting strings', () => {
  const texts = (file: string, source: string) => stringsOf(file, source).map(({ text }) => text)

  it('finds sentences, templates and sums, with holes for their values', () => {
    expect(texts('src/a.ts', 'const a = fault("gone", `No session ${id}.`, "Try " + what + " again.")')).toEqual([
      'No session {…}.',
      'Try {…} again.',
    ])
  })

  it('finds text between tags, labels and placeholders', () => {
    const source =
      '<p className="mt-2 flex"><Box title="Reload" />Wait for <b>{name}</b>, or {ready ? "Stop" : "Go on"}</p>'
    expect(texts('web/a.tsx', `const a = ${source}`)).toEqual(
      expect.arrayContaining(['Reload', 'Stop', 'Go on', 'Wait for {…}, or {…}']),
    )
  })

  it('leaves out keys, types, comparisons, thrown errors, SQL, classes and lists of programs', () => {
    const source = `
      type A = 'two words'
      const b = { 'a key here': 1, sql: 'the columns here' }
      if (b === 'not the text') throw new Error('this never happens')
      run('select id from sessions where id = ?')
      cut('npm pnpm yarn bun')
      style('flex items-center gap-2')
    `
    expect(texts('src/a.ts', source)).toEqual([])
  })

  it('lists log messages under a separate heading', () => {
    expect(stringsOf('src/a.ts', 'log.warn({ id }, "the keeper is gone")')).toEqual([
      { surface: 'Logs', text: 'the keeper is gone' },
    ])
  })
})
