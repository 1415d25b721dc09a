import { describe, expect, it } from 'vitest'
import { commandOf, labelOf, nameOf, placeOf } from './terminal-text.ts'

const choices = [
  { key: 'y', label: 'Yes, all of it', selected: false, isDefault: false },
  { key: '2', label: 'beta', selected: true, isDefault: true },
]

describe('text about terminals', () => {
  it('shows the words of a command separately', () => {
    expect(commandOf({ command: ['sh', '-c', "echo it's"], logFile: '' })).toBe(`sh -c 'echo it'\\''s'`)
    expect(nameOf({ name: null, command: null, logFile: '/var/log/x.log' })).toBe('/var/log/x.log')
  })

  it('names an answer by its input and its meaning', () => {
    expect(labelOf({ choices }, 'y')).toBe('y · Yes, all of it')
    expect(labelOf({ choices }, '')).toBe('Enter · beta')
    expect(labelOf({ choices }, 'other')).toBe('other')
  })

  it('never reverses the text next to it', () => {
    expect(nameOf({ name: 'a\u202eb', command: null, logFile: '' })).toBe('a⟨U+202E⟩b')
  })

  it('says where a program runs', () => {
    expect(placeOf({ host: 'depot', user: 'ann', cwd: '/srv' })).toBe('ann@depot · /srv')
    expect(placeOf({ host: null, user: null, cwd: null })).toBeNull()
  })
})
