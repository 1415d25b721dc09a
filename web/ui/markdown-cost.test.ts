import { createElement } from 'react'
import { renderToStaticMarkup } from 'react-dom/server'
import Markdown from 'react-markdown'
import remarkGfm from 'remark-gfm'
import { expect, it } from 'vitest'
import { blocksOf, planOf } from './markdown-blocks.ts'
import { AgentText } from './markdown.tsx'

const plugins = [remarkGfm]

/** As a page does: the blocks of one step, as Markdown if worthwhile. */
function make(text: string, step = 0): void {
  const blocks = blocksOf(text)
  const { plain, steps } = planOf(blocks)
  const [from, to] = [step === 0 ? 0 : (steps[step - 1] ?? 0), steps[step] ?? blocks.length]
  for (let at = from; at < to; at += 1) if (!plain[at]) Markdown({ children: blocks[at], remarkPlugins: plugins })
}

const counts = (text: string) => {
  const { plain, steps } = planOf(blocksOf(text))
  return { plain: plain.filter(Boolean).length, steps: steps.length }
}

/** CPU time of this process: wall time includes others on a busy machine. The shorter of two tries. */
const cpuMs = (work: () => unknown): number => {
  const once = (): number => {
    const before = process.cpuUsage()
    work()
    const { user, system } = process.cpuUsage(before)
    return (user + system) / 1000
  }
  return Math.min(once(), once())
}

const long = 200_000
const filled = (piece: string): string => piece.repeat(Math.floor(long / piece.length))

/** The worst cases found: nesting, unterminated, looked up, and very many small ones. */
const worst = [
  '>',
  '> ',
  '> a\n',
  '> a\n\n',
  '1. ',
  '1. a\n',
  '- a\n',
  '- a\n\n',
  '- [ ] a\n',
  '\n    ',

  '[',
  '](',
  '[]',
  '[](',
  '[a](b',
  '![',
  '![a](b) ',
  '<a ',
  '<a>',
  '<!--',
  '</',
  '<http://a> ',
  'www.a.b ',
  'a@b.c ',

  '*',
  '**a',
  '*a**b',
  '*a* ',
  '_a_b',
  '~~a',
  '`a',
  '``',
  '` `` ',
  '\\',
  '\\*',
  '&a',
  '&amp;',
  '&#65;',
  '&CounterClockwiseContourIntegral;',
  '|\n',
  '\n|-',
  '|a|b|\n',
  '|-|-|\n|a|b|\n',
  '|'.repeat(500) + '\n' + '|-'.repeat(500) + '|\n',

  '\n[a]: b\n',
  '[a]: b\n',
  '[a] ',
  '[^1]',
  '[^1]: a\n',
  '[a][a',
  '[a]: <',
  '# a\n',
  'a\n=\n',
  '---\n',
  '```\n',
  '~~~\n\n',
  'words\n',
  'a\n\n',
  'a\n\n\n\n\n',
  '*a*\n\n\n\n\n',
  '[a](b)\n\n\n\n\n',
  '\t',
  ' ',
  '\n',
  'é',
  '\u200b',
]
const nested = (line: (depth: number) => string, depth: number): string =>
  Array.from({ length: depth }, (_, n) => line(n)).join('\n')
const texts: Record<string, string> = {
  ...Object.fromEntries(worst.map((piece) => [JSON.stringify(piece).slice(0, 40), filled(piece)])),
  'a list of lists': nested((n) => `${' '.repeat(2 * n)}- a`, 400),
  'quotes of quotes': nested((n) => `${'>'.repeat(n)} a`, 600),
  'a text of 5,000 references': filled('[a]: b\n').slice(0, 40_000) + '\n' + '[a] '.repeat(5000),
  'code marks of all lengths': nested((n) => '`'.repeat(n), 600),
}

/** Ordinary text, of the size of one step. */
const ordinary = '## Title\n\nSome *words* with `code`, a [link](https://example.org) and more.\n\n- one\n- two\n\n'
const usual = (() => {
  let text = ordinary
  while (counts(text).steps === 1) text += ordinary
  return text
})()

it(
  'S8 whatever a text consists of, the part shown at once costs about as much as ordinary text',
  { timeout: 120_000 },
  () => {
    make(usual)
    const bar = cpuMs(() => make(usual))
    const slow = Object.entries(texts).flatMap(([name, text]) => {
      const ms = cpuMs(() => make(text))
      return ms > 8 * bar ? [`${name}: ${(ms / bar).toFixed(1)} times an ordinary text`] : []
    })
    expect(slow).toEqual([])
  },
)

it('S8 a text of 25,000 blocks is shown in steps of the same size', () => {
  const text = 'a\n\n\n\n\n'.repeat(40_000)
  const { steps } = planOf(blocksOf(text))
  const sizes = steps.map((end, at) => end - (steps[at - 1] ?? 0))
  expect(blocksOf(text).length).toBeGreaterThan(25_000)
  expect(Math.max(...sizes)).toBeLessThan(1000)
  const page = renderToStaticMarkup(createElement(AgentText, { text: text.slice(0, 199_000) }))
  expect(page).toContain('Show more (')
  expect(page.match(/<p>a<\/p>/g)?.length).toBe(sizes[0])
})

it('S8 ordinary text is Markdown, however long', () => {
  const part = `${ordinary}| a | b |\n|---|---|\n| 1 | 2 |\n\n`
  expect(counts(part.repeat(300))).toMatchObject({ plain: 0 })
  expect(counts(part.repeat(20))).toEqual({ plain: 0, steps: 1 })
  const quoted = '> > > quoted\n\n1. one\n   - two\n      - three\n'
  expect(counts(quoted.repeat(50))).toMatchObject({ plain: 0 })
})
