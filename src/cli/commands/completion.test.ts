import { execFileSync } from 'node:child_process'
import { describe, expect, it } from 'vitest'
import { completionScript } from './completion.ts'
import { rootCommand } from '../table.ts'

const script = completionScript('bash', rootCommand)

function complete(...words: string[]): string[] {
  const line = words.map((word) => `'${word}'`).join(' ')
  const ask = `COMP_WORDS=(${line}); COMP_CWORD=${words.length - 1}; _signalbox; printf '%s\\n' "\${COMPREPLY[@]}"`
  return execFileSync('bash', ['-c', `${script}\n${ask}`], { encoding: 'utf8' })
    .trim()
    .split('\n')
}

describe('completion', () => {
  it('for bash is a script bash can read', () => {
    expect(() => execFileSync('bash', ['-n'], { input: script })).not.toThrow()
  })

  it('for bash offers commands, flags and values where they fit', () => {
    expect(complete('signalbox', 'se')).toEqual(['serve', 'search', 'sessions'])
    expect(complete('signalbox', 'sessions', 'p')).toEqual(['pause'])
    expect(complete('signalbox', '--json', 'sessions', 'pause', '--re')).toEqual(['--reason'])
    expect(complete('signalbox', 'tokens', 'create', '--scope', 'r')).toEqual(['read'])
    expect(complete('signalbox', 'answer', '0199', 'ap')).toEqual(['approve'])
  })

  it.each(['zsh', 'fish'] as const)('for %s names every command', (shell) => {
    const text = completionScript(shell, rootCommand)
    for (const { name } of rootCommand.children) expect(text).toContain(name)
  })
})
