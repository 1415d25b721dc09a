import { describe, expect, it } from 'vitest'
import { cpuMs } from '../../test/support/cpu-time.ts'
import { createGlobSet } from './glob.ts'

const matches = (pattern: string, path: string) => createGlobSet([pattern]).match(path) !== null

describe('a set of globs', () => {
  it.each([
    ['README.md', 'README.md', true],
    ['README.md', 'docs/README.md', false],
    ['*.md', 'README.md', true],
    ['*.md', 'docs/README.md', false],
    ['**/*.md', 'docs/a/README.md', true],
    ['**/*.md', 'README.md', true],
    ['docs/**', 'docs/a/b.md', true],
    ['docs/', 'docs/a/b.md', true],
    ['docs/**', 'docs', false],
    ['docs/', 'docs', false],
    ['a/docs/**', 'a/docs', false],
    ['{docs/**,src/*}', 'docs', false],
    ['{docs/**,src/*}', 'docs/a/b', true],
    ['**/docs/**', 'docs/a', true],
    ['**/docs/**', 'docs', false],
    ['/docs/*.md', 'docs/a.md', true],
    ['./docs/*.md', 'docs/a.md', true],
    ['docs/**', 'docs2/a.md', false],
    ['src/{a,b}/*.ts', 'src/b/x.ts', true],
    ['src/[ab].ts', 'src/a.ts', true],
    ['src/[ab].ts', 'src/c.ts', false],
    ['src/?.ts', 'src/a.ts', true],
    ['**', 'a/b/c', true],
    ['DOCS/**', 'docs/a', false],
  ])('%s on %s: %s', (pattern, path, expected) => {
    expect(matches(pattern, path)).toBe(expected)
  })

  it.each([
    ['**', '.env', false],
    ['**', 'a/.env', false],
    ['**', '.github/a.yml', false],
    ['a/**', 'a/.b/c', false],
    ['**/*', '.env', false],
    ['.env', '.env', true],
    ['.github/**', '.github/a.yml', true],
    ['**/.env', 'a/b/.env', true],
    ['.*', '.env', true],
  ])('matches a dot file only by an explicit dot: %s on %s', (pattern, path, expected) => {
    expect(matches(pattern, path)).toBe(expected)
  })

  it.each(['!src/**', '../x', 'a/../../b', '', '/', '~/x', 'C:/x', 'a\\b', 'src/[a', '**/a/**/b/**/c', '*-*-*-*.ts'])(
    'refuses %s',
    (pattern) => {
      const set = createGlobSet([pattern])
      expect(set.faults).toHaveLength(1)
      expect(set.match('src/a')).toBeNull()
    },
  )

  it('names the first pattern that matches', () => {
    expect(createGlobSet(['*.ts', 'src/**', 'src/a.ts', '**/a.ts']).match('src/a.ts')).toBe('src/**')
  })

  it.each([
    ['+(a|aa)+(a|aa)+(a|aa)c', 'a'.repeat(60)],
    ['*-*-*.ts', `${'-'.repeat(250)}.ts/x`],
    ['**/a/**/*b.ts', `${'a/'.repeat(500)}b.ts/x`],
    ['{**/a,**/b}/*-*-*.ts', `${'a/'.repeat(380)}${'-'.repeat(250)}`],
  ])('handles %s quickly, whatever the path', (pattern, path) => {
    const started = cpuMs()
    expect(createGlobSet([pattern]).match(path)).toBeNull()
    expect(cpuMs() - started).toBeLessThan(1000)
  })
})
