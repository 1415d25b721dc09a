import { describe, expect, it } from 'vitest'
import { drawn, recorded } from '../../../../test/support/drawn-screen.ts'
import type { Screen } from '../screen.ts'
import { detect } from './detect.ts'

const full = (picture: string, flags = {}): Screen => drawn(picture, { alternate: true, ...flags })

const box = (label: string): string =>
  [
    '00 7F 01┌──────────────────────┐....',
    `10 7F 01│ ${label.padEnd(21)}│....`,
    '20 7F 01└──────────────────────┘....',
  ].join('\n')

const waiting: [name: string, screen: Screen, text: string, type?: string][] = [
  ['only a question with its answers', full('▮Music? [y/N]'), 'Music? [y/N]', 'yes_no'],
  ['a key to begin with', full('\n\n      Type <space> to begin....\n     ▮'), 'Type <space> to begin....'],
  [
    'a key to play with, above the others',
    full('\n  o-o-o\n\n   Press any key to play\n\n [H] How to play\n [E] Editor\n [D] Display\n [Q]▮ Quit'),
    'Press any key to play',
  ],
  [
    'a key to play with, under a board',
    full(`${'#.#.#.#\n'.repeat(17)}#..▮..#\n\n  PRESS ENTER TO PLAY!`),
    'PRESS ENTER TO PLAY!',
  ],
  [
    'an empty line right under an instruction',
    full('books - 1 entry\n\n    Enter the name of the entry\n    ▮'),
    'Enter the name of the entry',
    'text',
  ],
  ['a field in a box above other text', full(box('Offset:  0x▮')), 'Offset:', 'text'],
  ['a field in a box that already has a name', full(box('Filename: a.bin▮')), 'Filename:', 'path'],
  [
    'a titled box with what is typed in it',
    full(
      'text\n  ┌─Load request (ctrl+q to cancel)───┐\n  │/root/w/▮                           │\n  └───────────────────────────────────┘\n',
    ),
    'Load request (ctrl+q to cancel)',
  ],
  [
    'a question in a box of ASCII characters',
    drawn(
      '    |##  = stock to talon  |\n    |======================|\n    |Move: ▮                |\n    *----------------------*',
    ),
    'Move:',
  ],
]

const working: [name: string, screen: Screen][] = [
  ['only a question that nobody should answer', full('▮Please wait: do not turn off?')],
  ['a board that can be paused', full(`${'#.#.#.#\n'.repeat(17)}\n  Press Enter to pause\n▮`)],
]

describe('a full screen that waits', () => {
  it.each(waiting)('%s', (_name, screen, text, type) => {
    const { state, prompt } = detect(screen, recorded)
    expect({ state, text: prompt?.text, type: prompt?.type }).toEqual({
      state: 'waiting',
      text,
      type: type ?? prompt?.type,
    })
  })
})

describe('a full screen of a working program', () => {
  it.each(working)('%s', (_name, screen) => {
    expect(detect(screen, recorded)).toMatchObject({ state: 'working', prompt: null })
  })
})
