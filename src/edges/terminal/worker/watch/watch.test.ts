import { describe, expect, it } from 'vitest'
import { openWatchHarness } from '../../../../../test/support/watch-harness.ts'

const cooked = { mode: { echo: true, canonical: true } }
const raw = { mode: { echo: false, canonical: false } }

describe('a watched terminal', () => {
  it('waits within 25 ms of quiet if the kernel says that the program reads', async () => {
    const harness = openWatchHarness(cooked)
    harness.works()
    await harness.pass(500)
    harness.print('Continue? ')
    harness.reads()
    await harness.pass(25)
    expect(harness.watch.state).toMatchObject({ state: 'waiting', prompt: { text: 'Continue?', offset: 10 } })
    expect(harness.watch.state.fg).toMatchObject({ pid: 7, reading: 'read' })
    expect(harness.watch.state.mode).toEqual({ echo: true, canonical: true })
  })

  it('waits within 100 ms if the screen decides', async () => {
    const harness = openWatchHarness({ ...raw, says: 'unknown' })
    harness.print('> ')
    await harness.pass(20)
    expect(harness.watch.state.state).toBe('working')
    harness.scene.says = 'waiting'
    await harness.pass(75)
    expect(harness.watch.state.state).toBe('waiting')
  })

  it('does not wait before its text has come, although the kernel says that it reads', async () => {
    const harness = openWatchHarness(cooked)
    harness.reads()
    await harness.pass(60)
    harness.print('Name: ')
    await harness.pass(20)
    harness.type('bob\r')
    harness.print('bob\n')
    harness.reads()
    await harness.pass(60)
    harness.print('Age: ')
    await harness.pass(20)
    expect(harness.reports.map(({ prompt }) => prompt?.text ?? null)).toEqual(['Name:', null, 'Age:'])
  })

  it('waits without text if it reads and prints nothing', async () => {
    const harness = openWatchHarness(cooked)
    harness.reads()
    await harness.pass(100)
    expect(harness.watch.state.state).toBe('waiting')
  })

  it('is not taken for harmless while the terminal is slow to report that echo is off', async () => {
    const harness = openWatchHarness({ mode: { echo: false, canonical: true } })
    harness.print('Enter it: ')
    harness.reads()
    const { promise, resolve } = Promise.withResolvers<void>()
    harness.scene.slow = promise
    await harness.pass(150)
    expect(harness.reports).toEqual([])
    resolve()
    await harness.pass(100)
    expect(harness.reports).toMatchObject([{ state: 'waiting', prompt: { secret: true } }])
  })

  it('is reported once, however often it is checked', async () => {
    const harness = openWatchHarness(cooked)
    harness.print('Name: ')
    harness.reads()
    await harness.pass(20_000)
    expect(harness.states()).toEqual(['waiting'])
  })

  it('keeps what is known if a look can’t tell', async () => {
    const harness = openWatchHarness({ ...raw, says: 'waiting' })
    harness.print('? Pick one')
    await harness.pass(100)
    harness.scene.says = 'unknown'
    harness.print(' ')
    await harness.pass(10_000)
    expect(harness.states()).toEqual(['waiting'])
  })

  it('drops a prompt that is no longer visible, even if it is unknown what the program does', async () => {
    const harness = openWatchHarness({ ...raw, says: 'waiting' })
    harness.print('Pick one ')
    await harness.pass(100)
    harness.scene.says = 'unknown'
    harness.print('\nsomething else\n')
    await harness.pass(100)
    expect(harness.states()).toEqual(['waiting'])
    await harness.pass(300)
    expect(harness.states()).toEqual(['waiting', 'working'])
  })

  it('is checked again soon if a look does not confirm what is known', async () => {
    const harness = openWatchHarness({ ...raw, says: 'waiting' })
    harness.print('First? ')
    await harness.pass(100)
    harness.scene.says = 'unknown'
    harness.print('\nSecond? ')
    await harness.pass(70)
    harness.scene.says = 'waiting'
    await harness.pass(40)
    expect(harness.watch.state.prompt?.text).toBe('Second?')
  })

  it('believes the kernel that nobody reads only after a while', async () => {
    const harness = openWatchHarness(cooked)
    harness.print('Continue? ')
    harness.reads()
    await harness.pass(100)
    harness.works()
    await harness.watch.now()
    expect(harness.watch.state.state).toBe('waiting')
    harness.reads()
    await harness.pass(100)
    expect(harness.states()).toEqual(['waiting'])
    harness.works()
    await harness.watch.now()
    await harness.pass(300)
    expect(harness.states()).toEqual(['waiting', 'working'])
  })

  it('works again once output has replaced the prompt', async () => {
    const harness = openWatchHarness({ ...raw, says: 'waiting' })
    harness.print('Retry? ')
    await harness.pass(100)
    harness.scene.says = 'working'
    harness.print('\ntime is up, going on\n')
    await harness.pass(30)
    expect(harness.states()).toEqual(['waiting', 'working'])
  })

  it('is not answered by a spinner next to the prompt', async () => {
    const harness = openWatchHarness({ ...raw, says: 'waiting', question: 'Approve?', lines: ['Approve?', '  ⠋ 1s'] })
    await harness.pass(100)
    harness.scene.confidence = 0.6
    harness.scene.says = 'working'
    for (const wheel of ['⠙ 2s', '⠹ 3s', '⠸ 4s', '⠼ 5s', '⠴ 6s']) {
      harness.scene.lines = ['Approve?', `  ${wheel}`]
      harness.watch.printed(8, 100)
      await harness.pass(1000)
    }
    expect(harness.states()).toEqual(['waiting'])
  })

  it('drops a prompt that every look contradicts firmly for a long time', async () => {
    const harness = openWatchHarness({ ...raw, says: 'waiting', question: 'Approve?', lines: ['Approve?', '  ⠋ 1s'] })
    await harness.pass(100)
    harness.scene.says = 'working'
    for (let turn = 0; turn < 5; turn += 1) {
      harness.watch.printed(8, 100)
      await harness.pass(1000)
    }
    expect(harness.states()).toEqual(['waiting', 'working'])
  })

  it('treats a prompt as answered as soon as a line was entered', async () => {
    const harness = openWatchHarness(cooked)
    harness.print('Name: ')
    harness.reads()
    await harness.pass(100)
    harness.type('bob\r')
    expect(harness.watch.state).toMatchObject({ state: 'working', prompt: null })
  })

  it('does not report an answered prompt again until the program has run', async () => {
    const harness = openWatchHarness(cooked)
    harness.print('Name: ')
    harness.reads()
    await harness.pass(100)
    harness.type('bob\r')
    harness.print('bob\n')
    await harness.pass(5000)
    expect(harness.states()).toEqual(['waiting', 'working'])
  })

  it('does not report a prompt answered without echo again, on the far side of ssh', async () => {
    const harness = openWatchHarness({ ...raw, says: 'waiting' }, true)
    harness.polls()
    harness.print('bob@far Password: ')
    await harness.pass(300)
    harness.type('hunter2\r')
    harness.polls()
    await harness.pass(5000)
    expect(harness.states()).toEqual(['waiting', 'working'])
    harness.print('\nSorry, try again.\nbob@far Password: ')
    await harness.pass(300)
    expect(harness.states()).toEqual(['waiting', 'working', 'waiting'])
    expect(new Set(harness.ids()).size).toBe(2)
  })

  it('waits at a prompt that comes right after a secret was entered', async () => {
    const harness = openWatchHarness({ ...raw, says: 'waiting' }, true)
    harness.print('Password: ')
    await harness.pass(300)
    harness.type('hunter2\r')
    harness.print('$ ')
    await harness.pass(300)
    expect(harness.watch.state).toMatchObject({ state: 'waiting', prompt: { text: 'Password: $' } })
  })

  it('stays ended once it has ended', async () => {
    const harness = openWatchHarness(cooked)
    harness.print('Name: ')
    harness.reads()
    await harness.pass(100)
    harness.watch.exited(0)
    harness.print('Name: ')
    harness.type('x\r')
    harness.watch.resized()
    harness.watch.exited(1)
    await harness.pass(3000)
    await harness.watch.now()
    expect(harness.states()).toEqual(['waiting', 'exited'])
    expect(harness.watch.state).toMatchObject({ state: 'exited', prompt: null, verdict: { state: 'exited' } })
  })

  it('reports nothing and holds no timer once it is released', async () => {
    const harness = openWatchHarness(cooked)
    harness.print('Name: ')
    harness.reads()
    await harness.pass(50)
    harness.type('x')
    harness.type('\r')
    harness.watch[Symbol.dispose]()
    const heard = harness.order.length
    harness.print('more')
    await harness.pass(5000)
    expect(harness.order).toHaveLength(heard)
    expect(harness.clock.timers()).toEqual([])
  })

  it('checks again on request', async () => {
    const harness = openWatchHarness(cooked)
    harness.print('Name: ')
    harness.reads()
    expect(await harness.watch.now()).toMatchObject({ state: 'waiting', prompt: { text: 'Name:' } })
  })

  it('works without kernel signals, modes or their answers', async () => {
    const harness = openWatchHarness({ says: 'waiting' })
    harness.print('login: ')
    await harness.pass(300)
    expect(harness.watch.state).toMatchObject({ state: 'waiting', fg: null, mode: null })
  })
})

describe('the cost of a look', () => {
  it('is only the kernel, four times a second, while a program floods the terminal', async () => {
    const harness = openWatchHarness(cooked)
    harness.works()
    await harness.pass(5)
    const before = { ...harness.cost }
    for (let turn = 0; turn < 400; turn += 1) {
      harness.print('a line of text\n')
      await harness.pass(5)
    }
    expect(harness.cost.probes - before.probes).toBeLessThanOrEqual(8)
    expect(harness.cost.screens - before.screens).toBe(0)
    expect(harness.cost.modes - before.modes).toBe(0)
  })

  it('is only the kernel, once a second, while a program waits and has not run', async () => {
    const harness = openWatchHarness(cooked)
    harness.print('Name: ')
    harness.reads()
    await harness.pass(2500)
    const before = { ...harness.cost }
    await harness.pass(10_000)
    expect(harness.cost.probes - before.probes).toBeLessThanOrEqual(11)
    expect(harness.cost.screens).toBe(before.screens)
    expect(harness.cost.modes).toBe(before.modes)
  })
})

describe('the id of a prompt', () => {
  it('stays while someone types, however the screen changes', async () => {
    const harness = openWatchHarness(cooked)
    harness.print('Name: ')
    harness.reads()
    await harness.pass(100)
    for (const character of 'bob') {
      harness.type(character)
      harness.print(character)
      await harness.pass(50)
    }
    expect(new Set(harness.ids()).size).toBe(1)
    expect(harness.watch.state.prompt?.text).toBe('Name:')
  })

  it('stays while someone types in a line editor', async () => {
    const harness = openWatchHarness({ ...raw, says: 'waiting' })
    harness.print('> ')
    await harness.pass(100)
    for (const character of 'bob') {
      harness.polls()
      harness.type(character)
      harness.print(character)
      await harness.pass(50)
    }
    expect(harness.states()).toEqual(['waiting'])
  })

  it('is new if the text has changed', async () => {
    const harness = openWatchHarness({ ...raw, says: 'waiting' })
    harness.print('Pass')
    await harness.pass(100)
    harness.print('phrase for key: ')
    await harness.pass(100)
    expect(new Set(harness.ids()).size).toBe(2)
  })

  it('is new if a line was entered and the program asks the same again', async () => {
    const harness = openWatchHarness(cooked)
    harness.print('Name: ')
    harness.reads()
    await harness.pass(100)
    harness.type('\r')
    harness.reads()
    harness.print('\nName: ')
    await harness.pass(100)
    expect(harness.states()).toEqual(['waiting', 'working', 'waiting'])
    expect(new Set(harness.ids()).size).toBe(2)
  })

  it('is new if a silent program reads once more', async () => {
    const harness = openWatchHarness(cooked)
    harness.reads()
    await harness.pass(100)
    harness.type('one\r')
    harness.print('one\n')
    harness.reads()
    await harness.pass(100)
    expect(harness.states()).toEqual(['waiting', 'working', 'waiting'])
  })

  it('is new if the program worked in between', async () => {
    const harness = openWatchHarness(cooked)
    harness.print('Next? ')
    harness.reads()
    await harness.pass(100)
    harness.works()
    await harness.pass(2100)
    harness.reads()
    await harness.pass(1100)
    expect(harness.states()).toEqual(['waiting', 'working', 'waiting'])
    expect(new Set(harness.ids()).size).toBe(2)
  })

  it('is new after ^C, if the shell shows its prompt again', async () => {
    const harness = openWatchHarness({ ...raw, says: 'waiting' })
    harness.print('$ ')
    await harness.pass(100)
    harness.type('half a line')
    harness.print('half a line')
    await harness.pass(50)
    harness.type('\u0003')
    harness.print('^C\n$ ')
    await harness.pass(100)
    expect(new Set(harness.ids()).size).toBe(2)
    expect(harness.entered).toEqual([])
  })

  it('stays if the selection of a menu moves, and the choices are reported', async () => {
    const choice = (label: string, selected: boolean) => ({ key: '', label, selected, isDefault: false })
    const harness = openWatchHarness({
      ...raw,
      says: 'waiting',
      question: 'Which?',
      lines: ['Which?', '> npm', '  yarn'],
    })
    harness.scene.choices = [choice('npm', true), choice('yarn', false)]
    await harness.pass(100)
    harness.type('\u001B[B')
    harness.scene.choices = [choice('npm', false), choice('yarn', true)]
    harness.scene.lines = ['Which?', '  npm', '> yarn']
    harness.watch.printed(20, 60)
    await harness.pass(100)
    expect(harness.reports).toHaveLength(2)
    expect(new Set(harness.ids()).size).toBe(1)
    expect(harness.watch.state.prompt?.choices[1]?.selected).toBe(true)
  })

  it('stays if lines are printed above it', async () => {
    const harness = openWatchHarness({ ...raw, says: 'waiting', question: '> ask me', lines: ['log 1', '> ask me'] })
    await harness.pass(100)
    for (let turn = 2; turn < 6; turn += 1) {
      harness.scene.lines.splice(-1, 0, `log ${turn}`)
      harness.watch.printed(30, turn * 30)
      await harness.pass(100)
    }
    expect(harness.states()).toEqual(['waiting'])
  })
})
