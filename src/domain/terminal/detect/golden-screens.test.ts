import { describe, expect, it } from 'vitest'
import { drawn, recorded } from '../../../../test/support/drawn-screen.ts'
import type { Mark, Screen } from '../screen.ts'
import { detect } from './detect.ts'

const inverse = (from: number, to: number): Mark => ({ from, to, kind: 'inverse' })

type Golden = [name: string, screen: Screen, text: string, choices?: string[]]

const waiting: Golden[] = [
  [
    'a box whose buttons have shadows, with the cursor elsewhere',
    drawn(
      'text▮\n╔═[■]═══ Information ═══════════╗\n║  b.txt has been modified.     ║\n║  Save?                        ║\n║   Yes   ▄   No   ▄  Cancel ▄  ║\n║ ▀▀▀▀▀▀▀▀  ▀▀▀▀▀▀▀ ▀▀▀▀▀▀▀▀▀  ║\n╚═══════════════════════════════╝',
      { alternate: true },
    ),
    'Save?',
    ['Yes', 'No'],
  ],
  [
    'keys and what they do, below what is asked in the same box',
    drawn(
      '│ Please choose an operation:▮ │\n│   b  Browse the persons     │\n│   s  Search them            │\n│   q  Quit program           │',
      { alternate: true },
    ),
    'Please choose an operation:',
    ['Browse the persons', 'Search them', 'Quit program'],
  ],
  [
    'a finder whose name is before its symbol',
    drawn('QUERY> ▮\nacorn\nawk\nbash', { alternate: true }),
    'QUERY>',
    ['acorn', 'awk', 'bash'],
  ],
  [
    'a box with an empty field under several lines',
    drawn(
      '┌New──────────────────┐\n│ Enter password for  │\n│ /root/p.pet         │\n│▮                     │\n│ Confirm password    │\n│                     │\n│─────────────────────│\n│ [ OK ] [ Cancel ]   │\n└─────────────────────┘',
      { alternate: true },
    ),
    'Enter password for',
  ],
  [
    'a key prompt alone on the screen',
    drawn('┌───┐ ┌───┐\n│ a │ │ b │\n└───┘ └───┘\n[▮ ] Press a key to start', { alternate: true }),
    '[ ] Press a key to start',
  ],
  [
    'a box whose question continues with a name on the next row',
    drawn(
      '+----- Delete ------+\n|    Delete file    |\n|     "a.txt"?      |\n|-------------------|\n|  [ ▮Yes ]  [ No ]  |\n+-------------------+',
      {
        alternate: true,
      },
    ),
    'Delete file "a.txt"?',
    ['Yes', 'No'],
  ],
  [
    'a box with a filled field under its name',
    drawn(
      '+--- New ---------------+\n| Enter directory name: |\n| ▮a.txt                 |\n|-----------------------|\n| [< OK >] [ Cancel ]   |\n+-----------------------+',
      {
        alternate: true,
      },
    ),
    'Enter directory name:',
  ],
  [
    'a list under a question that the terminal wrapped',
    drawn('? What is your preferred protocol for them?  [Use arrows to move, type↩\n to filter]\n▮> HTTPS\n  SSH', {
      hidden: true,
    }),
    '? What is your preferred protocol for them? [Use arrows to move, type to filter]',
    ['HTTPS', 'SSH'],
  ],
  [
    'a list of an unknown shape, with a hidden cursor and nothing moving',
    drawn('Where should it go?\n\n   = here\n   = there\n▮', { hidden: true }),
    'Where should it go?',
  ],
  [
    'a full screen with the cursor after a name that is being typed',
    drawn(`a letter${'\n'.repeat(23)}Save to mailbox: =carol▮`, { alternate: true }),
    'Save to mailbox:',
  ],
  [
    'buttons without a frame, under their question',
    drawn('  Delete 14 branches?\n\n     Yes       No\n\n←→ toggle • enter submit • y Yes • n No▮', { hidden: true }),
    'Delete 14 branches?',
    ['Yes', 'No'],
  ],
  [
    'a panel of signals next to the processes',
    drawn(
      `Tasks: 2\n\nSend signal:       PID USER\n 2 SIGINT            1 root\n 9 SIGKILL\n15 SIGTERM▮\n${'\n'.repeat(17)}EnterSend`,
      { hidden: true, alternate: true, applicationCursor: true },
    ),
    'Send signal:',
    ['2 SIGINT', '9 SIGKILL', '15 SIGTERM'],
  ],
  [
    'a picker whose list is under the input',
    drawn('> pass▮\npasswd\npasswd-', { marks: { 1: [inverse(0, 6)] } }),
    '>',
    ['passwd', 'passwd-'],
  ],
  [
    'a box of ASCII characters with one highlighted line',
    drawn('  +--[setup]--+\n  | Files     |\n  | Exit   ▮   |\n  +-----------+', {
      hidden: true,
      marks: { 1: [inverse(3, 14)] },
    }),
    '+--[setup]--+',
    ['Files', 'Exit'],
  ],
  [
    'words side by side, one of them highlighted',
    drawn('What next?\napply  revert  delete all▮', { hidden: true, marks: { 1: [inverse(0, 5)] } }),
    'What next?',
    ['apply', 'revert', 'delete all'],
  ],
  [
    'lines with one highlighted, under a shell that left bracketed paste on',
    drawn('Select a file\n\n▮adduser\naliases\napt', {
      hidden: true,
      bracketedPaste: true,
      marks: { 3: [inverse(0, 12)] },
    }),
    'Select a file',
    ['adduser', 'aliases', 'apt'],
  ],
  [
    'an editor that asks in its last line while its cursor stays in the text',
    drawn(`hello▮${'\n'.repeat(23)}Save file /root/a.txt? (y, n, !, ., q)`, {
      alternate: true,
      applicationCursor: true,
    }),
    'Save file /root/a.txt? (y, n, !, ., q)',
  ],
  [
    'an editor that has an answer ready in its last line',
    drawn(`hello▮${'\n'.repeat(23)}Not saved; are you sure?: n`, { alternate: true, applicationCursor: true }),
    'Not saved; are you sure?:',
  ],
  [
    'a pager without keypad mode that lists its keys',
    drawn(`▮text${'\n'.repeat(23)}Press \`Q' to quit, \`H' for help`, { alternate: true }),
    '[no prompt]',
  ],
  [
    'an agent that asks for permission in a box',
    drawn(
      `
╭──────────────────────────────────────────────────────────╮
│ Bash command                                             │
│                                                          │
│   rm -rf build                                           │
│   Remove build output                                    │
│                                                          │
│ Do you want to proceed?                                  │
│ ❯ 1. Yes                                                 │
│   2. Yes, and don't ask again for rm commands in /srv    │
│   3. No, and tell the agent what to do differently       │
│                                                          │
╰──────────────────────────────────────────────────────────╯
▮`,
      { hidden: true },
    ),
    'Do you want to proceed?',
    ['Yes', "Yes, and don't ask again for rm commands in /srv", 'No, and tell the agent what to do differently'],
  ],
  [
    'an agent that asks for permission without a box',
    drawn(
      `
  $ npm install left-pad

  Would you like to run the following command?

› 1. Yes, proceed (y)
  2. Yes, and don't ask again for this command (p)
  3. No, and say what to do differently (esc)

  Press enter to confirm or esc to cancel▮`,
      { hidden: true },
    ),
    'Would you like to run the following command?',
  ],
  [
    'an input box of an agent that is idle',
    drawn(
      `
● Done. All tests pass.

╭──────────────────────────────────────────────────────────╮
│ > ▮                                                       │
╰──────────────────────────────────────────────────────────╯
  ? for shortcuts`,
      { bracketedPaste: true },
    ),
    '>',
  ],
  [
    'a list with a pointer and a hint below',
    drawn(
      `
Which registry do you want to use?
  » internal
    public
(use arrow keys)
▮`,
      { hidden: true },
    ),
    'Which registry do you want to use?',
    ['internal', 'public'],
  ],
  [
    'a list to filter, with the line to type above it',
    drawn(
      `
Choose a branch:
> ▮
> main
  feature/login
  fix/typo

↑/↓ navigate • enter submit`,
    ),
    '>',
  ],
  [
    'checkboxes',
    drawn(
      `
? Select features (Press <space> to select)
❯◉ TypeScript
 ◯ Router
 ◯ Linter▮`,
      { hidden: true },
    ),
    '? Select features (Press <space> to select)',
    ['TypeScript', 'Router', 'Linter'],
  ],
  [
    'a box with buttons and a field',
    drawn(
      `
   ┌──────────────┤ Configuring the mail server ├───────────┐
   │ Please enter the name of this mail server.             │
   │                                                        │
   │ System mail name:                                      │
   │                                                        │
   │ ▮_____________________________________________________  │
   │                                                        │
   │               <Ok>                   <Cancel>          │
   └────────────────────────────────────────────────────────┘`,
      { alternate: true },
    ),
    'System mail name:',
  ],
  [
    'a box over a full-screen program, whose buttons have no frame',
    drawn(
      `
 file one        ┌────Confirm delete─────────────────────┐
 file two        │ Are you sure you want to delete "g"   │
 file three      │ and all of its contents?              │
 file four       │                                       │
 file five       │     yes      ▮no     don't ask again   │
 file six        └───────────────────────────────────────┘`,
      { alternate: true, applicationCursor: true, hidden: true, marks: { 4: [inverse(31, 33)] } },
    ),
    'Are you sure you want to delete "g" and all of its contents?',
    ['yes', 'no', "don't ask again"],
  ],
  [
    'a field with a drawn cursor',
    drawn('│\n◆  API key\n│  _\n└\n▮', { hidden: true, marks: { 2: [inverse(3, 4)] } }),
    '◆ API key',
  ],
  [
    'an answer to choose next to the question',
    drawn('? Enable telemetry? › no / yes▮', { hidden: true }),
    '? Enable telemetry?',
    ['no', 'yes'],
  ],
  [
    'a name asked for in a bar of a full-screen editor',
    drawn(`${'\n'.repeat(22)}File Name to Write: notes.txt▮\n^G Help      M-D DOS Format\n^C Cancel    ^T Browse`, {
      alternate: true,
      applicationCursor: true,
      bracketedPaste: true,
      marks: { 21: [inverse(0, 80)] },
    }),
    'File Name to Write:',
  ],
  [
    'an editor, which shows no prompt',
    drawn(`▮first line\nsecond line\n~\n~`, { alternate: true, applicationCursor: true }),
    '[no prompt]',
  ],
  [
    'a chooser under a question',
    drawn('? Pick fruit … ▮\n  apple\n  grape\n  lime'),
    '? Pick fruit …',
    ['apple', 'grape', 'lime'],
  ],
  [
    'a search line over found entries',
    drawn(`  passwd-\n> passwd\n  2/210 ─────────────\n> pas▮`, { mouse: true }),
    '>',
  ],
]

const working: [string, Screen][] = [
  [
    'an agent that thinks, although its input box is open',
    drawn(
      `
✻ Pondering… (12s · esc to interrupt)

╭──────────────────────────────────────────────────────────╮
│ > ▮                                                       │
╰──────────────────────────────────────────────────────────╯`,
      { bracketedPaste: true },
    ),
  ],
  [
    'a progress bar under the text',
    drawn('Setting up acme ...\n  shard 2: ▮\n\nProgress: [ 60%] [###########..........]'),
  ],
  [
    'a gauge in a box',
    drawn('┌──────────────────┐\n│ Copying files    │\n│       ▮ 19%       │\n└──────────────────┘', { hidden: true }),
  ],
  ['a message in a box without buttons', drawn('┌──────────────────┐\n│ Please wait: scan │\n└──────────────────┘\n▮')],
  ['a screen that is redrawn repeatedly', drawn('Every 2.0s: df -h\n\nDelete all? (yes/no)\n▮', { alternate: true })],
  [
    'a program in a multiplexer',
    drawn(`$ make\n▮${'\n'.repeat(22)}[0] 0:make*     "host" 20:48`, {
      alternate: true,
      applicationCursor: true,
      marks: { 23: [{ from: 0, to: 80, kind: 'color' }] },
    }),
  ],
  [
    'a copy that shows its progress, with a button to stop it',
    drawn(
      '┌─────── Copy ───────┐\n│ file.iso           │\n│ [█████     ]   45% │\n│     [ Abort▮ ]      │\n└────────────────────┘',
      {
        alternate: true,
        applicationCursor: true,
      },
    ),
  ],
  [
    'a pager that follows a file',
    drawn(`${'\n'.repeat(24)}Waiting for data... (interrupt to abort)▮`, { alternate: true, applicationCursor: true }),
  ],
  ['a board that redraws itself', drawn(' pods: 41\n\n Refreshing every 2s▮', { alternate: true })],
  [
    'downloads with the cursor hidden',
    drawn('Fetching\none.iso   412 of 900\ntwo.iso   waiting…\n▮', { hidden: true }),
  ],
  ['tests that run', drawn(' RUN  v4\n\n ❯ t/a.test.ts 12/30\n\n Tests 11 passed (30)\n▮', { hidden: true })],
  ['steps with a spinner', drawn('✔ Install deps\n⠦ Continue?\n▮', { hidden: true })],
  ['a running package script', drawn('> app@1.0.0 build\n> vite build\n\n▮')],
  ['a server that lists its keys', drawn('  ➜  Local:   http://localhost:5173/\n  ➜  press h + enter to show help\n▮')],
  ['progress shown next to the text', drawn('Uploading release: ▮', { progress: true })],
]

describe('a screen that waits', () => {
  it.each(waiting)('%s', (_name, screen, text, choices) => {
    const { state, prompt } = detect(screen, recorded)
    expect({ state, text: prompt?.text }).toEqual({ state: 'waiting', text })
    const labels = prompt?.choices.map(({ label }) => label)
    expect(labels).toEqual(choices ?? labels)
  })
})

describe('a screen of a working program', () => {
  it.each(working)('%s', (_name, screen) => {
    expect(detect(screen, recorded)).toMatchObject({ state: 'working', prompt: null })
  })
})
