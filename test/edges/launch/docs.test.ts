import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { presets } from '../../../src/edges/acp/launch/preset-table.ts'

const page = readFileSync(join(import.meta.dirname, '../../../docs/agents.md'), 'utf8')

/** The rows of all tables about one agent, as one text. */
const rows = (agent: string): string =>
  page
    .split('\n')
    .filter((line) => line.startsWith(`| \`${agent}\` |`))
    .join('\n')

describe('docs/agents.md', () => {
  it.each(Object.entries(presets))('says how to install %s, what it is given and what is opened', (name, preset) => {
    const command = [preset.command, ...preset.args].join(' ')
    const install = /npm install -g \S+@[\d.]*\d/.exec(preset.install)?.[0] ?? 'no install line'
    const told = rows(name)
    const variables = [...Object.keys(preset.defaultEnv), ...Object.keys(preset.jsonEnv), ...preset.passEnv]
    for (const word of [command, install, ...preset.openPaths, ...preset.readPaths, ...variables])
      expect(told).toContain(word)
  })
})
