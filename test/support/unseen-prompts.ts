// test/fixtures/prompts/unseen.txt: prompts of programs that no recorded case covers.
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Screen, Signals } from '../../src/domain/terminal/screen.ts'
import { drawn, recorded } from './drawn-screen.ts'

export type UnseenPrompt = {
  name: string
  types: readonly string[]
  dangerous: boolean
  screen: Screen
  signals: Signals
}

const file = join(import.meta.dirname, '..', 'fixtures', 'prompts', 'unseen.txt')

export const unseenPrompts = (): UnseenPrompt[] =>
  readFileSync(file, 'utf8')
    .split('\n')
    .filter((line) => line !== '' && !line.startsWith('#'))
    .map((line) => {
      const { danger, types = '', name = '', shown = '' } = row.exec(line)?.groups ?? {}
      if (shown === '') throw new Error(`not a prompt: ${line}`)
      const screen = drawn(`${shown.replaceAll(' ⏎ ', '\n')} ▮`)
      return { name, types: types.split('/'), dangerous: danger === 'danger', screen, signals: recorded }
    })

const row = /^(?<danger>danger|safe) (?<types>\S+) (?<name>\S+) \| (?<shown>.+)$/u
