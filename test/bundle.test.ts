import { readdirSync, readFileSync, rmSync } from 'node:fs'
import { mkdtemp } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { startServer } from './support/server.ts'

const dist = join(import.meta.dirname, '..', 'dist')

/** The files of dist/ that are loaded with this one. */
function loadedWith(name: string, seen = new Set<string>()): Set<string> {
  if (seen.has(name)) return seen
  seen.add(name)
  const text = readFileSync(join(dist, name), 'utf8')
  for (const [, file = ''] of text.matchAll(/^(?:import|export)\b[^'"]*?["']\.\/([^"']+)["']/gm)) loadedWith(file, seen)
  return seen
}

/** The file that another one loads later, by import(). */
function later(from: string, name: RegExp): string {
  const text = readFileSync(join(dist, from), 'utf8')
  const names = [...text.matchAll(/import\(["']\.\/([^"']+)["']\)/g)].map(([, file = '']) => file)
  return names.find((file) => name.test(file)) ?? ''
}

it('the server starts from a few files, and other commands do without its own', () => {
  const main = later('signalbox.js', /^main-/)
  expect(readdirSync(dist)).toContain(main)
  expect([...loadedWith('signalbox.js')]).toEqual(['signalbox.js'])
  const command = loadedWith(main)
  const server = loadedWith(later(main, /^serve-/))
  expect(server.size).toBeLessThan(10)
  expect([...server].filter((name) => name.startsWith('server-'))).toHaveLength(1)
  expect([...command].filter((name) => name.startsWith('server-'))).toEqual([])
  const asks = [...command].map((name) => later(name, /^asks-/)).find((name) => name !== '') ?? ''
  expect([...loadedWith(asks)].filter((name) => name.startsWith('server-'))).toEqual([])
})

it('the server does not make schemas that only give types', () => {
  const files = [...loadedWith(later(later('signalbox.js', /^main-/), /^serve-/))]
  const text = files.map((name) => readFileSync(join(dist, name), 'utf8')).join('\n')
  // Part of the schema of a new session, which only commands use, and part of one that requests are checked with.
  expect(text).not.toContain('must not hold a NUL byte')
  expect(text).toContain('must be at most 64 KiB of JSON')
})

it('the server starts without the parts of Node that only some requests need', async () => {
  const files = [...loadedWith(later(later('signalbox.js', /^main-/), /^serve-/))]
  const text = files.map((name) => readFileSync(join(dist, name), 'utf8')).join('\n')
  expect(text).not.toContain('getBuiltinModule("node:http2")')
  const report = join(await mkdtemp(join(tmpdir(), 'signalbox-bundle-')), 'loaded.json')
  const onEnd = `process.on('exit', () => process.getBuiltinModule('node:fs').writeFileSync(${JSON.stringify(report)}, JSON.stringify(process.moduleLoadList)))`
  const server = await startServer({
    env: { NODE_OPTIONS: `--import=data:text/javascript,${encodeURIComponent(onEnd)}` },
  })
  try {
    expect(await server.tcp().get('/readyz')).toEqual({ status: 'ready' })
  } finally {
    await server[Symbol.asyncDispose]()
  }
  const loaded = JSON.parse(readFileSync(report, 'utf8')) as string[]
  rmSync(join(report, '..'), { recursive: true, force: true })
  expect(loaded).toContain('NativeModule http')
  expect(loaded.filter((name) => /undici|http2/.test(name))).toEqual([])
})
