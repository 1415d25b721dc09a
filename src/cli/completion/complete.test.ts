import { execFileSync } from 'node:child_process'
import { describe, expect, it } from 'vitest'
import { rootCommand } from '../table.ts'
import { complete } from './complete.ts'
import { completionScript } from './scripts.ts'

/** The words offered that begin with the last one. */
const offered = (...words: string[]): string[] =>
  complete(words, rootCommand)
    .words.map(({ word }) => word)
    .filter((word) => word.startsWith(words.at(-1) ?? ''))

describe('completion', () => {
  it('offers commands, flags and the values of this command', () => {
    expect(offered('se')).toEqual(['serve', 'service', 'search', 'sessions'])
    expect(offered('sessions', 'p')).toEqual(['pin', 'pause'])
    expect(offered('--json', 'sessions', 'pause', '--re')).toEqual(['--reason'])
    expect(offered('tokens', 'create', '--scope', '')).toEqual(expect.arrayContaining(['read', 'full']))
    expect(offered('mcp', 'install', 'claude', '--scope', '')).toEqual(['user', 'project'])
    expect(offered('tokens', 'create', '--scope=r')).toEqual(['--scope=read'])
    expect(offered('tokens', 'create', '--scope=').every((word) => word.startsWith('--scope='))).toBe(true)
    expect(offered('answer', '0199', 'ap')).toEqual(['approve'])
  })

  it('knows which rows an argument or a flag names', () => {
    const from = (...words: string[]) => complete(words, rootCommand).from
    expect(from('attach', '')).toBe('session')
    expect(from('sessions', 'show', '')).toBe('session')
    expect(from('answer', '')).toBe('ask')
    expect(from('start', '')).toBe('agent')
    expect(from('start', '--repo', '')).toBe('repo')
    expect(from('terminals', 'answer', '')).toBe('terminal')
    expect(from('tokens', 'revoke', '')).toBe('token')
    expect(from('sessions', '')).toBe(null)
  })

  it('leaves files and the words of other programs to the shell', () => {
    expect(complete(['start', '--workspace', ''], rootCommand)).toMatchObject({ files: true, words: [] })
    expect(complete(['run', '--', 'npm', ''], rootCommand)).toMatchObject({ files: true, words: [] })
    expect(complete(['ssh', 'build.example.org', '-'], rootCommand)).toMatchObject({ files: true, words: [] })
  })

  it.each(['bash', 'zsh'] as const)('for %s is a script that it can read', (shell) => {
    expect(() => execFileSync(shell, ['-n'], { input: completionScript(shell) })).not.toThrow()
  })
})
