import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { Content } from '../../../src/edges/chat/adapter.ts'
import { renderDiscord } from '../../../src/edges/chat/discord/render.ts'
import { messageProblem } from '../../support/chats/discord-guild.ts'
import { hostileContent, markedCard } from '../../support/chats/hostile-content.ts'
import '../../support/chats/loopback-guard.ts'
import { scale } from '../../support/scale.ts'
import { bodyOf, liveMarks, markdownOf, readable } from './discord-reading.ts'

const isFileOk = ({ name, bytes }: { name: string; bytes: Buffer }): boolean =>
  bytes.length > 0 && /^[^/\\]{1,200}$/u.test(name)

describe('whatever agents write', () => {
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
      fc.property(hostileContent, (one) => {
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
      fc.property(hostileContent, (one) => {
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
    fc.assert(
      fc.property(markedCard, (one) => {
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
