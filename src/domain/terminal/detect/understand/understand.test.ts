import { describe, expect, it } from 'vitest'
import { understand, type PromptSource } from './understand.ts'

const found = (text: string, more: Partial<PromptSource> = {}): PromptSource => ({
  text,
  line: text,
  above: [],
  menu: null,
  fullScreen: false,
  secretByMode: false,
  canonical: null,
  program: null,
  ...more,
})

describe('the pattern of a prompt', () => {
  it('matches the text it was made from and the same text with another number', () => {
    const { matchedPattern } = understand(found('Delete 3 tables (all of them)? [y/n]: '))
    const pattern = new RegExp(matchedPattern, 'u')
    expect('Delete 3 tables (all of them)? [y/n]: ').toMatch(pattern)
    expect('Delete 128 tables (all of them)? [y/n]:').toMatch(pattern)
    expect('Delete 3 files (all of them)? [y/n]:').not.toMatch(pattern)
  })

  it.each(['a\\b*c+d|e{2}^$.', '[[[', '((', 'x'.repeat(5000), '😀 ok? ', ''])('is valid for %j', (text) => {
    expect(text).toMatch(new RegExp(understand(found(text)).matchedPattern, 'u'))
  })
})

describe('choices', () => {
  it('take their meaning from the list above the keys', () => {
    const above = ['No remotes found, make a new one?', 'n) New remote', 's) Set password', 'q) Quit config']
    expect(understand(found('n/s/q>', { above })).choices.map(({ key, label }) => [key, label])).toEqual([
      ['n', 'New remote'],
      ['s', 'Set password'],
      ['q', 'Quit config'],
    ])
  })

  it('keep the selected entry of a drawn menu and leave out its buttons', () => {
    const menu = [
      { key: null, label: 'graphical', selected: false },
      { key: null, label: 'rescue', selected: true },
      { key: null, label: '< Cancel >', selected: false },
    ]
    expect(understand(found('Choose the boot target', { menu })).choices).toEqual([
      { key: 'graphical', label: 'graphical', selected: false, isDefault: false },
      { key: 'rescue', label: 'rescue', selected: true, isDefault: true },
    ])
  })

  it('mark the default once', () => {
    const { choices } = understand(found('*** a.conf (Y/I/N/O/D/Z) [default=N] ?'))
    expect(choices.filter((choice) => choice.isDefault).map((choice) => choice.key)).toEqual(['N'])
  })
})

describe('what is suggested', () => {
  it('is never an answer to a secret or to a shell', () => {
    expect(understand(found('Password [hunter2]:')).suggestedInputs).toEqual([])
    expect(understand(found('Password [hunter2]:')).default).toBeNull()
    expect(understand(found('bob@box:~$')).suggestedInputs).toEqual([])
  })

  it('are the entries of a menu; the safe one first if the selected one would do harm', () => {
    const menu = [
      { key: null, label: 'Yes', selected: true },
      { key: null, label: 'No', selected: false },
    ]
    expect(understand(found('Format /dev/sdb1 as ext4?', { menu })).suggestedInputs).toEqual(['No', 'Yes'])
    expect(understand(found('Publish now?', { menu })).suggestedInputs).toEqual(['Yes', 'No'])
  })
})

describe('a password for higher privileges', () => {
  it('is dangerous if only the process says so', () => {
    expect(understand(found('Password:', { program: 'su' })).dangerReason).toBe('runs as root: su')
    expect(understand(found('Password:', { program: 'psql' })).dangerous).toBe(false)
  })
})

describe('older output', () => {
  it('ends at the prompt that was answered before', () => {
    const above = ['This will delete all data. Continue? [y/n] n', 'Skipped.']
    expect(understand(found('Show a summary? [y/n]', { above })).dangerous).toBe(false)
  })

  it('ends at the shell prompt the program was started from', () => {
    const above = ['WARNING: this will delete everything', 'bob@box:~$ greet']
    expect(understand(found('Continue? [y/n]', { above })).dangerous).toBe(false)
  })
})

describe('text designed to be slow', () => {
  const units = [
    'a/',
    '(',
    '[y',
    'yes or ',
    ' ',
    'will ',
    '"',
    'a.',
    'y/n/',
    '~/',
    '？',
    '1 - ',
    '(a)b ',
    '......',
    'の',
  ]

  it.each(units)('of %j is still understood', (unit) => {
    const text = `${unit.repeat(4000)}?`
    expect(understand(found(text, { above: Array.from({ length: 60 }, () => text) })).matchedPattern).not.toBe('')
  })
})
