import { describe, expect, it } from 'vitest'
import { fileOf, firstOf } from './fixtures.ts'
import { countQuiet, withoutWhiteSpace } from './white-space.ts'

const hunksOf = (...lines: string[]) => {
  const olds = lines.filter((line) => !line.startsWith('+')).length
  const news = lines.filter((line) => !line.startsWith('-')).length
  return fileOf('--- a/f', '+++ b/f', `@@ -1,${olds} +1,${news} @@`, ...lines).hunks
}
const seen = (...lines: string[]): string[] =>
  withoutWhiteSpace(hunksOf(...lines)).flatMap((hunk) => hunk.lines.map(({ op, text }) => op + text))

describe('a diff without white-space changes', () => {
  it('shows lines that were only indented as unchanged, in their new form', () => {
    expect(seen(' a', '-if (x) {', '+  if (x) {', '-y', '+z')).toEqual([' a', '   if (x) {', '-y', '+z'])
  })
  it('still shows other changes', () => {
    expect(seen('-  a b', '-keep', '+a c', '+  keep')).toEqual(['-  a b', '+a c', '   keep'])
  })
  it('hides line ends and empty lines, and says how many lines it hides', () => {
    const hunks = withoutWhiteSpace(hunksOf('-a\r', '+a', '+', ' b'))
    expect(hunks[0]?.lines.map(({ op }) => op)).toEqual([' ', ' ', ' '])
    expect(countQuiet(hunks)).toBe(2)
  })
  it('keeps the numbers of both sides', () => {
    const [line] = firstOf(withoutWhiteSpace(hunksOf('-a', '+ a'))).lines
    expect(line).toMatchObject({ oldNumber: 1, newNumber: 1, quiet: true })
  })
  it('does not hide a different kind of space', () => {
    expect(seen('-a b', '+a\u00a0b')).toEqual(['-a b', '+a\u00a0b'])
  })
})
