import { describe, expect, it } from 'vitest'
import { isPattern, turnedOn, withPattern } from './rule-text.ts'

describe('the form of a policy', () => {
  it('takes one file as a rule, and folders and patterns for the file', () => {
    expect(['docs/a.md', 'docs/', '**/*.md', 'a[1].md'].map((text) => isPattern('write', text))).toEqual([
      false,
      true,
      true,
      true,
    ])
    expect(isPattern('command', 'ls *')).toBe(false)
  })

  it('adds a pattern once, turns the policy on, and keeps everything else', () => {
    const before = '{"enabled":false,"commands":["npm test"],"file_patterns":{"read":["src/**"]}}'
    const once = withPattern(before, 'write', 'docs/**')
    expect(JSON.parse(once ?? '')).toEqual({
      enabled: true,
      commands: ['npm test'],
      file_patterns: { read: ['src/**'], write: ['docs/**'] },
    })
    expect(withPattern(once, 'write', 'docs/**')).toBe(once)
    expect(JSON.parse(withPattern(null, 'read', 'src/**') ?? '')).toEqual({
      enabled: true,
      file_patterns: { read: ['src/**'] },
    })
    expect(JSON.parse(turnedOn(before) ?? '')).toMatchObject({ enabled: true, commands: ['npm test'] })
  })

  it('leaves a file alone that it can not read', () => {
    expect(withPattern('{ // mine', 'write', 'docs/**')).toBe(null)
    expect(turnedOn('[]')).toBe(null)
  })
})
