import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'

const root = join(import.meta.dirname, '../..')
const pages = globSync(['*.md', 'docs/**/*.md', 'src/**/README.md', 'test/**/README.md'], { cwd: root }).filter(
  (page) => page !== 'CHANGELOG.md',
)
const tree = globSync(['{src,web,test,bench,scripts,examples}/**', '*.*'], { cwd: root }).map((path) => `/${path}`)
const known = new Set(tree)

/** A source file, or a folder of the repository; other people's files in examples have other names. */
const mentioned = /^(?:(?:src|web|test|bench|scripts)\/[\w./-]+|[\w-]+(?:\/[\w.-]+)*\.(?:ts|tsx|mjs))$/

/** Files of workspaces in examples. */
const examples = new Set(['src/checkout.ts', 'src/price.ts', 'src/discount.ts'])

const exists = (path: string) => known.has(`/${path}`) || tree.some((file) => file.endsWith(`/${path}`))

describe('paths in the documentation', () => {
  it.each(pages)('in %s exist', (page) => {
    const text = readFileSync(join(root, page), 'utf8').replaceAll(/^```[^]*?^```/gm, '')
    const paths = [...text.matchAll(/`([^`\n]+)`/g)].map(([, code = '']) => code.replace(/\/$/, ''))
    const missing = paths.filter((path) => mentioned.test(path) && !examples.has(path) && !exists(path))
    expect([...new Set(missing)], `${page} names files that do not exist`).toEqual([])
  })
})
