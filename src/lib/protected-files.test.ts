import { describe, expect, it } from 'vitest'
import { heldFiles, heldFolders, heldForHooks, protectedPart } from './protected-files.ts'

describe('protected files', () => {
  it('are recognised at any depth, in any case, and in spellings that file systems treat as equal', () => {
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

  it('whose names are held are all protected', () => {
    const held = [...heldFolders.map((name) => `${name}/x`), ...heldFiles, ...heldForHooks]
    expect(held.filter((path) => protectedPart(path) === null)).toEqual([])
  })
})
