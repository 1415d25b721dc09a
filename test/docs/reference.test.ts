import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { describe, expect, it } from 'vitest'
import * as z from 'zod'
import { listPrompts } from '../../src/edges/mcp/prompts.ts'
import { createTools } from '../../src/edges/mcp/tools/index.ts'
import type { Tool } from '../../src/edges/mcp/tools/tool.ts'
import { rootCommand } from '../../src/cli/table.ts'
import { api } from '../../src/client/contract.ts'

const read = (page: string): string =>
  readFileSync(fileURLToPath(new URL(`../../docs/${page}`, import.meta.url)), 'utf8')

describe('docs/cli.md', () => {
  const text = read('cli.md')
  const told = rootCommand.children.map(({ name }) => name).filter((name) => name !== 'help')

  it.each(told)('covers signalbox %s', (name) => {
    expect(text).toMatch(new RegExp(`^## ${name}s?$`, 'm'))
  })

  const ofFamilies = rootCommand.children.flatMap((family) =>
    family.children.map(({ name }) => ({ family: family.name, name })).filter(({ name }) => name !== 'list'),
  )
  it.each(ofFamilies)('names signalbox $family $name', ({ family, name }) => {
    const section = text.split(new RegExp(`^## ${family}s?$`, 'm'))[1]?.split(/^## /m)[0] ?? ''
    // The command of a family with only one needs no name of its own.
    expect(['show', 'bridge'].includes(name) || section.includes(name)).toBe(true)
  })
})

describe('docs/mcp.md', () => {
  const text = read('mcp.md')
  // Only described, never called: their dependencies are missing.
  const { listed } = createTools({} as Parameters<typeof createTools>[0])
  const sectionOf = ({ name }: Tool): string => text.split(`\n### ${name}\n`)[1]?.split(/^##+ /m)[0] ?? ''
  const Properties = z.object({ properties: z.record(z.string(), z.unknown()).default({}) })
  const propertiesOf = (schema: unknown): string[] => Object.keys(Properties.parse(schema ?? {}).properties)

  it.each(listed)('covers every input, every result and every alias of $name', (tool) => {
    const section = sectionOf(tool)
    const words = [...propertiesOf(tool.inputSchema), ...propertiesOf(tool.outputSchema)].map((name) => `\`${name}\``)
    // Tools that wait have these two, as the page says for all of them.
    const missing = words.filter((word) => !['`request_id`', '`status`'].includes(word) && !section.includes(word))
    expect(missing).toEqual([])
    expect(tool.aliases.every((alias) => section.includes(`[${alias}]`))).toBe(true)
  })

  it('has no tool that does not exist', () => {
    const headings = [...text.matchAll(/^### (\w+)$/gm)].map((match) => match[1])
    expect(headings).toEqual(listed.map(({ name }) => name))
  })

  it.each(listPrompts())('covers the prompt $name', ({ name }) => {
    expect(text).toContain(`\`${name}\``)
  })
})

describe('docs/api.md', () => {
  const addresses = new Set(Object.values(api).map(({ method, path }) => `${method} ${path}`))
  const named = [...read('api.md').matchAll(/`(GET|POST|PUT|DELETE) (\/api\/[^`?\s]*)/g)].map(
    (match) => `${match[1]} ${match[2]}`,
  )
  const served = ['GET /api/events', 'GET /api/openapi.json', 'GET /api/docs']

  it.each([...new Set(named)])('%s is an endpoint of the API', (address) => {
    expect(addresses.has(address) || served.includes(address)).toBe(true)
  })
})
