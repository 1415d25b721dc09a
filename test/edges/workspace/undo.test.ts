import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { chmod, mkdir, readdir, readFile, rm, stat, symlink, truncate, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { describe, expect, it } from 'vitest'
import { createUndoStore, type UndoStore } from '../../../src/edges/workspace/undo-store.ts'
import { sha256 } from '../../../src/lib/secret.ts'
import { freshPlace, type TestPlace } from './harness.ts'

const askId = '0198c0de-0000-7000-8000-000000000001'
const sessionId = '5a1e0000-0000-4000-8000-000000000001'
const before = 'one\ntwo\nthree\n'

type Edit = { path: string; oldText: string | null; newText: string }

async function openStore(): Promise<TestPlace & { store: UndoStore; directory: string }> {
  const place = await freshPlace()
  const directory = join(place.outside, 'undo')
  return { ...place, directory, store: createUndoStore({ directory }) }
}

const keep = ({ store, files }: { store: UndoStore } & TestPlace, edits: Edit[], paths: string[] = []) =>
  store.keep({ askId, sessionId, files, edits, paths })

describe('an undo point', () => {
  it('keeps the named files as they were, each once, readable only for the owner', async () => {
    await using place = await openStore()
    await chmod(join(place.root, 'src/a.txt'), 0o640)
    await symlink('src/a.txt', join(place.root, 'l'))
    await writeFile(join(place.root, 'bytes'), Buffer.from([0, 255, 254]))
    const kept = await keep(
      place,
      [{ path: 'l', oldText: 'two', newText: '2' }],
      ['src/a.txt', 'bytes', join(place.root, 'new.txt')],
    )
    const path = join(place.root, 'src/a.txt')
    expect(kept).toMatchObject({
      ok: true,
      value: {
        askId,
        sessionId,
        files: [
          { path, hash: sha256(before), mode: 0o640, kept: true, expected: sha256('one\n2\nthree\n') },
          { path: join(place.root, 'bytes'), kept: true, expected: null },
          { path: join(place.root, 'new.txt'), hash: 'new_file', mode: null, kept: true, expected: null },
        ],
      },
    })
    await writeFile(path, 'spoilt')
    expect(Buffer.from((await place.store.content(askId, path)) ?? []).toString()).toBe(before)
    expect(await place.store.content(askId, join(place.root, 'bytes'))).toEqual(Buffer.from([0, 255, 254]))
    expect(await place.store.content(askId, join(place.root, 'new.txt'))).toBeNull()
    const names = await readdir(join(place.directory, askId))
    expect(names.toSorted()).toEqual(['0', '1', 'index.json'])
    for (const name of names) expect((await stat(join(place.directory, askId, name))).mode & 0o777).toBe(0o600)
  })

  it('is not changed by a second call, nor by two at once, nor by a restart', async () => {
    await using place = await openStore()
    const edits = [{ path: 'src/a.txt', oldText: null, newText: 'new' }]
    const [first, second] = await Promise.all([keep(place, edits), keep(place, edits)])
    expect(second).toEqual(first)
    await writeFile(join(place.root, 'src/a.txt'), 'later')
    expect(await keep(place, [], ['other'])).toEqual(first)
    const again = createUndoStore({ directory: place.directory })
    expect({ ok: true, value: await again.get(askId) }).toEqual(first)
  })

  it('interrupted before its index was written is created again', async () => {
    await using place = await openStore()
    await mkdir(join(place.directory, askId), { recursive: true })
    await writeFile(join(place.directory, askId, '0'), 'half of')
    await writeFile(join(place.directory, askId, 'index.json.tmp'), '{"askId":')
    expect(await place.store.get(askId)).toBeNull()
    expect(await place.store.compare(askId, place.files)).toEqual([])
    expect(await keep(place, [], ['src/a.txt'])).toMatchObject({ ok: true })
    expect(await readFile(join(place.directory, askId, '0'), 'utf8')).toBe(before)
  })

  it('is complete or missing after its server was killed', async () => {
    await using place = await openStore()
    const script = `
      const [root, directory, url] = process.argv.slice(1)
      const { openWorkspace } = await import(new URL('workspace-files.ts', url))
      const { createUndoStore } = await import(new URL('undo-store.ts', url))
      const files = openWorkspace({ root, refused: async () => {} })
      const store = createUndoStore({ directory })
      for (let n = 0; ; n += 1) {
        const input = { askId: 'ask-' + n, sessionId: 's', files, edits: [], paths: ['src/a.txt', 'b', 'c'] }
        if ((await store.keep(input)).ok) console.log('ask-' + n)
      }`
    for (const name of ['b', 'c']) await writeFile(join(place.root, name), before)
    const source = new URL('../../../src/edges/workspace/', import.meta.url).href
    const args = ['--input-type=module', '--eval', script, place.root, place.directory, source]
    const child = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'inherit'] })
    const closed = once(child, 'close')
    const done: string[] = []
    for await (const line of createInterface(child.stdout)) {
      done.push(line)
      if (done.length === 20) child.kill('SIGKILL')
    }
    await closed
    for (const id of await readdir(place.directory)) {
      const point = await place.store.get(id)
      expect(point === null && done.includes(id)).toBe(false)
      for (const file of point?.files ?? [])
        expect(Buffer.from((await place.store.content(id, file.path)) ?? []).toString()).toBe(before)
    }
    expect(await readdir(place.directory)).toEqual(expect.arrayContaining(done))
  })

  it('says which files it could not keep: too large, outside, or not files', async () => {
    await using place = await openStore()
    await writeFile(join(place.root, 'big'), '')
    await truncate(join(place.root, 'big'), 64 * 1024 * 1024)
    const kept = await keep(place, [], ['src/a.txt', 'big', 'src', '../outside/secret'])
    expect(kept).toMatchObject({
      ok: true,
      value: {
        files: [
          { kept: true },
          { path: join(place.root, 'big'), kept: false, hash: expect.stringMatching(/^[\da-f]{64}$/) },
          { path: join(place.root, 'src'), kept: false, hash: 'unknown' },
          { path: '../outside/secret', kept: false, hash: 'unknown' },
        ],
      },
    })
    expect(place.refusals.length).toBeGreaterThan(0)
    const outcomes = await place.store.compare(askId, place.files)
    expect(outcomes.map(({ outcome }) => outcome)).toEqual(['unchanged', 'unchanged', 'unknown', 'unknown'])
  })

  it('needs an ask id, not a path', async () => {
    await using place = await openStore()
    const result = await place.store.keep({ askId: '../x', sessionId, files: place.files, edits: [], paths: [] })
    expect(result).toMatchObject({ ok: false, fault: { code: 'invalid_id' } })
    expect(await place.store.get('../x')).toBeNull()
    expect(await place.store.content('../x', 'y')).toBeNull()
  })
})

describe('compared with what was approved, a file is', () => {
  const whole: Edit = { path: 'src/a.txt', oldText: before, newText: 'new\nlines\n' }
  const partly: Edit = { path: 'src/a.txt', oldText: 'two', newText: '2' }
  const cases: [outcome: string, name: string, edits: Edit[], after: string | null][] = [
    ['as_approved', 'written as shown', [whole], 'new\nlines\n'],
    ['as_approved', 'written with other line ends', [whole], 'new\r\nlines\r\n'],
    ['as_approved', 'written without the final newline', [whole], 'new\nlines'],
    ['as_approved', 'replaced in the one place shown', [partly], 'one\n2\nthree\n'],
    [
      'as_approved',
      'replaced in several places',
      [partly, { ...partly, oldText: 'one', newText: '1' }],
      '1\n2\nthree\n',
    ],
    ['as_approved', 'removed as the diff leaves nothing', [{ ...whole, newText: '' }], null],
    ['as_approved', 'replaced without its old text', [{ ...whole, oldText: null }], 'new\nlines\n'],
    ['differs', 'written otherwise', [whole], 'new\nlines\nand more\n'],
    ['differs', 'changed elsewhere too', [partly], 'one\n2\n3\n'],
    ['differs', 'removed', [partly], null],
    ['unchanged', 'left alone', [whole], before],
    ['unchanged', 'left alone, whatever was approved', [], before],
    ['unknown', 'changed after a diff that fits in two places', [{ ...partly, oldText: 'e\n' }], 'x'],
    ['unknown', 'changed after a diff that fits nowhere', [{ ...partly, oldText: 'zwei' }], 'x'],
    ['unknown', 'changed without a diff', [], 'x'],
  ]
  it.each(cases)('%s if it was %s', async (outcome, _name, edits, after) => {
    await using place = await openStore()
    await keep(place, edits, ['src/a.txt'])
    const path = join(place.root, 'src/a.txt')
    await (after === null ? rm(path) : writeFile(path, after))
    expect(await place.store.compare(askId, place.files)).toEqual([{ path, outcome }])
  })

  it('as_approved if it is new', async () => {
    await using place = await openStore()
    await keep(place, [
      { path: 'x/1', oldText: null, newText: 'a\n' },
      { path: 'x/2', oldText: '', newText: 'b' },
      { path: 'x/3', oldText: null, newText: 'c' },
    ])
    await mkdir(join(place.root, 'x'))
    await writeFile(join(place.root, 'x/1'), 'a\n')
    await writeFile(join(place.root, 'x/2'), 'b\n')
    const outcomes = await place.store.compare(askId, place.files)
    expect(outcomes.map(({ outcome }) => outcome)).toEqual(['as_approved', 'as_approved', 'unchanged'])
  })

  it('unknown if it became a link to outside, and nothing there is read', async () => {
    await using place = await openStore()
    await keep(place, [whole])
    await rm(join(place.root, 'src/a.txt'))
    await symlink(join(place.outside, 'secret'), join(place.root, 'src/a.txt'))
    expect(await place.store.compare(askId, place.files)).toMatchObject([{ outcome: 'unknown' }])
    expect(place.refusals).toHaveLength(1)
  })
})
