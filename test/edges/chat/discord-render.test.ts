import { describe, expect, it } from 'vitest'
import type { Card, CardLine, Content, Rendered } from '../../../src/edges/chat/adapter.ts'
import { renderDiscord } from '../../../src/edges/chat/discord/render.ts'
import '../../support/chats/loopback-guard.ts'
import { bodyOf, liveMarks, readable } from './discord-reading.ts'

const textsOf = (content: Content): string[] => renderDiscord(content).map((part) => bodyOf(part).content)
const text = (markdown: string): string => textsOf({ kind: 'text', text: markdown }).join('\n---\n')

const blank: Card = { title: 'Title', tone: 'waiting', lines: [], buttons: [], footer: null, mention: null }
const renderCard = (more: Partial<Card>): readonly Rendered[] =>
  renderDiscord({ kind: 'card', card: { ...blank, ...more } })

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
    ['[a [b]](https://evil.test)', '\\[a \\[b]](https://evil.test)'],
    ['[[x] https://good.test](https://evil.test)', '\\[\\[x] https://good.test](https://evil.test)'],
    ['[click `](https://evil.test)`', '\\[click `](https://evil.test)`'],
    ['[click\n\n](https://evil.test)', '\\[click\n\n](https://evil.test)'],
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

  it('notifies everyone who is online only for a card that says so', () => {
    const [part] = renderCard({ notify: 'channel', mention: '123456789012345678' })
    expect(bodyOf(part!)).toMatchObject({ content: '@here 🟡 **Title**', everyone: true })
    expect(bodyOf(renderCard({ title: '@here @everyone' })[0]!)).not.toHaveProperty('everyone')
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
