import { expect, it } from 'vitest'
import { discord } from '../../../src/edges/chat/discord/platform.ts'
import { slack } from '../../../src/edges/chat/slack/platform.ts'
import { telegram } from '../../../src/edges/chat/telegram/platform.ts'
import '../../support/chats/loopback-guard.ts'

const size = 300_000
const patterns = [
  '\n',
  '\r\n',
  ' ',
  'a\n',
  '*',
  '`',
  '<',
  '@a\n',
  '[',
  '> \n',
  '- \n',
  '|\n',
  '||\n',
  '\u202e',
  '**a** ',
  'h',
]
const limitMs = 1500

it.each([slack, telegram, discord])(
  'S8 300 kB of anything take $name a moment',
  ({ render }) => {
    const slow = patterns.flatMap((pattern) => {
      const text = pattern.repeat(size / pattern.length)
      return [text, `\`\`\`\n${text}`].flatMap((one) => {
        const before = process.cpuUsage().user
        render({ kind: 'text', text: one })
        const ms = (process.cpuUsage().user - before) / 1000
        return ms > limitMs ? [[pattern, ms]] : []
      })
    })
    expect(slow).toEqual([])
  },
  120_000,
)

it.each([slack, telegram, discord])('blank lines beyond two say nothing more in $name, but for code', ({ render }) => {
  const shown = JSON.stringify(render({ kind: 'text', text: 'one\n\n\n\n\n\ntwo\n```\na\n\n\n\n\nb\n```' }))
  expect(shown).toMatch(/one\\+n\\+n\\+ntwo/)
  expect(shown).toMatch(/a\\+n\\+n\\+n\\+n\\+nb/)
})
