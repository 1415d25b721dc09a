import type { UserString } from './collect.ts'

const intro = `Every text that users can read, collected from the source by test/strings.test.ts.
Review a change of this file as you review a change of the interface. The style is in CONTRIBUTING.md, "How we write".

To update it after a change of words: npm test -- -u test/strings.test.ts

What is here: string and template literals of src and web with two plain words or more, text between tags, and single
words if they are labels. {…} is a value, {…} alone between tags also a nested element. A text of several lines
continues on indented lines. Each surface is sorted by text, not by file: moving code does not change this page.
What is left out: tests, types, imports, keys, comparisons, thrown errors (they are bugs, not messages), SQL, style
classes, lists of program names, arguments of functions that take code, and the examples of the prompt detector.
The rules are in test/support/strings.
`

export function renderStrings(strings: UserString[]): string {
  const bySurface = [...Map.groupBy(strings, ({ surface }) => surface)].toSorted(([a], [b]) => compare(a, b))
  const sections = bySurface.map(([surface, entries]) => {
    const texts = [...new Set(entries.map(({ text }) => text))].toSorted(
      (a, b) => compare(sortKey(a), sortKey(b)) || compare(a, b),
    )
    return `\n== ${surface} ==\n\n${texts.map(render).join('')}`
  })
  return intro + sections.join('')
}

const render = (text: string) =>
  `${text
    .split('\n')
    .map((line, index) => `${index > 0 ? '    ' : ''}${line}`.trimEnd())
    .join('\n')}\n`

const sortKey = (text: string) =>
  text
    .toLowerCase()
    .replaceAll(/[^a-z0-9]+/g, ' ')
    .trim()

const compare = (a: string, b: string) => (a < b ? -1 : a > b ? 1 : 0)
