import Markdown from 'react-markdown'
import remarkGfm from 'remark-gfm'
import { expect, it } from 'vitest'
import { blocksOf, plainBlocks } from './markdown-blocks.ts'

const plugins = [remarkGfm]

/** As a page does it: what is worth making Markdown of is made of it. */
function shown(text: string): { made: number; plain: number } {
  const blocks = blocksOf(text)
  const plain = plainBlocks(blocks)
  for (const [at, block] of blocks.entries()) if (!plain[at]) Markdown({ children: block, remarkPlugins: plugins })
  const cut = plain.filter(Boolean).length
  return { made: blocks.length - cut, plain: cut }
}

const cpuMs = (work: () => unknown): number => {
  const before = process.cpuUsage()
  work()
  const { user, system } = process.cpuUsage(before)
  return (user + system) / 1000
}

/** The worst that were found: nested quotes and lists, emphasis, links and code that never end, tables. */
const worst = [
  '>',
  '> ',
  '1. ',
  '[',
  '](',
  '[a](b',
  '**a',
  '*a**b',
  '~~a',
  '`a',
  '|\n',
  '\n|-',
  'a@b.c ',
  '\n[a]: b\n',
  '\n    ',
  'words\n',
  '\\',
  '<a ',
  '&a',
  '![',
]

it.each(worst)('S8 Markdown made of %j, as long as a page takes it, costs bounded work', (piece) => {
  const text = piece.repeat(Math.floor(200_000 / piece.length))
  // The worst of them took minutes, or ended the page; ten times what they take now.
  expect(cpuMs(() => shown(text))).toBeLessThan(15_000)
  expect(cpuMs(() => shown(text.slice(0, 7000)))).toBeLessThan(5000)
})

it('S8 ordinary text is Markdown, however long', () => {
  const part =
    '## Title\n\nSome *words* with `code`, a [link](https://example.org) and more.\n\n- one\n- two\n\n| a | b |\n|---|---|\n| 1 | 2 |\n\n'
  expect(shown(part.repeat(300))).toMatchObject({ plain: 0 })
  const quoted = '> > > quoted\n\n1. one\n   - two\n      - three\n'
  expect(shown(quoted.repeat(50))).toMatchObject({ plain: 0 })
})
