import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { Card, CardLine, Content, Rendered } from '../../../src/edges/chat/adapter.ts'
import { renderSlack } from '../../../src/edges/chat/slack/render.ts'
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
import { messageProblem, type SlackBlock } from '../../support/chats/slack-workspace.ts'
import { scale } from '../../support/scale.ts'

type Body = { text: string; blocks: SlackBlock[] }
const bodyOf = ({ body }: Rendered): Body => body as unknown as Body
const textsOf = (content: Content): string[] => renderSlack(content).map((part) => bodyOf(part).text)
const text = (markdown: string): string => textsOf({ kind: 'text', text: markdown }).join('\n---\n')

const blank: Card = { title: 'Title', tone: 'waiting', lines: [], buttons: [], footer: null, mention: null }
const renderCard = (more: Partial<Card>): readonly Rendered[] =>
  renderSlack({ kind: 'card', card: { ...blank, ...more } })

/** All mrkdwn of a message: where a `<` would be a mention or a link. */
function mrkdwnOf(part: Rendered): string[] {
  if (part.file) return [(part.body as { comment: string | null }).comment ?? '']
  const { text, blocks } = bodyOf(part)
  const found = [text]
  JSON.stringify(blocks, (_key, value: unknown) => {
    if ((value as { type?: string } | null)?.type === 'mrkdwn') found.push((value as { text: string }).text)
    return value
  })
  return found
}

const fileProblem = ({ name, bytes }: { name: string; bytes: Buffer }): string | undefined =>
  bytes.length === 0 || !/^[^/\\]{1,200}$/.test(name) ? 'not a file for Slack' : undefined

/** Everything people can read: texts, labels and files, without escapes. */
function readable(parts: readonly Rendered[]): string {
  const all = parts.flatMap((part) => {
    const labels: string[] = []
    JSON.stringify(part.body, (_key, value: unknown) => {
      const { type, text: label } = (value ?? {}) as { type?: string; text?: string }
      if (type === 'plain_text') labels.push(label ?? '')
      return value
    })
    return [...mrkdwnOf(part), ...labels, part.file?.bytes.toString() ?? '']
  })
  return all.join('\n').replaceAll('&lt;', '<').replaceAll('&gt;', '>').replaceAll('&amp;', '&')
}

describe('Markdown of agents', () => {
  it.each([
    ['**bold** and *italic* and __bold__ and ~~gone~~', '*bold* and _italic_ and *bold* and ~gone~'],
    ['**a *b* c**', '*a _b_ c*'],
    ['2 * 3 * 4 and a_b_c', '2 * 3 * 4 and a_b_c'],
    ['# Title\n\n- one\n  * two\n1. three', '*Title*\n\n• one\n  • two\n1. three'],
    ['`**code**` stays', '`**code**` stays'],
    ['[safe](https://evil.test)', 'safe (https://evil.test)'],
    ['[https://x.test](https://x.test) ![pic](https://x.test/a.png)', 'https://x.test pic (https://x.test/a.png)'],
    ['> quoted', '&gt; quoted'],
    [
      '<!channel> <@U1> <!here|x> & <https://evil.test|safe>',
      '&lt;!channel&gt; &lt;@U1&gt; &lt;!here|x&gt; &amp; &lt;https://evil.test|safe&gt;',
    ],
    ['&lt;!channel&gt;', '&amp;lt;!channel&amp;gt;'],
    ['```ts\nconst a = 1 < 2\n```', '```\nconst a = 1 &lt; 2\n```'],
    ['~~~~\n```\n~~~~', '```\n``\u200b`\n```'],
    ['```\nnever closed', '```\nnever closed\n```'],
    ['| a | b |\n|---|---|\n| 1 | 2 |', '```\n| a | b |\n|---|---|\n| 1 | 2 |\n```'],
    ['a ``` b', 'a ``\u200b` b'],
    ['pay\u202e gnp.exe', 'pay⟨U+202E⟩ gnp.exe'],
    ['one\r\ntwo', 'one\ntwo'],
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
    expect(parts.map((part) => part.length <= 3900)).toEqual([true, true, true])
    expect(parts.every((part) => /^(?:word )+(?:word)?$/.test(part))).toBe(true)
  })

  it('never leaves a code block open, and opens it again in the next message', () => {
    const code = Array.from({ length: 300 }, (_, index) => `const value${index} = '${'x'.repeat(20)}'`).join('\n')
    const parts = textsOf({ kind: 'text', text: `Before\n\n\`\`\`ts\n${code}\n\`\`\`\n\nAfter` })
    expect(parts.length).toBeGreaterThan(2)
    for (const part of parts) expect((part.match(/^```$/gm) ?? []).length % 2).toBe(0)
    expect(parts.at(-1)).toMatch(/```\n\nAfter$/)
    expect(parts.join('\n').replaceAll(/^```\n?/gm, '')).toContain("value299 = 'xxxxxxxxxxxxxxxxxxxx'")
  })

  it('never cuts a character or an escape in two', () => {
    const parts = textsOf({ kind: 'text', text: `${'&'.repeat(3000)}${'😀'.repeat(5000)}` })
    const joined = parts.join('')
    expect(joined.replaceAll('&amp;', '&')).toBe('&'.repeat(3000) + '😀'.repeat(5000))
    for (const part of parts) {
      expect(part.isWellFormed()).toBe(true)
      expect(part).not.toMatch(/&(?!amp;)/)
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
      buttons: [{ action: 'a:1:approve', label: 'Approve', style: 'primary' }],
      footer: 'session abc',
      mention: 'U123',
    })
    expect(more).toEqual([])
    expect(bodyOf(part!)).toEqual({
      text: '<@U123> 🟡 *Title*',
      blocks: [
        { type: 'section', text: { type: 'mrkdwn', text: '<@U123> 🟡 *Title*' } },
        { type: 'section', text: { type: 'mrkdwn', text: 'Run *this*' } },
        { type: 'section', text: { type: 'mrkdwn', text: '```\nrm -rf &lt;dir&gt;\n```' } },
        { type: 'section', text: { type: 'mrkdwn', text: '&gt; because\n&gt; I say so' } },
        { type: 'section', text: { type: 'mrkdwn', text: '*Risk:* high\n*Files:* 2' } },
        {
          type: 'actions',
          elements: [
            {
              type: 'button',
              action_id: 'b0',
              value: 'a:1:approve',
              style: 'primary',
              text: { type: 'plain_text', text: 'Approve', emoji: false },
            },
          ],
        },
        { type: 'context', elements: [{ type: 'mrkdwn', text: 'session abc' }] },
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

  it('notifies the whole channel only for a card that says so, and shows it there', () => {
    const [part] = renderCard({ notify: 'channel', mention: 'U123' })
    expect(part?.body).toMatchObject({ text: '<!channel> 🟡 *Title*', broadcast: true })
    expect(renderCard({ title: '<!channel>', mention: 'U123' })[0]?.body).not.toHaveProperty('broadcast')
  })

  it('mentions only a real user id', () => {
    for (const mention of ['!channel', 'U1> <!channel', '', 'everyone'])
      expect(mrkdwnOf(renderCard({ mention })[0]!).join()).not.toContain('<')
  })

  it('writes long labels out', () => {
    const label = `Delete ${'everything '.repeat(20)}now`
    const [part] = renderCard({ buttons: [{ action: 'x', label, style: 'danger' }] })
    expect(readable([part!])).toContain(label)
  })
})

describe('a file', () => {
  it('has its words as a comment, or before it if they are long', () => {
    const file = (words: string | null, bytes = 'x') =>
      renderSlack({ kind: 'file', name: 'a.txt', bytes: Buffer.from(bytes), text: words })
    expect(file('see **this**')).toEqual([
      { body: { comment: 'see *this*' }, file: { name: 'a.txt', bytes: Buffer.from('x') } },
    ])
    expect(file('long '.repeat(1000)).map((part) => part.file?.name)).toEqual([undefined, undefined, 'a.txt'])
    expect(readable(file('look', ''))).toMatch(/^look\n+a\.txt \(empty file\)\n$/)
  })
})

describe('whatever agents write', () => {
  it.each(['"', '\\', '&', '<', '\u0001', '\ud800', '😀', 'x', '\n', '"\n'])(
    'full of %j, a card still fits',
    (unit) => {
      const [card] = renderSlack(fullCard(unit, { footer: 150, mention: 'U123' }))
      expect(messageProblem('chat.postMessage', { ...bodyOf(card!) })).toBeUndefined()
    },
  )

  const runs = { numRuns: scale({ test: 300, long: 10_000 }) }

  it('exceeds no limit of Slack', () => {
    fc.assert(
      fc.property(hostileContent, (one) => {
        for (const part of renderSlack(one)) {
          const problem = part.file
            ? fileProblem(part.file)
            : // Of all methods, `chat.update` takes the least.
              messageProblem('chat.update', { ...bodyOf(part) })
          expect(problem && `${problem}: ${JSON.stringify(part.body).slice(0, 300)}`).toBeUndefined()
        }
      }),
      runs,
    )
  })

  it('mentions nobody', () => {
    fc.assert(
      fc.property(hostileContent, (one) => {
        const [first, ...others] = renderSlack(one).flatMap(mrkdwnOf)
        const mention = one.kind === 'card' ? one.card.mention : null
        const own = mention !== null && /^[UW][A-Z0-9]{1,30}$/.test(mention) ? `<@${mention}> ` : ''
        for (const shown of [first ?? '', ...others]) {
          const rest = own !== '' && shown.startsWith(own) ? shown.slice(own.length) : shown
          expect(rest).not.toMatch(/[<>]|&(?!amp;|lt;|gt;)/)
        }
      }),
      runs,
    )
  })

  it('is all there, in order', () => {
    fc.assert(
      fc.property(longMarkdown(['&'], 5000), (markdown) => {
        const shown = lettersOf(readable(renderSlack({ kind: 'text', text: markdown })))
        // A fence may name one language, which Slack does not show.
        const wanted = lettersOf(markdown.replaceAll(fenceWithLanguage, '$1'))
        expect(shown).toBe(wanted)
      }),
      runs,
    )
  })

  it('is all in a card or in its files', () => {
    fc.assert(
      fc.property(markedCard, (one) => {
        const parts = renderSlack({ kind: 'card', card: one })
        const shown = readable(parts)
        expect(missingMarks(one, shown)).toEqual([])
        expect(parts.slice(1).every(({ file }) => file !== null)).toBe(true)
      }),
      { numRuns: scale({ test: 100, long: 3000 }) },
    )
  })
})
