import { describe, expect, it } from 'vitest'
import { watchStage } from '../../../../../test/support/watch-stage.ts'

const cooked = { mode: { echo: true, canonical: true } }
const raw = { mode: { echo: false, canonical: false } }

describe('a watched terminal', () => {
  it('waits within 25 ms of quiet where the kernel says that the program reads', async () => {
    const stage = watchStage(cooked)
    stage.works()
    await stage.pass(500)
    stage.print('Continue? ')
    stage.reads()
    await stage.pass(25)
    expect(stage.watch.state).toMatchObject({ state: 'waiting', prompt: { text: 'Continue?', offset: 10 } })
    expect(stage.watch.state.fg).toMatchObject({ pid: 7, reading: 'read' })
    expect(stage.watch.state.mode).toEqual({ echo: true, canonical: true })
  })

  it('waits within 100 ms where the screen decides', async () => {
    const stage = watchStage({ ...raw, says: 'unknown' })
    stage.print('> ')
    await stage.pass(20)
    expect(stage.watch.state.state).toBe('working')
    stage.scene.says = 'waiting'
    await stage.pass(75)
    expect(stage.watch.state.state).toBe('waiting')
  })

  it('does not wait before its words have come, though the kernel says that it reads', async () => {
    const stage = watchStage(cooked)
    stage.reads()
    await stage.pass(60)
    stage.print('Name: ')
    await stage.pass(20)
    stage.type('bob\r')
    stage.print('bob\n')
    stage.reads()
    await stage.pass(60)
    stage.print('Age: ')
    await stage.pass(20)
    expect(stage.reports.map(({ prompt }) => prompt?.text ?? null)).toEqual(['Name:', null, 'Age:'])
  })

  it('waits without a word where it reads and says nothing', async () => {
    const stage = watchStage(cooked)
    stage.reads()
    await stage.pass(100)
    expect(stage.watch.state.state).toBe('waiting')
  })

  it('does not pass for harmless while the terminal is slow to say that it shows nothing', async () => {
    const stage = watchStage({ mode: { echo: false, canonical: true } })
    stage.print('Enter it: ')
    stage.reads()
    const { promise, resolve } = Promise.withResolvers<void>()
    stage.scene.slow = promise
    await stage.pass(150)
    expect(stage.reports).toEqual([])
    resolve()
    await stage.pass(100)
    expect(stage.reports).toMatchObject([{ state: 'waiting', prompt: { secret: true } }])
  })

  it('is told once, however often it is looked at', async () => {
    const stage = watchStage(cooked)
    stage.print('Name: ')
    stage.reads()
    await stage.pass(20_000)
    expect(stage.states()).toEqual(['waiting'])
  })

  it('keeps what is known where a look can’t tell', async () => {
    const stage = watchStage({ ...raw, says: 'waiting' })
    stage.print('? Pick one')
    await stage.pass(100)
    stage.scene.says = 'unknown'
    stage.print(' ')
    await stage.pass(10_000)
    expect(stage.states()).toEqual(['waiting'])
  })

  it('gives up a prompt that is not to be seen any more, though nobody can tell what the program does', async () => {
    const stage = watchStage({ ...raw, says: 'waiting' })
    stage.print('Pick one ')
    await stage.pass(100)
    stage.scene.says = 'unknown'
    stage.print('\nsomething else\n')
    await stage.pass(100)
    expect(stage.states()).toEqual(['waiting'])
    await stage.pass(300)
    expect(stage.states()).toEqual(['waiting', 'working'])
  })

  it('is looked at again soon where a look does not confirm what is known', async () => {
    const stage = watchStage({ ...raw, says: 'waiting' })
    stage.print('First? ')
    await stage.pass(100)
    stage.scene.says = 'unknown'
    stage.print('\nSecond? ')
    await stage.pass(70)
    stage.scene.says = 'waiting'
    await stage.pass(40)
    expect(stage.watch.state.prompt?.text).toBe('Second?')
  })

  it('believes the kernel that nobody reads only when it says so for a while', async () => {
    const stage = watchStage(cooked)
    stage.print('Continue? ')
    stage.reads()
    await stage.pass(100)
    stage.works()
    await stage.watch.now()
    expect(stage.watch.state.state).toBe('waiting')
    stage.reads()
    await stage.pass(100)
    expect(stage.states()).toEqual(['waiting'])
    stage.works()
    await stage.watch.now()
    await stage.pass(300)
    expect(stage.states()).toEqual(['waiting', 'working'])
  })

  it('works again once output has taken the place of the prompt', async () => {
    const stage = watchStage({ ...raw, says: 'waiting' })
    stage.print('Retry? ')
    await stage.pass(100)
    stage.scene.says = 'working'
    stage.print('\ntime is up, going on\n')
    await stage.pass(30)
    expect(stage.states()).toEqual(['waiting', 'working'])
  })

  it('is not answered by a wheel that turns beside the prompt', async () => {
    const stage = watchStage({ ...raw, says: 'waiting', question: 'Approve?', lines: ['Approve?', '  ⠋ 1s'] })
    await stage.pass(100)
    stage.scene.confidence = 0.6
    stage.scene.says = 'working'
    for (const wheel of ['⠙ 2s', '⠹ 3s', '⠸ 4s', '⠼ 5s', '⠴ 6s']) {
      stage.scene.lines = ['Approve?', `  ${wheel}`]
      stage.watch.printed(8, 100)
      await stage.pass(1000)
    }
    expect(stage.states()).toEqual(['waiting'])
  })

  it('gives a prompt up that every look contradicts firmly and for long', async () => {
    const stage = watchStage({ ...raw, says: 'waiting', question: 'Approve?', lines: ['Approve?', '  ⠋ 1s'] })
    await stage.pass(100)
    stage.scene.says = 'working'
    for (let turn = 0; turn < 5; turn += 1) {
      stage.watch.printed(8, 100)
      await stage.pass(1000)
    }
    expect(stage.states()).toEqual(['waiting', 'working'])
  })

  it('takes a prompt for answered as soon as a line was entered', async () => {
    const stage = watchStage(cooked)
    stage.print('Name: ')
    stage.reads()
    await stage.pass(100)
    stage.type('bob\r')
    expect(stage.watch.state).toMatchObject({ state: 'working', prompt: null })
  })

  it('does not take a prompt that was answered for one, as long as the program has not run', async () => {
    const stage = watchStage(cooked)
    stage.print('Name: ')
    stage.reads()
    await stage.pass(100)
    stage.type('bob\r')
    stage.print('bob\n')
    await stage.pass(5000)
    expect(stage.states()).toEqual(['waiting', 'working'])
  })

  it('does not take a prompt that was answered without echo for one, on the far side of ssh', async () => {
    const stage = watchStage({ ...raw, says: 'waiting' }, true)
    stage.polls()
    stage.print('bob@far Password: ')
    await stage.pass(300)
    stage.type('hunter2\r')
    stage.polls()
    await stage.pass(5000)
    expect(stage.states()).toEqual(['waiting', 'working'])
    stage.print('\nSorry, try again.\nbob@far Password: ')
    await stage.pass(300)
    expect(stage.states()).toEqual(['waiting', 'working', 'waiting'])
    expect(new Set(stage.ids()).size).toBe(2)
  })

  it('waits at a prompt that comes right behind one that was answered in secret', async () => {
    const stage = watchStage({ ...raw, says: 'waiting' }, true)
    stage.print('Password: ')
    await stage.pass(300)
    stage.type('hunter2\r')
    stage.print('$ ')
    await stage.pass(300)
    expect(stage.watch.state).toMatchObject({ state: 'waiting', prompt: { text: 'Password: $' } })
  })

  it('is over when it is over', async () => {
    const stage = watchStage(cooked)
    stage.print('Name: ')
    stage.reads()
    await stage.pass(100)
    stage.watch.exited(0)
    stage.print('Name: ')
    stage.type('x\r')
    stage.watch.resized()
    stage.watch.exited(1)
    await stage.pass(3000)
    await stage.watch.now()
    expect(stage.states()).toEqual(['waiting', 'exited'])
    expect(stage.watch.state).toMatchObject({ state: 'exited', prompt: null, verdict: { state: 'exited' } })
  })

  it('says nothing and holds no timer once it is let go', async () => {
    const stage = watchStage(cooked)
    stage.print('Name: ')
    stage.reads()
    await stage.pass(50)
    stage.type('x')
    stage.type('\r')
    stage.watch[Symbol.dispose]()
    const heard = stage.order.length
    stage.print('more')
    await stage.pass(5000)
    expect(stage.order).toHaveLength(heard)
    expect(stage.clock.timers()).toEqual([])
  })

  it('looks afresh when it is asked', async () => {
    const stage = watchStage(cooked)
    stage.print('Name: ')
    stage.reads()
    expect(await stage.watch.now()).toMatchObject({ state: 'waiting', prompt: { text: 'Name:' } })
  })

  it('goes on without kernel, modes or an answer of theirs', async () => {
    const stage = watchStage({ says: 'waiting' })
    stage.print('login: ')
    await stage.pass(300)
    expect(stage.watch.state).toMatchObject({ state: 'waiting', fg: null, mode: null })
  })
})

describe('what a look costs', () => {
  it('is the kernel alone, four times a second, while a program floods the terminal', async () => {
    const stage = watchStage(cooked)
    stage.works()
    await stage.pass(5)
    const before = { ...stage.cost }
    for (let turn = 0; turn < 400; turn += 1) {
      stage.print('a line of text\n')
      await stage.pass(5)
    }
    expect(stage.cost.probes - before.probes).toBeLessThanOrEqual(8)
    expect(stage.cost.screens - before.screens).toBe(0)
    expect(stage.cost.modes - before.modes).toBe(0)
  })

  it('is the kernel alone, once a second, while a program waits and has not run', async () => {
    const stage = watchStage(cooked)
    stage.print('Name: ')
    stage.reads()
    await stage.pass(2500)
    const before = { ...stage.cost }
    await stage.pass(10_000)
    expect(stage.cost.probes - before.probes).toBeLessThanOrEqual(11)
    expect(stage.cost.screens).toBe(before.screens)
    expect(stage.cost.modes).toBe(before.modes)
  })
})

describe('the id of a prompt', () => {
  it('stays while somebody types, whatever the screen makes of it', async () => {
    const stage = watchStage(cooked)
    stage.print('Name: ')
    stage.reads()
    await stage.pass(100)
    for (const character of 'bob') {
      stage.type(character)
      stage.print(character)
      await stage.pass(50)
    }
    expect(new Set(stage.ids()).size).toBe(1)
    expect(stage.watch.state.prompt?.text).toBe('Name:')
  })

  it('stays while somebody types in a line editor', async () => {
    const stage = watchStage({ ...raw, says: 'waiting' })
    stage.print('> ')
    await stage.pass(100)
    for (const character of 'bob') {
      stage.polls()
      stage.type(character)
      stage.print(character)
      await stage.pass(50)
    }
    expect(stage.states()).toEqual(['waiting'])
  })

  it('is new where the text has changed', async () => {
    const stage = watchStage({ ...raw, says: 'waiting' })
    stage.print('Pass')
    await stage.pass(100)
    stage.print('phrase for key: ')
    await stage.pass(100)
    expect(new Set(stage.ids()).size).toBe(2)
  })

  it('is new where a line was entered and the program asks the same again', async () => {
    const stage = watchStage(cooked)
    stage.print('Name: ')
    stage.reads()
    await stage.pass(100)
    stage.type('\r')
    stage.reads()
    stage.print('\nName: ')
    await stage.pass(100)
    expect(stage.states()).toEqual(['waiting', 'working', 'waiting'])
    expect(new Set(stage.ids()).size).toBe(2)
  })

  it('is new where a program that prints nothing reads once more', async () => {
    const stage = watchStage(cooked)
    stage.reads()
    await stage.pass(100)
    stage.type('one\r')
    stage.print('one\n')
    stage.reads()
    await stage.pass(100)
    expect(stage.states()).toEqual(['waiting', 'working', 'waiting'])
  })

  it('is new where the program worked in between', async () => {
    const stage = watchStage(cooked)
    stage.print('Next? ')
    stage.reads()
    await stage.pass(100)
    stage.works()
    await stage.pass(2100)
    stage.reads()
    await stage.pass(1100)
    expect(stage.states()).toEqual(['waiting', 'working', 'waiting'])
    expect(new Set(stage.ids()).size).toBe(2)
  })

  it('is new after ^C, where the shell shows its prompt again', async () => {
    const stage = watchStage({ ...raw, says: 'waiting' })
    stage.print('$ ')
    await stage.pass(100)
    stage.type('half a line')
    stage.print('half a line')
    await stage.pass(50)
    stage.type('\u0003')
    stage.print('^C\n$ ')
    await stage.pass(100)
    expect(new Set(stage.ids()).size).toBe(2)
    expect(stage.entered).toEqual([])
  })

  it('stays where the selection of a menu moves, and the choices are told', async () => {
    const choice = (label: string, selected: boolean) => ({ key: '', label, selected, isDefault: false })
    const stage = watchStage({ ...raw, says: 'waiting', question: 'Which?', lines: ['Which?', '> npm', '  yarn'] })
    stage.scene.choices = [choice('npm', true), choice('yarn', false)]
    await stage.pass(100)
    stage.type('\u001B[B')
    stage.scene.choices = [choice('npm', false), choice('yarn', true)]
    stage.scene.lines = ['Which?', '  npm', '> yarn']
    stage.watch.printed(20, 60)
    await stage.pass(100)
    expect(stage.reports).toHaveLength(2)
    expect(new Set(stage.ids()).size).toBe(1)
    expect(stage.watch.state.prompt?.choices[1]?.selected).toBe(true)
  })

  it('stays where lines are printed above a prompt that stands', async () => {
    const stage = watchStage({ ...raw, says: 'waiting', question: '> ask me', lines: ['log 1', '> ask me'] })
    await stage.pass(100)
    for (let turn = 2; turn < 6; turn += 1) {
      stage.scene.lines.splice(-1, 0, `log ${turn}`)
      stage.watch.printed(30, turn * 30)
      await stage.pass(100)
    }
    expect(stage.states()).toEqual(['waiting'])
  })
})
