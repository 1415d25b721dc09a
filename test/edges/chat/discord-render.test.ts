import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { Card, CardLine, Content, Rendered } from '../../../src/edges/chat/adapter.ts'
import { mostActionBytes } from '../../../src/edges/chat/adapter.ts'
import { renderDiscord } from '../../../src/edges/chat/discord/render.ts'
import { messageProblem, type DiscordComponent, type DiscordEmbed } from '../../support/chats/discord-guild.ts'
import '../../support/chats/loopback-guard.ts'
import { scale } from '../../support/scale.ts'

type Body = { content: string; embeds: DiscordEmbed[]; components: DiscordComponent[]; mention: string | null }
const bodyOf = ({ body }: Rendered): Body => body as unknown as Body
const textsOf = (content: Content): string[] => renderDiscord(content).map((part) => bodyOf(part).content)
const text = (markdown: string): string => textsOf({ kind: 'text', text: markdown }).join('\n---\n')

const blank: Card = { title: 'Title', tone: 'waiting', lines: [], buttons: [], footer: null, mention: null }
const renderCard = (more: Partial<Card>): readonly Rendered[] =>
  renderDiscord({ kind: 'card', card: { ...blank, ...more } })

/** Everything of a message that Discord reads as Markdown. */
const markdownOf = (part: Rendered): string[] => {
  const { content, embeds } = bodyOf(part)
  return [content, ...embeds.map(({ description = '' }) => description)]
}
/** Everything people can read: texts, labels and files, without escapes. */
function readable(parts: readonly Rendered[]): string {
  const all = parts.flatMap((part) => {
    const { embeds, components } = bodyOf(part)
    const labels = components.flatMap((row) => row.components ?? []).map(({ label }) => label ?? '')
    const small = embeds.map(({ footer }) => footer?.text ?? '')
    return [...markdownOf(part), ...small, ...labels, part.file?.bytes.toString() ?? '']
  })
  return all.join('\n').replaceAll(/\\([^0-9A-Za-z\s])/g, '$1')
}

const isFileOk = ({ name, bytes }: { name: string; bytes: Buffer }): boolean =>
  bytes.length > 0 && /^[^/\\]{1,200}$/u.test(name)

/**
 * A simple reader of Discord's Markdown, from its beginning: code blocks, escapes, code spans, and what is left. What it
 * finds live is what Discord would act on.
 */
function liveMarks(content: string): string[] {
  const found: string[] = []
  const rules: [RegExp, boolean][] = [
    [/^```(?:[\w+#.-]+\n)?[^]*?```/, false],
    [/^\\[^0-9A-Za-z\s]/, false],
    [/^(`+)([^]*?[^`])\1(?!`)/, false],
    [/^<https?:\/\/[^\s<>]+>/, false],
    [/^<(?:@[!&]?|#|t:|a?:\w+:|\/[^>]*:|id:)\w*[^>]*>/, true],
    [/^\[(?:\[[^\]]*\]|[^[\]]|\](?=[^[]*\]))*\]\([^)]*\)/, true],
    [/^\|\|[^]+?\|\|/, true],
    [/^@(?:everyone|here)/, true],
  ]
  let rest = content
  while (rest !== '') {
    const hit = rules.flatMap(([rule, isLive]) => {
      const [matched] = rule.exec(rest) ?? []
      return matched === undefined ? [] : [{ matched, isLive }]
    })[0]
    if (hit?.isLive) found.push(hit.matched)
    rest = rest.slice(hit?.matched.length ?? 1)
  }
  return found
}

describe('Markdown of agents', () => {
  it.each([
    ['**bold** and *italic* and __under__ and ~~gone~~', '**bold** and *italic* and __under__ and ~~gone~~'],
    ['# Title\n\n- one\n  * two\n1. three\n> quoted', '# Title\n\n- one\n  * two\n1. three\n> quoted'],
    ['##### Deep', '**Deep**'],
    ['>>> all', '\\>>> all'],
    ['`**code** <@1>` stays', '`**code** <@1>` stays'],
    ['`` a`b `` stays', '`` a`b `` stays'],
    ['[safe](https://evil.test)', 'safe (https://evil.test)'],
    ['[safe](<https://evil.test>)', 'safe (https://evil.test)'],
    ['[safe](https://evil.test "title")', 'safe (https://evil.test)'],
    ['[https://x.test](https://x.test) ![pic](https://x.test/a.png)', 'https://x.test pic (https://x.test/a.png)'],
    ['[a [b]](https://evil.test)', '[a [b]]\\(https://evil.test)'],
    ['[[x] https://good.test](https://evil.test)', '[[x] https://good.test]\\(https://evil.test)'],
    ['<https://x.test/a_b> https://x.test/a_b_(c)', '<https://x.test/a_b> https://x.test/a_b_(c)'],
    ['<@1> <@&2> <#3> <t:0> </x:1> a < b', '\\<@1> \\<@&2> \\<#3> \\<t:0> \\</x:1> a \\< b'],
    ['\\<@1> \\\\<@1>', '\\<@1> \\\\\\<@1>'],
    ['@everyone and @here', '@\u200beveryone and @\u200bhere'],
    ['||hidden||', '\\|\\|hidden\\|\\|'],
    ['```ts\nconst a = 1 < 2\n```', '```ts\nconst a = 1 < 2\n```'],
    ['```two words\nx\n```', 'two words\n```\nx\n```'],
    ['~~~~\n```\n~~~~', '```\n``\u200b`\n```'],
    ['```\nnever closed', '```\nnever closed\n```'],
    ['| a | b |\n|---|---|\n| 1 | 2 |', '```\n| a | b |\n|---|---|\n| 1 | 2 |\n```'],
    ['a ``` b', 'a \\`\\`\\` b'],
    ['a ` b\n`[x](https://evil.test)`', 'a \\` b\n`[x](https://evil.test)`'],
    ['pay\u202e gnp.exe', 'pay⟨U+202E⟩ gnp.exe'],
    ['one\r\ntwo', 'one\ntwo'],
    ['', ''],
  ])('%j', (markdown, expected) => {
    expect(text(markdown)).toBe(expected)
    expect(liveMarks(expected)).toEqual([])
  })

  it('is split after a paragraph, else after a line, else after a word', () => {
    const paragraph = 'word '.repeat(250).trim()
    expect(textsOf({ kind: 'text', text: `${paragraph}\n\n${paragraph}` })).toEqual([paragraph, paragraph])
    const line = 'x'.repeat(900)
    expect(textsOf({ kind: 'text', text: `${line}\n${line}\n${line}` })).toEqual([`${line}\n${line}`, line])
    const parts = textsOf({ kind: 'text', text: 'word '.repeat(1000) })
    expect(parts.map((part) => part.length <= 2000)).toEqual([true, true, true])
    expect(parts.every((part) => /^(?:word )+(?:word)?$/.test(part))).toBe(true)
  })

  it('never leaves a code block open, and opens it again in the next message, in its language', () => {
    const code = Array.from({ length: 200 }, (_, index) => `const value${index} = '${'x'.repeat(20)}'`).join('\n')
    const parts = textsOf({ kind: 'text', text: `Before\n\n\`\`\`ts\n${code}\n\`\`\`\n\nAfter` })
    expect(parts.length).toBeGreaterThan(3)
    for (const part of parts) {
      expect((part.match(/^```/gm) ?? []).length % 2).toBe(0)
      expect(part).toMatch(/^(?:Before\n\n)?```ts\n/)
      expect(part.length).toBeLessThanOrEqual(2000)
    }
    expect(parts.at(-1)).toMatch(/```\n\nAfter$/)
    expect(parts.join('\n')).toContain("value199 = 'xxxxxxxxxxxxxxxxxxxx'")
  })

  it('never cuts a character, an escape or a span of code in two', () => {
    const whole = `${'<'.repeat(3000)}${'😀'.repeat(3000)}`
    const parts = textsOf({ kind: 'text', text: whole })
    expect(parts.join('').replaceAll('\\<', '<')).toBe(whole)
    for (const part of parts) {
      expect(part.isWellFormed()).toBe(true)
      expect(part).not.toMatch(/(?<!\\)</)
    }
    for (let shift = 0; shift < 120; shift += 1) {
      const spans = textsOf({ kind: 'text', text: `${'x'.repeat(1900 + shift)}\`${'<@1>'.repeat(20)}\` after` })
      expect(spans.flatMap(liveMarks)).toEqual([])
    }
  })
})

describe('a card', () => {
  const diff = (lines: number, width = 0): CardLine => ({
    kind: 'diff',
    text: Array.from({ length: lines }, (_, index) => `+line ${index}${'x'.repeat(width)}`).join('\n'),
  })

  it('shows title, tone, lines, buttons and footer', () => {
    const [part, ...more] = renderCard({
      lines: [
        { kind: 'text', text: 'Run **this**' },
        { kind: 'code', text: 'rm -rf <dir>' },
        { kind: 'diff', text: '-a\n+b' },
        { kind: 'quote', text: 'because\nI say so' },
        {
          kind: 'fields',
          fields: [
            ['Risk', 'high_er'],
            ['Files', '2'],
          ],
        },
      ],
      buttons: [
        { action: 'a:1:approve', label: 'Approve', style: 'primary' },
        { action: 'a:1:reject', label: 'Reject', style: 'danger' },
      ],
      footer: 'session *abc*',
      mention: '123456789012345678',
    })
    expect(more).toEqual([])
    expect(part).toEqual({
      file: null,
      body: {
        content: [
          '<@123456789012345678> 🟡 **Title**',
          'Run **this**',
          '```\nrm -rf <dir>\n```',
          '```diff\n-a\n+b\n```',
          '> because\n> I say so',
          '**Risk:** high\\_er\n**Files:** 2',
          '-# session \\*abc\\*',
        ].join('\n'),
        embeds: [],
        flags: 4,
        mention: '123456789012345678',
        components: [
          {
            type: 1,
            components: [
              { type: 2, style: 1, label: 'Approve', custom_id: '0:a:1:approve' },
              { type: 2, style: 4, label: 'Reject', custom_id: '1:a:1:reject' },
            ],
          },
        ],
      },
    })
  })

  it('shows a diff of 20 lines, also if they are long, and attaches one of 21', () => {
    const [short, ...none] = renderCard({ lines: [diff(20)] })
    expect(none).toEqual([])
    expect(bodyOf(short!)).toMatchObject({ content: expect.stringContaining('```diff\n+line 0\n'), embeds: [] })
    const [wide, ...nothing] = renderCard({ lines: [diff(20, 120)], footer: 'session 1' })
    expect(nothing).toEqual([])
    expect(bodyOf(wide!)).toMatchObject({
      content: '🟡 **Title**',
      embeds: [{ description: expect.stringContaining('+line 19'), footer: { text: 'session 1' } }],
      // With the flag that hides previews, Discord would hide the embed too.
      flags: 0,
    })
    const [card, file, ...more] = renderCard({ lines: [diff(21)] })
    expect(more).toEqual([])
    expect(bodyOf(card!).content).toContain('The diff has 21 lines. It is in the file changes.diff.')
    expect(file?.file?.name).toBe('changes.diff')
    expect(file?.file?.bytes.toString()).toBe((diff(21) as { text: string }).text)
  })

  it('mentions only a real id of a person', () => {
    for (const mention of ['everyone', '1> <@2', '', '&123456789012345678']) {
      const [part] = renderCard({ mention })
      expect(bodyOf(part!)).toMatchObject({ content: '🟡 **Title**', mention: null })
    }
  })

  it('writes long labels out', () => {
    const label = `Delete ${'everything '.repeat(20)}now`
    const [part] = renderCard({ buttons: [{ action: 'x', label, style: 'danger' }] })
    expect(readable([part!])).toContain(label)
  })
})

describe('a file', () => {
  it('has its words in the same message, or before it if they are long', () => {
    const file = (words: string | null, bytes = 'x') =>
      renderDiscord({ kind: 'file', name: 'a.txt', bytes: Buffer.from(bytes), text: words })
    expect(file('see **this**')).toMatchObject([{ body: { content: 'see **this**' }, file: { name: 'a.txt' } }])
    expect(file('long '.repeat(500)).map((part) => part.file?.name)).toEqual([undefined, undefined, 'a.txt'])
    expect(readable(file('look', ''))).toMatch(/^look\n+a\.txt \(empty file\)\n$/)
  })
})

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
