import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { Card, CardLine, Content } from '../../../src/edges/chat/adapter.ts'
import { mostActionBytes } from '../../../src/edges/chat/adapter.ts'
import { renderDiscord } from '../../../src/edges/chat/discord/render.ts'
import { messageProblem } from '../../support/chats/discord-guild.ts'
import '../../support/chats/loopback-guard.ts'
import { scale } from '../../support/scale.ts'
import { bodyOf, liveMarks, markdownOf, readable } from './discord-reading.ts'

const isFileOk = ({ name, bytes }: { name: string; bytes: Buffer }): boolean =>
  bytes.length > 0 && /^[^/\\]{1,200}$/u.test(name)

describe('whatever agents write', () => {
  const marks = [
    '<@123>',
    '<@&1>',
    '<#1>',
    '<t:1>',
    '</x:1>',
    '@everyone',
    '@here',
    '```',
    '~~~',
    '`',
    '``',
    '**',
    '\\',
  ]
  const hostile = fc.oneof(
    { weight: 4, arbitrary: fc.string({ unit: 'grapheme', maxLength: 200 }) },
    { weight: 5, arbitrary: fc.constantFrom(...marks, '||', '[', ']', '](', '(https://evil.test)', 'https://x.test/') },
    {
      weight: 2,
      arbitrary: fc.constantFrom(
        '\n',
        '\n\n',
        ' ',
        '\r\n',
        '# ',
        '- ',
        '| a | b |',
        '[a](https://b.test)',
        '![',
        '>>> ',
      ),
    },
    { weight: 1, arbitrary: fc.string({ unit: 'binary', maxLength: 50 }) },
    { weight: 1, arbitrary: fc.nat(5000).map((length) => 'wörd& '.repeat(length / 6)) },
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
    lines: fc.array(line, { maxLength: 40 }),
    buttons: fc.array(
      fc.record({
        action: fc.string({ unit: 'grapheme-ascii', minLength: 1, maxLength: mostActionBytes }),
        label: words,
        style: fc.constantFrom('primary', 'danger', 'plain'),
      }),
      { maxLength: 40 },
    ),
    footer: fc.option(words),
    mention: fc.option(fc.oneof(words, fc.constant('123456789012345678'))),
  })
  const content: fc.Arbitrary<Content> = fc.oneof(
    words.map((all) => ({ kind: 'text' as const, text: all })),
    card.map((one) => ({ kind: 'card' as const, card: one })),
    fc.record({
      kind: fc.constant('file' as const),
      name: words,
      bytes: fc.uint8Array({ maxLength: 10 }).map((bytes) => Buffer.from(bytes)),
      text: fc.option(words),
    }),
  )
  /** Every field at its limit, in characters that are escaped. */
  const full = (unit: string): Content => ({
    kind: 'card',
    card: {
      title: unit.repeat(300),
      tone: 'waiting',
      lines: Array.from({ length: 60 }, () => ({ kind: 'text', text: unit.repeat(2000) })),
      buttons: Array.from({ length: 60 }, (_, index) => ({
        action: `${index}${unit.slice(0, 1).repeat(30)}`,
        label: unit.repeat(100),
        style: 'primary',
      })),
      footer: unit.repeat(240),
      mention: '123456789012345678',
    },
  })
  it.each(['"', '\\', '&', '<', '*', '\u0001', '\ud800', '😀', 'x', '\n', '"\n', '@everyone'])(
    'full of %j, a card still fits',
    (unit) => {
      const [first] = renderDiscord(full(unit))
      expect(messageProblem(bodyOf(first!))).toBeUndefined()
    },
  )

  const runs = { numRuns: scale({ test: 300, long: 10_000 }) }

  it('exceeds no limit of Discord', () => {
    fc.assert(
      fc.property(content, (one) => {
        for (const part of renderDiscord(one)) {
          const problem = messageProblem(bodyOf(part), part.file ? 1 : 0)
          expect(problem && `${problem}: ${JSON.stringify(part.body).slice(0, 300)}`).toBeUndefined()
          expect(part.file === null || isFileOk(part.file)).toBe(true)
        }
      }),
      runs,
    )
  })

  it('mentions nobody, hides nothing, and shows where links lead', () => {
    fc.assert(
      fc.property(content, (one) => {
        for (const part of renderDiscord(one)) {
          const { mention } = bodyOf(part)
          for (const [index, shown] of markdownOf(part).entries()) {
            const own = index === 0 && mention !== null ? `<@${mention}> ` : ''
            expect(shown.startsWith(own)).toBe(true)
            expect(liveMarks(shown.slice(own.length))).toEqual([])
          }
        }
      }),
      runs,
    )
  })

  it('is all there, in order', () => {
    // Letters and digits: marks of Markdown may change, words may not.
    const letters = (all: string): string => (all.match(/[\p{L}\p{N}]/gu) ?? []).join('')
    const plain = fc.array(
      fc.oneof(
        fc.string({ unit: 'grapheme-ascii', maxLength: 100 }),
        fc.constantFrom('\n', '\n\n', '```\n', '**', '| a |\n', '- ', '# ', ' ', '<', '`', '@everyone'),
        fc.nat(3000).map((length) => 'abc def '.repeat(length / 8)),
      ),
      { maxLength: 40 },
    )
    fc.assert(
      fc.property(
        plain.map((parts) => parts.join('')),
        (markdown) => {
          // A fence is repeated in every message, with its language, which is not part of the text.
          const fences = /^(\s{0,3}(?:`{3,}|~{3,}))[^`\s]*[^\S\n]*$/gm
          const shown = renderDiscord({ kind: 'text', text: markdown }).map((part) =>
            bodyOf(part).content.replaceAll(/^```[\w+#.-]*$/gm, ''),
          )
          expect(letters(shown.join('\n'))).toBe(letters(markdown.replaceAll(fences, '$1')))
        },
      ),
      runs,
    )
  })

  it('is all in a card or in its files', () => {
    const mark = fc.nat(999_999).map((number) => `mark${number}x`)
    const filler = fc.nat(4000).map((length) => 'wörd <b> '.repeat(length / 8))
    const marked = fc.tuple(filler, mark, filler, mark).map(([a, first, b, second]) => `${a}${first} ${b}${second}`)
    const lines = fc.array(
      fc.oneof(
        fc.record({ kind: fc.constantFrom('text', 'code', 'diff', 'quote'), text: marked }),
        fc.record({ kind: fc.constant('fields' as const), fields: fc.array(fc.tuple(mark, marked), { maxLength: 3 }) }),
      ),
      { maxLength: 30 },
    )
    const button = marked.map((label) => ({ action: label.slice(-9), label, style: 'plain' as const }))
    const cards = fc.record({
      title: marked,
      tone: fc.constant('quiet' as const),
      lines,
      buttons: fc.array(button, { maxLength: 5 }),
      footer: fc.option(marked),
      mention: fc.constant(null),
    })
    fc.assert(
      fc.property(cards, (one) => {
        const parts = renderDiscord({ kind: 'card', card: one })
        const shown = readable(parts)
        const wanted =
          JSON.stringify({ ...one, buttons: one.buttons.map(({ label }) => label) }).match(/mark\d+x/g) ?? []
        expect(wanted.filter((each) => !shown.includes(each))).toEqual([])
        expect(parts.slice(1).every(({ file }) => file !== null)).toBe(true)
      }),
      { numRuns: scale({ test: 100, long: 3000 }) },
    )
  })
})
