import { execFileSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { chmod, mkdir, readdir, readFile, rename, rm, stat, symlink, truncate, writeFile } from 'node:fs/promises'
import { createServer } from 'node:net'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { codeOf, freshPlace, holds, secret, type TestPlace } from './harness.ts'

const link = (place: TestPlace, name: string, target: string) => symlink(target, join(place.root, name))

describe.each(holds)('files of a workspace, directories held by %s', (hold) => {
  it('are read, whole or in part, by relative and absolute path', async () => {
    await using place = await freshPlace(hold)
    const { files, root } = place
    expect(await files.readText('src/a.txt')).toEqual({ ok: true, value: { text: 'one\ntwo\nthree\n' } })
    expect(await files.readText(join(root, 'src/a.txt'), { line: 2, limit: 1 })).toEqual({
      ok: true,
      value: { text: 'two\n' },
    })
    expect(await files.readText('./src//a.txt', { line: 9 })).toEqual({ ok: true, value: { text: '' } })
    expect(await files.readText('src/a.txt', { limit: 2 })).toEqual({ ok: true, value: { text: 'one\ntwo\n' } })
    expect(place.refusals).toEqual([])
  })

  it('are written whole, keep mode and line ends, and get missing directories', async () => {
    await using place = await freshPlace(hold)
    await chmod(join(place.root, 'src/a.txt'), 0o751)
    expect(await place.files.writeText('src/a.txt', 'x\r\n')).toEqual({
      ok: true,
      value: { path: join(place.root, 'src/a.txt'), bytes: 3, created: false },
    })
    expect((await stat(join(place.root, 'src/a.txt'))).mode & 0o777).toBe(0o751)
    expect(await readFile(join(place.root, 'src/a.txt'), 'utf8')).toBe('x\r\n')
    expect(await place.files.writeText('deep/er/new.txt', 'ä')).toEqual({
      ok: true,
      value: { path: join(place.root, 'deep/er/new.txt'), bytes: 2, created: true },
    })
    expect(await readdir(join(place.root, 'src'))).toEqual(['a.txt'])
    expect(await readdir(join(place.root, 'deep/er'))).toEqual(['new.txt'])
  })

  it('have the hash of their bytes, or `new_file` if there is none', async () => {
    await using place = await freshPlace(hold)
    const hash = createHash('sha256').update('one\ntwo\nthree\n').digest('hex')
    expect(await place.files.hash('src/a.txt')).toEqual({ ok: true, value: hash })
    expect(await place.files.hash('src/none.txt')).toEqual({ ok: true, value: 'new_file' })
    expect(await place.files.hash('none/none.txt')).toEqual({ ok: true, value: 'new_file' })
  })

  const outsiders: [name: string, path: (place: TestPlace) => string, prepare?: (place: TestPlace) => Promise<void>][] =
    [
      ['..', () => '..'],
      ['a relative path upwards', () => '../outside/secret'],
      ['a path upwards from below', () => 'src/../../outside/secret'],
      ['a path upwards from a missing directory', () => 'none/../../outside/secret'],
      ['a path upwards to nothing', () => '../none/secret'],
      ['an absolute path', ({ outside }) => join(outside, 'secret')],
      ['an absolute path with dots', ({ root }) => `${root}/../outside/secret`],
      ['a path that only starts like the root', ({ root }) => `${root}-other/secret`],
      ['a system file', () => '/etc/passwd'],
      ['the file system itself', () => '/'],
      ['a process directory', () => '/proc/self/environ'],
      ['a path through a link to the process', () => 'l/environ', (place) => link(place, 'l', '/proc/self')],
      ['a link to a file', () => 'l', (place) => link(place, 'l', join(place.outside, 'secret'))],
      ['a relative link to a file', () => 'l', (place) => link(place, 'l', '../outside/secret')],
      ['a linked parent', () => 'l/secret', (place) => link(place, 'l', place.outside)],
      ['a linked parent of a missing file', () => 'l/new', (place) => link(place, 'l', '../outside')],
      ['a linked parent of a missing directory', () => 'l/n/new', (place) => link(place, 'l', '../outside')],
      ['a dangling link', () => 'l', (place) => link(place, 'l', join(place.outside, 'new'))],
      ['a relative dangling link', () => 'l', (place) => link(place, 'l', '../outside/new')],
      ['a dangling link to somewhere else', () => 'l', (place) => link(place, 'l', '/none/at/all')],
      ['a path upwards from a linked directory', () => 'l/../secret', (place) => link(place, 'l', place.outside)],
      [
        'a link to a link',
        () => 'l2',
        async (place) => {
          await link(place, 'l', '../outside/secret')
          await link(place, 'l2', 'src/../l')
        },
      ],
      [
        'a link that climbs out of a missing directory',
        () => 'l',
        (place) => link(place, 'l', 'none/../../outside/new'),
      ],
      ['a NUL byte', () => 'src/a.txt\0.png'],
    ]
  it.each(outsiders)('are never reached by %s', async (_name, pathOf, prepare) => {
    await using place = await freshPlace(hold)
    await prepare?.(place)
    const path = pathOf(place)
    expect(codeOf(await place.files.readText(path))).toBe('path_violation')
    expect(codeOf(await place.files.readBytes(path, 100))).toBe('path_violation')
    expect(codeOf(await place.files.writeText(path, 'x'))).toBe('path_violation')
    expect(codeOf(await place.files.hash(path))).toBe('path_violation')
    expect(codeOf(await place.files.locate(path))).toBe('path_violation')
    expect(place.refusals.map((refusal) => refusal.path)).toEqual([path, path, path, path, path])
    expect(await readdir(place.outside)).toEqual(['secret'])
    expect(await readFile(join(place.outside, 'secret'), 'utf8')).toBe(secret)
  })

  const insiders: [name: string, path: (place: TestPlace) => string, prepare?: (place: TestPlace) => Promise<void>][] =
    [
      ['a path up and down again', () => 'src/../src/a.txt'],
      ['a path out and in again', () => '../ws/src/a.txt'],
      ['an absolute path out and in again', ({ root }) => `${root}/../ws/src/a.txt`],
      ['a missing directory and up again', () => 'none/../src/a.txt'],
      ['a link', () => 'l', (place) => link(place, 'l', 'src/a.txt')],
      ['an absolute link', () => 'l', (place) => link(place, 'l', join(place.root, 'src/a.txt'))],
      ['a linked parent', () => 'l/a.txt', (place) => link(place, 'l', './src/.')],
      ['a link to the root', () => 'l/src/a.txt', (place) => link(place, 'l', place.root)],
      ['a link out and in again', () => 'l', (place) => link(place, 'l', '../ws/src/a.txt')],
      [
        'another name of the root',
        ({ outside }) => join(outside, 'way/src/a.txt'),
        (place) => symlink(place.root, join(place.outside, 'way')),
      ],
    ]
  it.each(insiders)('are reached by %s', async (_name, pathOf, prepare) => {
    await using place = await freshPlace(hold)
    await prepare?.(place)
    const path = join(place.root, 'src/a.txt')
    expect(await place.files.locate(pathOf(place))).toEqual({ ok: true, value: { path, exists: true } })
    expect(codeOf(await place.files.readText(pathOf(place)))).toBe('ok')
    expect(await place.files.writeText(pathOf(place), 'new')).toMatchObject({
      ok: true,
      value: { path, created: false },
    })
    expect(await readFile(path, 'utf8')).toBe('new')
    expect(place.refusals).toEqual([])
  })

  it('are created where a dangling link points, if that is inside', async () => {
    await using place = await freshPlace(hold)
    await link(place, 'l', 'made/here.txt')
    expect(await place.files.writeText('l', 'x')).toMatchObject({ ok: true, value: { created: true } })
    expect(await readFile(join(place.root, 'made/here.txt'), 'utf8')).toBe('x')
  })

  it('are found under a root that is reached by a link, by all its names', async () => {
    await using place = await freshPlace(hold)
    const named = join(place.outside, 'home')
    await symlink(place.root, named)
    const files = place.open(named)
    for (const path of ['src/a.txt', join(named, 'src/a.txt'), join(place.root, 'src/a.txt')])
      expect(codeOf(await files.readText(path))).toBe('ok')
    expect(codeOf(await files.readText(join(named, '../secret')))).toBe('path_violation')
    // Once resolved, the root stays the same.
    await rm(named)
    await symlink(place.outside, named)
    expect(codeOf(await files.readText('secret'))).toBe('file_not_found')
    expect(codeOf(await files.readText('src/a.txt'))).toBe('ok')
  })

  it('are not looked for in a directory that replaced the root', async () => {
    await using place = await freshPlace(hold)
    expect(codeOf(await place.files.readText('src/a.txt'))).toBe('ok')
    await rename(place.root, `${place.root}-moved`)
    expect(codeOf(await place.files.readText('src/a.txt'))).toBe('workspace_missing')
    await symlink(place.outside, place.root)
    expect(codeOf(await place.files.readText('secret'))).toBe('path_violation')
    expect(codeOf(await place.files.writeText('new', 'x'))).toBe('path_violation')
  })

  const guarded = [
    '.git/config',
    '.git',
    '.GIT/hooks/x',
    'src/.git/config',
    '.signalbox/x',
    '.monocoque/a/b',
    'l/hooks/x',
  ]
  it.each(guarded)('of Git and Signalbox are not written to: %s', async (path) => {
    await using place = await freshPlace(hold)
    await mkdir(join(place.root, '.git/hooks'), { recursive: true })
    await link(place, 'l', '.git')
    expect(codeOf(await place.files.writeText(path, 'x'))).toBe('protected_path')
    expect(place.refusals).toHaveLength(1)
    expect(await readdir(join(place.root, '.git/hooks'))).toEqual([])
  })

  it('are not pipes, sockets or devices, and nothing waits for those', async () => {
    await using place = await freshPlace(hold)
    execFileSync('/usr/bin/env', ['mkfifo', join(place.root, 'pipe')])
    const server = createServer().listen(join(place.root, 'socket'))
    await new Promise((done) => server.once('listening', done))
    for (const name of ['pipe', 'socket']) {
      expect(codeOf(await place.files.readText(name))).toBe('not_a_file')
      expect(codeOf(await place.files.hash(name))).toBe('not_a_file')
      expect(codeOf(await place.files.writeText(name, 'x'))).toBe('not_a_file')
    }
    expect(place.refusals).toHaveLength(6)
    await new Promise((done) => server.close(done))
  })

  it('are not directories, paths through a file, link loops or overlong paths', async () => {
    await using place = await freshPlace(hold)
    await link(place, 'round', 'round')
    const cases: [string, string, string][] = [
      ['.', 'is_a_directory', 'is_a_directory'],
      [place.root, 'is_a_directory', 'is_a_directory'],
      ['src', 'is_a_directory', 'is_a_directory'],
      ['none/', 'file_not_found', 'is_a_directory'],
      ['src/a.txt/', 'not_a_directory', 'is_a_directory'],
      ['src/a.txt/b', 'not_a_directory', 'not_a_directory'],
      ['round', 'link_loop', 'link_loop'],
      ['', 'path_empty', 'path_empty'],
      ['n'.repeat(300), 'path_too_long', 'path_too_long'],
      [`none/${'n'.repeat(300)}`, 'path_too_long', 'path_too_long'],
      ['n/'.repeat(3000), 'path_too_long', 'path_too_long'],
    ]
    for (const [path, read, write] of cases) {
      expect([path, codeOf(await place.files.readText(path))]).toEqual([path, read])
      expect([path, codeOf(await place.files.writeText(path, 'x'))]).toEqual([path, write])
    }
    expect(await readdir(place.root)).toEqual(['round', 'src'])
  })

  it('that are too large or not text are reported', async () => {
    await using place = await freshPlace(hold)
    await truncate(join(place.root, 'src/a.txt'), 16 * 1024 * 1024 + 1)
    expect(await place.files.readText('src/a.txt')).toMatchObject({
      fault: { kind: 'too_large', code: 'file_too_large' },
    })
    await writeFile(join(place.root, 'b'), Buffer.from([0xff, 0xfe, 0x00]))
    expect(codeOf(await place.files.readText('b'))).toBe('not_text')
    await writeFile(join(place.root, 'c'), '\uFEFFmarked')
    expect(await place.files.readText('c')).toEqual({ ok: true, value: { text: '\uFEFFmarked' } })
  })
})

it('a refusal that can’t be recorded is an error', async () => {
  await using place = await freshPlace()
  const { openWorkspace } = await import('../../../src/edges/workspace/workspace-files.ts')
  const refused = () => Promise.reject(Object.assign(new Error('no database'), { code: 'ECONNREFUSED' }))
  await expect(openWorkspace({ root: place.root, refused }).readText('../outside/secret')).rejects.toThrow(/recorded/)
})
