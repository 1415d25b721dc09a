import { describe, expect, it } from 'vitest'
import { mountable, protectedPart } from './protected-files.ts'

describe('protected files', () => {
  it('are told at any depth, in any case, and in spellings that file systems take for the same', () => {
    for (const path of [
      '.git/config',
      'a/.GIT/config',
      '.git./x',
      'GIT~1/x',
      'sub/CLAUDE.md',
      'LEFTHOOK.yml',
      '.npmrc ',
    ])
      expect([path, protectedPart(path)]).not.toEqual([path, null])
    for (const path of ['src/git/a.ts', 'docs/claude.txt', 'gitmodules', 'lefthooks.yml', 'src/mise.ts', '.gitignore'])
      expect([path, protectedPart(path)]).toEqual([path, null])
  })

  it('that are instructions may be read, and settings may not', () => {
    expect(protectedPart('CLAUDE.md', 'read')).toBeNull()
    expect(protectedPart('.github/workflows/ci.yml', 'read')).toBeNull()
    expect(protectedPart('.mcp.json', 'read')).toBe('.mcp.json')
  })

  it('that can be mounted are all protected', () => {
    const open = [...mountable.folders.map((name) => `${name}/x`), ...mountable.files].filter(
      (path) => protectedPart(path) === null,
    )
    expect(open).toEqual([])
  })
})
