import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'

const root = join(import.meta.dirname, '..', '..', '..')
const textOf = (...path: string[]) => readFileSync(join(root, ...path), 'utf8')
const unique = (all: readonly string[]) => [...new Set(all)]

/** Paths that are mounted outside the API, found in the text of the files that mount them. */
export function mountedPaths(): string[] {
  const texts = ['server', 'pages', 'dashboard', 'mcp-endpoint', 'chat-webhooks'].map((name) =>
    textOf('src', 'edges', 'http', `${name}.ts`),
  )
  const literal = texts.flatMap((text) => [...text.matchAll(/'(\/[\w.:/-]*)'/g)].map(([, path = '']) => path))
  const files = /const staticFiles = \[([^\]]*)\]/.exec(texts[2] ?? '')?.[1] ?? ''
  const assets = [...files.matchAll(/'([\w.-]+)'/g)].map(([, name = '']) => `/${name}`)
  return unique([...literal, ...assets]).filter((path) => path !== '/api/')
}

/** Paths of the dashboard's views. */
export const viewPaths = (): string[] =>
  unique([...textOf('web', 'app', 'paths.ts').matchAll(/^ {2}\w+: '(\/[^']*)'/gm)].map(([, path = '']) => path))

/** Former names of tools: still accepted, but not listed. */
export function toolAliases(): string[] {
  const folder = join('src', 'edges', 'mcp', 'tools')
  const files = readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' })
  const texts = files.filter((name) => /(?<!\.test)\.ts$/.test(name)).map((name) => textOf(folder, name))
  return texts.flatMap((text) => [...text.matchAll(/aliases: \['(\w+)'\]/g)].map(([, name = '']) => name))
}
