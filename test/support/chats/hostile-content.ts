import fc from 'fast-check'
import { mostActionBytes, type Card, type CardLine, type Content } from '../../../src/edges/chat/adapter.ts'

/** Pieces that platforms give a meaning to: names, tags, marks, code, long lines, and characters of all sizes. */
const hostile = fc.oneof(
  { weight: 4, arbitrary: fc.string({ unit: 'grapheme', maxLength: 200 }) },
  {
    weight: 4,
    arbitrary: fc.constantFrom(
      '<!channel>',
      '<@U123|x>',
      '<@123>',
      '<@&1>',
      '<#1>',
      '<t:1>',
      '</x:1>',
      '@everyone',
      '@here',
      '@someone',
      '</b>',
      '<a href="tg://user?id=1">',
      '&lt;!here&gt;',
      '```',
      '~~~',
      '`',
      '**',
      '*',
      '_',
      '~~',
      '||',
      '\\',
      '``',
      '> ',
      '>>> ',
      '[',
      ']',
      '(https://evil.test)',
      'https://x.test/',
      '[a](https://b.test)',
    ),
  },
  {
    weight: 2,
    arbitrary: fc.constantFrom('\n', '\n\n', ' ', '\r\n', '# ', '- ', '| a | b |', '[a](b)', '![', '](', '&'),
  },
  { weight: 1, arbitrary: fc.string({ unit: 'binary', maxLength: 50 }) },
  { weight: 1, arbitrary: fc.nat(9000).map((length) => 'wörd& '.repeat(length / 6)) },
  { weight: 1, arbitrary: fc.nat(9000).map((length) => '<😀'.repeat(length / 3)) },
  { weight: 1, arbitrary: fc.nat(5000).map((length) => '<😀`'.repeat(length / 4)) },
  { weight: 1, arbitrary: fc.nat(200).map((length) => 'line\n'.repeat(length)) },
)
const words = fc.array(hostile, { maxLength: 30 }).map((parts) => parts.join(''))
const line: fc.Arbitrary<CardLine> = fc.oneof(
  fc.record({ kind: fc.constantFrom('text', 'code', 'diff', 'quote'), text: words }),
  fc.record({ kind: fc.constant('fields' as const), fields: fc.array(fc.tuple(words, words), { maxLength: 5 }) }),
)
const card: fc.Arbitrary<Card> = fc.record({
  title: words,
  tone: fc.constantFrom('waiting', 'good', 'bad', 'quiet'),
  lines: fc.array(line, { maxLength: 60 }),
  buttons: fc.array(
    fc.record({
      action: fc.string({ unit: 'grapheme-ascii', minLength: 1, maxLength: mostActionBytes }),
      label: words,
      style: fc.constantFrom('primary', 'danger', 'plain'),
    }),
    { maxLength: 100 },
  ),
  footer: fc.option(words),
  /** Also what a platform takes for the id of a person. */
  mention: fc.option(fc.oneof(words, fc.constant('123456789012345678'))),
})
/** Anything an agent could ask us to send. */
export const hostileContent: fc.Arbitrary<Content> = fc.oneof(
  words.map((all) => ({ kind: 'text' as const, text: all })),
  card.map((one) => ({ kind: 'card' as const, card: one })),
  fc.record({
    kind: fc.constant('file' as const),
    name: words,
    bytes: fc.uint8Array({ maxLength: 10 }).map((bytes) => Buffer.from(bytes)),
    text: fc.option(words),
  }),
)

const mark = fc.nat(999_999).map((number) => `mark${number}x`)
const filler = fc.nat(4000).map((length) => 'wörd <b> '.repeat(length / 8))
const marked = fc.tuple(filler, mark, filler, mark).map(([a, first, b, second]) => `${a}${first} ${b}${second}`)
const lines = fc.array(
  fc.oneof(
    fc.record({ kind: fc.constantFrom('text', 'code', 'diff', 'quote'), text: marked }),
    fc.record({ kind: fc.constant('fields' as const), fields: fc.array(fc.tuple(mark, marked), { maxLength: 3 }) }),
  ),
  { maxLength: 50 },
)
const button = marked.map((label) => ({ action: label.slice(-9), label, style: 'plain' as const }))
/** A card full of marks such as `mark12x`, all of which must be shown somewhere. */
export const markedCard = fc.record({
  title: marked,
  tone: fc.constant('quiet' as const),
  lines,
  buttons: fc.array(button, { maxLength: 5 }),
  footer: fc.option(marked),
  mention: fc.constant(null),
})

type FullCard = { footer: number; mention: string; action?: (index: number) => string }

/** A card with every field at its limit, in characters that a platform may write longer. */
export const fullCard = (unit: string, { footer, mention, action }: FullCard): Content => ({
  kind: 'card',
  card: {
    title: unit.repeat(300),
    tone: 'waiting',
    lines: Array.from({ length: 60 }, () => ({ kind: 'text', text: unit.repeat(2000) })),
    buttons: Array.from({ length: 60 }, (_, index) => ({
      action: action?.(index) ?? `${index}${unit.slice(0, 1).repeat(30)}`,
      label: unit.repeat(100),
      style: 'primary',
    })),
    footer: unit.repeat(footer),
    mention,
  },
})

/** Letters and digits: marks of Markdown may change, words may not. */
export const lettersOf = (all: string): string => (all.match(/[\p{L}\p{N}]/gu) ?? []).join('')

/** A line that opens a fence, with the name of one language, which is not shown. */
export const fenceWithLanguage = /^(\s{0,3}(?:`{3,}|~{3,}))[^`\s]*[^\S\n]*$/gm

/** Text with marks of Markdown, some of it long. */
export const longMarkdown = (marks: readonly string[], longest: number): fc.Arbitrary<string> => {
  const part = fc.oneof(
    fc.string({ unit: 'grapheme-ascii', maxLength: 100 }),
    fc.constantFrom('\n', '\n\n', '```\n', '**', '| a |\n', '- ', '# ', ' ', '<', ...marks),
    fc.nat(longest).map((length) => 'abc def '.repeat(length / 8)),
  )
  return fc.array(part, { maxLength: 40 }).map((parts) => parts.join(''))
}

/** The marks of a marked card that are not in the text. */
export const missingMarks = (one: Card, shown: string): string[] => {
  const all = JSON.stringify({ ...one, buttons: one.buttons.map(({ label }) => label) })
  return (all.match(/mark\d+x/g) ?? []).filter((each) => !shown.includes(each))
}
