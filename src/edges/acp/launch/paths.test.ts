import { chmod, mkdir, mkdtemp, realpath, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { findProgram } from '../../../lib/absolute-program.ts'
import { expandPath, isWithin, leadsThrough, realSoFar } from './paths.ts'

let root = ''
beforeAll(async () => {
  root = await realpath(await mkdtemp(join(tmpdir(), 'paths-')))
})
afterAll(async () => {
  await rm(root, { recursive: true })
})

describe('a path of an agent', () => {
  it.each([
    ['~/.x', '/home/you/.x'],
    ['~', '/home/you'],
    ['/srv/x/', '/srv/x'],
    ['/srv/../x', '/x'],
    ['${SET:-~/.d}/x', '/set/x'],
    ['${EMPTY:-~/.d}/x', '/home/you/.d/x'],
    ['${MISSING:-~}/x', '/home/you/x'],
    ['${HOMELIKE}/x', '/home/you/y/x'],
    ['${MISSING}/x', null],
    ['relative', null],
    ['~somebody/x', null],
  ])('%s is %s', (path, full) => {
    expect(expandPath(path, { SET: '/set', EMPTY: '', HOMELIKE: '~/y' }, '/home/you')).toBe(full)
  })

  it('is within a directory by path parts, not by characters', () => {
    expect([isWithin('/a', '/a'), isWithin('/a', '/a/b'), isWithin('/', '/a')]).toEqual([true, true, true])
    expect([isWithin('/a', '/ab'), isWithin('/a/b', '/a')]).toEqual([false, false])
  })

  it('is resolved as far as it exists', async () => {
    await mkdir(join(root, 'real'))
    await symlink('real', join(root, 'link'))
    expect(await realSoFar(join(root, 'link', 'new', 'file'))).toBe(join(root, 'real', 'new', 'file'))
  })

  it('leads through a directory even if a symlink in it leads out again', async () => {
    await mkdir(join(root, 'ws'))
    await symlink('/etc', join(root, 'ws', 'out'))
    await symlink('ws', join(root, 'in'))
    const through = (path: string) => leadsThrough(join(root, 'ws'), join(root, path))
    expect([await through('ws/out/passwd'), await through('in/out'), await through('ws')]).toEqual([true, true, true])
    expect(await through('elsewhere')).toBe(false)
  })
})

describe('a program', () => {
  it('is the first executable on the PATH, never one in the working directory', async () => {
    for (const name of ['a', 'b', 'c']) await mkdir(join(root, name))
    await mkdir(join(root, 'a', 'tool'))
    await writeFile(join(root, 'b', 'tool'), '', { mode: 0o755 })
    await writeFile(join(root, 'c', 'tool'), '', { mode: 0o755 })
    const path = ['', '.', 'bin', ...['missing', 'a', 'b', 'c'].map((name) => join(root, name))].join(':')
    expect(await findProgram('tool', path)).toBe(join(root, 'b', 'tool'))
    await chmod(join(root, 'b', 'tool'), 0o644)
    expect(await findProgram('tool', path)).toBe(join(root, 'c', 'tool'))
    expect(await findProgram('none', path)).toBeNull()
  })

  it('named in full is that file, and a relative path is refused', async () => {
    expect(await findProgram(join(root, 'c', 'tool'), '')).toBe(join(root, 'c', 'tool'))
    expect(await findProgram(join(root, 'c'), '')).toBeNull()
    expect(await findProgram('./tool', join(root, 'c'))).toBeNull()
  })
})
