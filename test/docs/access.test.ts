import { readFileSync, writeFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { expect, it } from 'vitest'
import { whoMay } from '../../src/app/authorize.ts'

const file = fileURLToPath(new URL('../../docs/access.md', import.meta.url))
const marked = /(?<=<!-- commands -->\n)[^]*(?=<!-- \/commands -->)/

/** Commands with the same permissions share a line. */
function table(): string {
  const byWho = Map.groupBy(Object.entries(whoMay), ([, who]) => who)
  const rows = [...byWho].map(
    ([who, commands]) => `| ${commands.map(([type]) => `\`${type}\``).join(', ')} | ${who} |\n`,
  )
  return `| command | who may |\n|---|---|\n${rows.join('')}`
}

it('docs/access.md lists every command with who may use it (UPDATE_DOCS=1 writes it)', () => {
  const page = readFileSync(file, 'utf8')
  const wanted = page.replace(marked, () => table())
  if (process.env['UPDATE_DOCS'] === '1') writeFileSync(file, wanted)
  expect(readFileSync(file, 'utf8')).toBe(wanted)
})
