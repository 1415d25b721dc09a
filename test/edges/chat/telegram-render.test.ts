import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { Card, CardLine, Content, Rendered } from '../../../src/edges/chat/adapter.ts'
import { renderTelegram } from '../../../src/edges/chat/telegram/render.ts'
import {
  fenceWithLanguage,
  fullCard,
  hostileContent,
  lettersOf,
  longMarkdown,
  markedCard,
  missingMarks,
} from '../../support/chats/hostile-content.ts'
import '../../support/chats/loopback-guard.ts'
import { parseHtml } from '../../support/chats/telegram-html.ts'
import { checkMessage, type TelegramButton } from '../../support/chats/telegram-world.ts'
import { scale } from '../../support/scale.ts'

type Body = { text: string; keyboard: TelegramButton[][] }
const bodyOf = ({ body }: Rendered): Body => body as unknown as Body
const textsOf = (content: Content): string[] => renderTelegram(content).map((part) => bodyOf(part).text)
const text = (markdown: string): string => textsOf({ kind: 'text', text: markdown }).join('\n---\n')

const blank: Card = { title: 'Title', tone: 'waiting', lines: [], buttons: [], footer: null, mention: null }
const renderCard = (more: Partial<Card>): readonly Rendered[] =>
  renderTelegram({ kind: 'card', card: { ...blank, ...more } })

/** As the emulated Telegram reads it; a string if it refuses. */
function checked(part: Rendered) {
  if (!part.file) {
    const { text: html, keyboard } = bodyOf(part)
    return checkMessage({ text: html, parse_mode: 'HTML', reply_markup: { inline_keyboard: keyboard } }, 'text')
  }
  const { name, bytes } = part.file
  if (bytes.length === 0 || !/^[^/\\]{1,200}$/.test(name)) return 'not a file for Telegram'
  const { caption } = part.body as { caption: string | null }
  return checkMessage({ caption: caption ?? '', parse_mode: 'HTML' }, 'caption')
}

/** Everything people can read: texts, labels and files. */
const readable = (parts: readonly Rendered[]): string =>
  parts
    .flatMap((part) => {
      const seen = checked(part)
      if (typeof seen === 'string') throw new Error(seen)
      const labels = part.file ? [] : bodyOf(part).keyboard.flatMap((row) => row.map((button) => button.text))
      return [seen.text, ...labels, part.file?.bytes.toString() ?? '']
    })
    .join('\n')

describe('Markdown of agents', () => {
  it.each([
    [
      '**bold** and *italic* and __bold__ and ~~gone~~',
      '<b>bold</b> and <i>italic</i> and <b>bold</b> and <s>gone</s>',
    ],
    ['**a *b* c**', '<b>a <i>b</i> c</b>'],
    ['**a ~~b** c~~', '<b>a <s>b</s></b><s> c</s>'],
    ['2 * 3 * 4 and a_b_c', '2 * 3 * 4 and a_b_c'],
    ['# Title\n\n- one\n  * two\n1. three', '<b>Title</b>\n\n• one\n  • two\n1. three'],
    ['`**code** <b>` stays', '<code>**code** &lt;b&gt;</code> stays'],
    ['[safe](https://evil.test)', 'safe (https://evil.test)'],
    ['> quoted', '&gt; quoted'],
    ['<b>x</b> & </pre>', '&lt;b&gt;x&lt;/b&gt; &amp; &lt;/pre&gt;'],
    ['&lt;b&gt;', '&amp;lt;b&amp;gt;'],
    ['<a href="tg://user?id=1">you</a>', '&lt;a href="tg://user?id=1"&gt;you&lt;/a&gt;'],
    ['[you](tg://user?id=1)', 'you (tg://user?id=1)'],
    ['ask @ann, not ann@x.test', 'ask @\u2060ann, not ann@x.test'],
    ['`@ann` in code', '<code>@ann</code> in code'],
    ['```ts\nconst a = 1 < 2\n```', '<pre>const a = 1 &lt; 2</pre>'],
    ['```\nnever closed', '<pre>never closed</pre>'],
    ['| a | b |\n|---|---|\n| 1 | 2 |', '<pre>| a | b |\n|---|---|\n| 1 | 2 |</pre>'],
    ['pay\u202e gnp.exe', 'pay⟨U+202E⟩ gnp.exe'],
    ['```\n\n```', ''],
    ['', ''],
  ])('%j', (markdown, expected) => {
    expect(text(markdown)).toBe(expected)
  })

  it('is split after a paragraph, else after a line, else after a word', () => {
    const paragraph = 'word '.repeat(500).trim()
    expect(textsOf({ kind: 'text', text: `${paragraph}\n\n${paragraph}` })).toEqual([paragraph, paragraph])
    const line = 'x'.repeat(1500)
    expect(textsOf({ kind: 'text', text: `${line}\n${line}\n${line}` })).toEqual([`${line}\n${line}`, line])
    const parts = textsOf({ kind: 'text', text: 'word '.repeat(2000) })
    expect(parts.map((part) => part.length <= 4096)).toEqual([true, true, true])
    expect(parts.every((part) => /^(?:word )+(?:word)?$/.test(part))).toBe(true)
  })

  it('never leaves a code block open, and opens it again in the next message', () => {
    const code = Array.from({ length: 300 }, (_, index) => `const value${index} = '${'x'.repeat(20)}'`).join('\n')
    const parts = textsOf({ kind: 'text', text: `Before\n\n\`\`\`ts\n${code}\n\`\`\`\n\nAfter` })
    expect(parts.length).toBeGreaterThan(2)
    for (const part of parts) expect(parseHtml(part)).toMatchObject({ entities: [{ type: 'pre' }] })
    expect(parts.at(-1)).toMatch(/<\/pre>\n\nAfter$/)
    expect(parts.join('\n').replaceAll(/<\/?pre>/g, '')).toContain("value299 = 'xxxxxxxxxxxxxxxxxxxx'")
  })

  it('never cuts a character, an escape or a tag in two', () => {
    const markdown = `${'&'.repeat(3000)}${'😀'.repeat(5000)}${'**bold** '.repeat(1000)}`
    const parts = renderTelegram({ kind: 'text', text: markdown })
    for (const part of parts) expect(checked(part)).toMatchObject({ markup: undefined })
    expect(readable(parts).replaceAll('\n', '')).toContain('&'.repeat(3000) + '😀'.repeat(5000))
  })

  it('never makes a mention of half an address', () => {
    for (let before = 4000; before < 4100; before += 1) {
      const address = `${'x'.repeat(before)}@example`
      for (const part of renderTelegram({ kind: 'text', text: address }))
        expect(checked(part)).toMatchObject({ entities: [] })
    }
  })
})

describe('a card', () => {
  const diff = (lines: number): CardLine => ({
    kind: 'diff',
    text: Array.from({ length: lines }, (_, index) => `+line ${index}`).join('\n'),
  })

  it('shows title, tone, lines, buttons and footer', () => {
    const [part, ...more] = renderCard({
      lines: [
        { kind: 'text', text: 'Run **this**' },
        { kind: 'code', text: 'rm -rf <dir>' },
        { kind: 'quote', text: 'because\nI say so' },
        {
          kind: 'fields',
          fields: [
            ['Risk', 'high'],
            ['Files', '2'],
          ],
        },
      ],
      buttons: [
        { action: 'a:1:approve', label: 'Approve', style: 'primary' },
        { action: 'a:1:reject', label: 'Reject', style: 'danger' },
        { action: 'a:1:other', label: 'Something that takes more room', style: 'plain' },
      ],
      footer: 'session abc',
      mention: '123',
    })
    expect(more).toEqual([])
    expect(bodyOf(part!)).toEqual({
      text: [
        '<a href="tg://user?id=123">🔔</a> 🟡 <b>Title</b>',
        'Run <b>this</b>',
        '<pre>rm -rf &lt;dir&gt;</pre>',
        '&gt; because\n&gt; I say so',
        '<b>Risk:</b> high\n<b>Files:</b> 2',
        '<i>session abc</i>',
      ].join('\n\n'),
      keyboard: [
        [
          { text: 'Approve', callback_data: 'a:1:approve', style: 'primary' },
          { text: 'Reject', callback_data: 'a:1:reject', style: 'danger' },
        ],
        [{ text: 'Something that takes more room', callback_data: 'a:1:other' }],
      ],
    })
  })

  it('shows a diff of 20 lines, and attaches one of 21', () => {
    const short = renderCard({ lines: [diff(20)] })
    expect(short).toHaveLength(1)
    expect(readable(short)).toContain('+line 19')
    const [card, file, ...more] = renderCard({ lines: [diff(21)] })
    expect(more).toEqual([])
    expect(readable([card!])).toContain('The diff has 21 lines. It is in the file changes.diff.')
    expect(file?.file?.name).toBe('changes.diff')
    expect(file?.file?.bytes.toString()).toBe((diff(21) as { text: string }).text)
  })

  it('shows code in a quote as code, so that no name in it is a mention', () => {
    const [part] = renderCard({ lines: [{ kind: 'quote', text: 'see\n```\n@someone\n```' }] })
    expect(bodyOf(part!).text).toContain('&gt; see\n&gt; <code>@someone</code>')
    expect(checked(part!)).toMatchObject({ entities: [{ type: 'bold' }, { type: 'code' }] })
  })

  it('mentions the owner where the whole chat should be notified: Telegram has no such mention', () => {
    const [part] = renderCard({ notify: 'channel', mention: '123' })
    expect(bodyOf(part!).text).toBe('<a href="tg://user?id=123">🔔</a> 🟡 <b>Title</b>')
  })

  it('mentions only a real user id', () => {
    for (const mention of ['0', '12"><b>', '', '@ann', '-100123'])
      expect(bodyOf(renderCard({ mention })[0]!).text).toBe('🟡 <b>Title</b>')
  })

  it('writes long labels out', () => {
    const label = `Delete ${'everything '.repeat(20)}now`
    const [part] = renderCard({ buttons: [{ action: 'x', label, style: 'danger' }] })
    expect(readable([part!])).toContain(label)
  })
})

describe('a file', () => {
  it('has its words as a caption, or before it if they are longer than one', () => {
    const file = (words: string | null, bytes = 'x') =>
      renderTelegram({ kind: 'file', name: 'a.txt', bytes: Buffer.from(bytes), text: words })
    expect(file('see **this**')).toEqual([
      { body: { caption: 'see <b>this</b>' }, file: { name: 'a.txt', bytes: Buffer.from('x') } },
    ])
    expect(file('x'.repeat(1000))).toHaveLength(1)
    expect(file('long '.repeat(300)).map((part) => part.file?.name)).toEqual([undefined, 'a.txt'])
    expect(readable(file('look', ''))).toMatch(/^look\n+a\.txt \(empty file\)\n$/)
  })
})

describe('whatever agents write', () => {
  it.each(['"', '\\', '&', '<', '\u0001', '\ud800', '😀', 'x', '\n', '@x ', '**'])(
    'full of %j, a card still fits',
    (unit) => {
      const [card] = renderTelegram(
        fullCard(unit, { footer: 150, mention: '123', action: (index) => `action-${index}` }),
      )
      expect(checked(card!)).toMatchObject({ text: expect.stringContaining('🟡') })
    },
  )

  const runs = { numRuns: scale({ test: 300, long: 10_000 }) }

  it('is accepted by Telegram: no limit exceeded, every tag closed', () => {
    fc.assert(
      fc.property(hostileContent, (one) => {
        for (const part of renderTelegram(one)) {
          const seen = checked(part)
          expect(typeof seen === 'string' ? `${seen}: ${JSON.stringify(part.body).slice(0, 300)}` : '').toBe('')
        }
      }),
      runs,
    )
  })

  it('mentions nobody, and links nothing', () => {
    fc.assert(
      fc.property(hostileContent, (one) => {
        const found = renderTelegram(one).flatMap((part) => {
          const seen = checked(part)
          return typeof seen === 'string' ? [] : seen.entities.filter(({ type }) => /mention|link/.test(type))
        })
        const mention = one.kind === 'card' ? one.card.mention : null
        const isOwn = mention !== null && /^[1-9]\d{0,15}$/.test(mention)
        expect(found.map(({ type, offset }) => `${type} at ${offset}`)).toEqual(isOwn ? ['text_mention at 0'] : [])
      }),
      runs,
    )
  })

  it('is all there, in order', () => {
    fc.assert(
      fc.property(longMarkdown(['&', '@b', '~~', '`'], 5000), (markdown) => {
        const shown = lettersOf(readable(renderTelegram({ kind: 'text', text: markdown })))
        // A fence may name one language, which is not shown.
        const wanted = lettersOf(markdown.replaceAll(fenceWithLanguage, '$1'))
        expect(shown).toBe(wanted)
      }),
      runs,
    )
  })

  it('is all in a card or in its files', () => {
    fc.assert(
      fc.property(markedCard, (one) => {
        const parts = renderTelegram({ kind: 'card', card: one })
        const shown = readable(parts)
        expect(missingMarks(one, shown)).toEqual([])
        expect(parts.slice(1).every(({ file }) => file !== null)).toBe(true)
      }),
      { numRuns: scale({ test: 100, long: 3000 }) },
    )
  })
})
