import { describe, expect, it } from 'vitest'
import { canFork, commandsFor, modesOf, offersOf } from './agent-offers.ts'

describe('what an agent offers', () => {
  it('includes its modes, if there is a choice', () => {
    const modes = { currentModeId: 'a', availableModes: [{ id: 'a', name: 'A' }, { id: 'b' }, { name: 'none' }] }
    expect(modesOf(modes)).toEqual({
      current: 'a',
      choices: [
        { value: 'a', name: 'A' },
        { value: 'b', name: 'b' },
      ],
    })
    expect(modesOf({ currentModeId: 'a', availableModes: [{ id: 'a' }] })).toBeNull()
    expect(modesOf(null)).toBeNull()
  })

  it('includes its options, in groups or not, and switches', () => {
    const options = [
      {
        id: 'model',
        name: 'Model',
        type: 'select',
        currentValue: 'x',
        options: [{ options: [{ value: 'x' }] }, { value: 'y' }],
      },
      { id: 'loud', type: 'boolean', currentValue: true },
      { id: 'only', type: 'select', currentValue: 'x', options: [{ value: 'x' }] },
      'odd',
    ]
    expect(offersOf(options)).toEqual([
      {
        kind: 'select',
        id: 'model',
        name: 'Model',
        about: '',
        current: 'x',
        choices: [
          { value: 'x', name: 'x' },
          { value: 'y', name: 'y' },
        ],
      },
      { kind: 'switch', id: 'loud', name: 'loud', about: '', current: true },
    ])
  })

  it('includes its commands while you type the name of one', () => {
    const commands = [{ name: 'slow', description: 'Speak slowly' }, { name: 'stall' }, { name: 'plan' }]
    expect(commandsFor(commands, '/s').map(({ name }) => name)).toEqual(['slow', 'stall'])
    expect(commandsFor(commands, '/slow 200')).toEqual([])
    expect(commandsFor(commands, 'so')).toEqual([])
  })

  it('includes a copy of the conversation if it supports that', () => {
    expect(canFork({ sessionCapabilities: { fork: {} } })).toBe(true)
    expect(canFork({ sessionCapabilities: {} })).toBe(false)
    expect(canFork(null)).toBe(false)
  })
})
