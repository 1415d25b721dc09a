import { describe, expect, it } from 'vitest'
import { titleOf, type TitleSources } from './title.ts'

const named = (more: Partial<TitleSources>): TitleSources => ({
  agentTitle: null,
  prompt: null,
  terminal: null,
  workspaceRoot: '/srv/app',
  ...more,
})

describe('the name of a session', () => {
  it('is the agent’s own title, else the first line of its prompt', () => {
    expect(titleOf(named({ agentTitle: 'Fix the lamp', prompt: 'p' }))).toBe('Fix the lamp')
    expect(titleOf(named({ agentTitle: ' ', prompt: '\n\n  Paint it  \nand more' }))).toBe('Paint it')
  })

  it('is the name of its terminal, else its command, else the folder', () => {
    expect(titleOf(named({ terminal: { name: 'deploy', command: ['make'] } }))).toBe('deploy')
    expect(titleOf(named({ terminal: { name: null, command: ['npm', 'init'] } }))).toBe('npm init')
    expect(titleOf(named({ terminal: { name: null, command: null } }))).toBe('app')
    expect(titleOf(named({ workspaceRoot: '/' }))).toBe('/')
  })

  it('has at most 120 characters, and never half of one', () => {
    expect(titleOf(named({ prompt: 'x'.repeat(121) }))).toBe(`${'x'.repeat(119)}…`)
    expect(titleOf(named({ prompt: `${'x'.repeat(118)}🦉🦉` }))).toBe(`${'x'.repeat(118)}…`)
    expect(titleOf(named({ prompt: 'x'.repeat(120) }))).toBe('x'.repeat(120))
  })
})
