import { describe, expect, it } from 'vitest'
import { commandOf, labelOf, nameOf, placeOf } from './terminal-text.ts'

const choices = [
  { key: 'y', label: 'Yes, all of it', selected: false, isDefault: false },
  { key: '2', label: 'beta', selected: true, isDefault: true },
]

describe('terminals in words', () => {
  it('show the words of a command apart', () => {
    expect(commandOf({ command: ['sh', '-c', "echo it's"], logFile: '' })).toBe(`sh -c 'echo it'\\''s'`)
    expect(nameOf({ name: null, command: null, logFile: '/var/log/x.log' })).toBe('/var/log/x.log')
  })

  it('name an answer by what is typed and what it means', () => {
    expect(labelOf({ choices }, 'y')).toBe('y · Yes, all of it')
    expect(labelOf({ choices }, '')).toBe('Enter · beta')
    expect(labelOf({ choices }, 'other')).toBe('other')
  })

  it('never reverse the text beside them', () => {
    expect(nameOf({ name: 'a\u202eb', command: null, logFile: '' })).toBe('a⟨U+202E⟩b')
  })

  it('say where a program runs', () => {
    expect(placeOf({ host: 'depot', user: 'ann', cwd: '/srv' })).toBe('ann@depot · /srv')
    expect(placeOf({ host: null, user: null, cwd: null })).toBeNull()
  })
})
