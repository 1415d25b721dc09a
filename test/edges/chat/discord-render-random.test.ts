import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { renderDiscord } from '../../../src/edges/chat/discord/render.ts'
import { messageProblem } from '../../support/chats/discord-guild.ts'
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
import { scale } from '../../support/scale.ts'
import { bodyOf, liveMarks, markdownOf, readable } from './discord-reading.ts'

const isFileOk = ({ name, bytes }: { name: string; bytes: Buffer }): boolean =>
  bytes.length > 0 && /^[^/\\]{1,200}$/u.test(name)

describe('whatever agents write', () => {
  it.each(['"', '\\', '&', '<', '*', '\u0001', '\ud800', '😀', 'x', '\n', '"\n', '@everyone'])(
    'full of %j, a card still fits',
    (unit) => {
      const [first] = renderDiscord(fullCard(unit, { footer: 240, mention: '123456789012345678' }))
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
    fc.assert(
      fc.property(longMarkdown(['`', '@everyone'], 3000), (markdown) => {
        // A fence is repeated in every message, with its language, which is not part of the text.
        const shown = renderDiscord({ kind: 'text', text: markdown }).map((part) =>
          bodyOf(part).content.replaceAll(/^```[\w+#.-]*$/gm, ''),
        )
        expect(lettersOf(shown.join('\n'))).toBe(lettersOf(markdown.replaceAll(fenceWithLanguage, '$1')))
      }),
      runs,
    )
  })

  it('is all in a card or in its files', () => {
    fc.assert(
      fc.property(markedCard, (one) => {
        const parts = renderDiscord({ kind: 'card', card: one })
        const shown = readable(parts)
        expect(missingMarks(one, shown)).toEqual([])
        expect(parts.slice(1).every(({ file }) => file !== null)).toBe(true)
      }),
      { numRuns: scale({ test: 100, long: 3000 }) },
    )
  })
})
