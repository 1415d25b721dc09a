import {
  chmodSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  realpathSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { emptyCache, isSettled, type FileCache } from './file-cache.ts'
import { scan } from './scan.ts'
import type { ContentSink } from './sink.ts'
import { readState, writeState } from './workspace-state.ts'

let base = ''
let root = ''
beforeEach(() => {
  base = realpathSync(mkdtempSync(join(tmpdir(), 'signalbox-scan-')))
  root = join(base, 'workspace')
  mkdirSync(root)
})
afterEach(() => rmSync(base, { recursive: true, force: true }))

const write = (path: string, content: string) => writeFileSync(join(root, path), content)
const later = () => Date.now() + 10_000

/** Scans the workspace and returns which contents it had to read. */
async function look(cache: FileCache, more: { now?: () => number; kept?: boolean; onRead?: () => void } = {}) {
  const contents: string[] = []
  const sink: ContentSink = {
    isKept: () => more.kept ?? true,
    put(_hash, bytes) {
      contents.push(bytes.toString())
      more.onRead?.()
      return Promise.resolve('blob')
    },
    begin: () => Promise.reject(new Error('nothing here is that large')),
  }
  const found = await scan({
    root,
    hold: 'descriptor',
    ignored: null,
    skip: [],
    isWanted: () => false,
    cache,
    sink,
    isKnown: () => false,
    now: more.now ?? later,
  })
  return { ...found, contents, cache: { last: null, files: found.files } }
}

describe('a file that is unchanged', () => {
  it('is not read again', async () => {
    write('a', 'one')
    write('b', 'two')
    const first = await look(emptyCache)
    const second = await look(first.cache)
    expect([first.contents, second.contents]).toEqual([['one', 'two'], []])
    expect(second.tree).toBe(first.tree)
  })

  it('is read again if its content is no longer stored', async () => {
    write('a', 'one')
    const first = await look(emptyCache)
    expect((await look(first.cache, { kept: false })).contents).toEqual(['one'])
  })

  it('is read again if it was so new that a change could have gone unnoticed', async () => {
    write('a', 'one')
    const first = await look(emptyCache, { now: Date.now })
    expect(first.cache.files.size).toBe(0)
    write('a', 'two')
    expect((await look(first.cache)).contents).toEqual(['two'])
  })

  it('counts as settled only when it is older than the coarsest timestamp', () => {
    const at = (ms: number) => BigInt(ms) * 1_000_000n
    const now = 1_000_000
    expect(isSettled({ mtimeNs: at(now - 2001), ctimeNs: at(now - 2001) }, now)).toBe(true)
    expect(isSettled({ mtimeNs: at(now - 2000), ctimeNs: at(now - 9000) }, now)).toBe(false)
    expect(isSettled({ mtimeNs: at(now - 9000), ctimeNs: at(now) }, now)).toBe(false)
    expect(isSettled({ mtimeNs: at(now + 9000), ctimeNs: at(now - 9000) }, now)).toBe(false)
  })
})

describe('a file that changed', () => {
  it.each<[string, () => void]>([
    ['in its content, with the same size', () => write('a', 'eno')],
    ['by another file in its place', () => (write('b', 'one'), renameSync(join(root, 'b'), join(root, 'a')))],
    ['in its mode', () => chmodSync(join(root, 'a'), 0o755)],
  ])('%s, is read again', async (_how, change) => {
    write('a', 'one')
    const first = await look(emptyCache)
    change()
    expect((await look(first.cache)).contents).toHaveLength(1)
  })

  it('while others are read is kept in its new state, complete', async () => {
    write('a', 'one')
    write('b', 'two')
    const found = await look(emptyCache, { onRead: () => write('b', 'three') })
    expect(found.contents).toEqual(['one', 'three'])
  })
})

describe('the state of a workspace', () => {
  const hash = 'ab'.repeat(32)
  const file = { fingerprint: '1 2 3 4', hash, blob: 'c'.repeat(40) }
  const seen = [{ path: 'new\nline', fingerprint: '5 6', hash, names: ['"ü"', 'b'], count: 2 }]
  const files = new Map([
    ['new\nline/"ü"', file],
    ['new\nline/b', { ...file, blob: '' }],
  ])
  const written = { last: { tree: 't', commit: 'c' }, ignored: ['x/'], skip: ['/y'], seen, files }

  it('is read back as written, with unusual names, and as carried over', () => {
    writeState(base, { ...written, before: null, carried: [] })
    const first = readState(base)
    writeState(base, { ...written, seen: [], files: new Map(), before: first, carried: ['new\nline'] })
    for (const state of [first, readState(base)]) {
      expect(state).toMatchObject({ last: written.last, ignored: ['x/'], skip: ['/y'] })
      expect(state?.directories.get('new\nline')).toMatchObject({ ...seen[0], first: 0 })
      for (const [path, known] of files) expect(state?.files.get(path)).toEqual(known)
      expect(state?.files.get('new\nline/c')).toBeUndefined()
      expect([...(state?.stats ?? [])]).toEqual([1n, 2n, 3n, 4n, 1n, 2n, 3n, 4n])
    }
  })

  it('that is missing or damaged is none', () => {
    expect(readState(base)).toBeNull()
    writeState(base, { ...written, before: null, carried: [] })
    const path = join(base, 'known.state')
    const whole = readFileSync(path)
    for (const at of [0, 5, 9, 40, whole.length - 1]) {
      const damaged = Buffer.from(whole)
      damaged[at] = (damaged[at] ?? 0) ^ 1
      writeFileSync(path, damaged)
      expect(readState(base)).toBeNull()
    }
    writeFileSync(path, whole.subarray(0, whole.length - 100))
    expect(readState(base)).toBeNull()
  })
})
