import { mkdirSync, mkdtempSync, realpathSync, renameSync, rmSync, symlinkSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { lookAgain, markDirectory } from './directory-mark.ts'

let folder = ''
beforeEach(() => {
  folder = realpathSync(mkdtempSync(join(tmpdir(), 'sbdm-')))
  mkdirSync(join(folder, 'a/root'), { recursive: true })
})
afterEach(() => rmSync(folder, { recursive: true, force: true }))

describe('the mark of a directory', () => {
  it('is the same until another directory replaces it', async () => {
    const root = join(folder, 'a/root')
    const mark = await markDirectory(root)
    expect(await lookAgain(root, mark)).toBe('same')
    renameSync(root, join(folder, 'moved'))
    expect(await lookAgain(root, mark)).toBe('missing')
    mkdirSync(root)
    expect(await lookAgain(root, mark)).toBe('replaced')
    rmSync(root, { recursive: true })
    renameSync(join(folder, 'moved'), root)
    expect(await lookAgain(root, mark)).toBe('same')
  })

  it('notices a link in its place, or further up', async () => {
    const root = join(folder, 'a/root')
    const mark = await markDirectory(root)
    renameSync(join(folder, 'a'), join(folder, 'b'))
    symlinkSync('b', join(folder, 'a'))
    expect(await lookAgain(root, mark)).toBe('replaced')
    rmSync(join(folder, 'a'))
    mkdirSync(join(folder, 'a'))
    symlinkSync('nowhere', root)
    expect(await lookAgain(root, mark)).toBe('replaced')
  })

  it('accepts a link that was there from the beginning, while it leads to the same directory', async () => {
    symlinkSync('a/root', join(folder, 'named'))
    const mark = await markDirectory(join(folder, 'named'))
    expect(await lookAgain(join(folder, 'named'), mark)).toBe('same')
    rmSync(join(folder, 'named'))
    symlinkSync('a', join(folder, 'named'))
    expect(await lookAgain(join(folder, 'named'), mark)).toBe('replaced')
  })

  it('by its path alone may be created again, and without one must be free of links', async () => {
    const root = join(folder, 'a/root')
    const mark = await markDirectory(root, () => true)
    renameSync(root, join(folder, 'moved'))
    mkdirSync(root)
    expect(await lookAgain(root, mark)).toBe('same')
    expect(await lookAgain(root, null)).toBe('same')
    symlinkSync('a/root', join(folder, 'named'))
    expect(await lookAgain(join(folder, 'named'), null)).toBe('replaced')
    expect(await markDirectory(join(folder, 'none'))).toBeNull()
  })
})
