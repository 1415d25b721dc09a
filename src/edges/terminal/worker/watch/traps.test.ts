import { describe, expect, it } from 'vitest'
import { watchStage } from '../../../../../test/support/watch-stage.ts'

const raw = { mode: { echo: false, canonical: false } }
const cooked = { mode: { echo: true, canonical: true } }

describe('traps that others fell into: screens', () => {
  it('a wheel that repaints each second never goes quiet for long: it is looked at by the clock too', async () => {
    const stage = watchStage({ ...raw, says: 'working', lines: ['⠋ Thinking'] })
    for (let turn = 0; turn < 200; turn += 1) {
      stage.watch.printed(10, turn * 10)
      await stage.pass(10)
    }
    const before = stage.cost.screens
    stage.scene.says = 'waiting'
    for (let turn = 0; turn < 30; turn += 1) {
      stage.watch.printed(10, turn * 10)
      await stage.pass(10)
    }
    expect(stage.cost.screens).toBeGreaterThan(before)
    expect(stage.watch.state.state).toBe('waiting')
  })

  it('a state once known may not fall back unless input was sent or the program shows that it went on', async () => {
    const stage = watchStage({ ...raw, says: 'waiting' })
    stage.print('? Ready ')
    await stage.pass(100)
    stage.scene.says = 'working'
    await stage.pass(10_000)
    expect(stage.states()).toEqual(['waiting'])
  })

  it('unknown never overwrites a known state, whichever it is', async () => {
    const stage = watchStage({ ...raw, says: 'working' })
    stage.print('building')
    await stage.pass(100)
    stage.scene.says = 'unknown'
    await stage.pass(5000)
    expect(stage.reports).toEqual([])
    stage.scene.says = 'waiting'
    await stage.pass(1100)
    stage.scene.says = 'unknown'
    stage.print('.')
    await stage.pass(5000)
    expect(stage.states()).toEqual(['waiting'])
  })

  it('text that quotes a prompt further up does not keep it open', async () => {
    const stage = watchStage({ ...raw, says: 'waiting' })
    stage.print('Do you want to proceed? ')
    await stage.pass(100)
    stage.scene.says = 'working'
    stage.print('\nThe tool asked "Do you want to proceed?" and was told yes.\ncompiling\n')
    await stage.pass(100)
    expect(stage.states()).toEqual(['waiting', 'working'])
  })

  it('a footer below a menu, and its clock, do not hide the question', async () => {
    const menu = (footer: string) => ['Run rm -rf build?', '> 1. Yes', '  2. No', footer]
    const stage = watchStage({
      ...raw,
      says: 'waiting',
      question: 'Run rm -rf build?',
      lines: menu('esc to cancel · 1s'),
    })
    stage.scene.cursorRow = 3
    await stage.pass(100)
    stage.scene.says = 'unknown'
    for (let turn = 2; turn < 6; turn += 1) {
      stage.scene.lines = menu(`esc to cancel · ${turn}s`)
      stage.watch.printed(12, turn * 12)
      await stage.pass(1000)
    }
    stage.scene.says = 'working'
    stage.scene.confidence = 0.6
    stage.watch.printed(12, 100)
    await stage.pass(200)
    expect(stage.states()).toEqual(['waiting'])
  })

  it.each([
    ['a pointer', ['❯ npm', '  pnpm'], ['  npm', '❯ pnpm']],
    ['boxes and a pointer', ['> [ ] npm', '  [ ] pnpm'], ['  [x] npm', '> [ ] pnpm']],
  ])(
    'a menu with %s that moves is the same menu, though the program is at work for a moment',
    async (_, before, after) => {
      const menu = (entries: string[]) => ['? Which manager?', ...entries]
      const stage = watchStage({ ...raw, says: 'waiting', lines: menu(before), question: '? Which manager?' })
      stage.watch.printed(40, 40)
      await stage.pass(100)
      const id = stage.watch.state.prompt?.id
      stage.type('\u001B[B')
      stage.scene.lines = menu(after)
      stage.scene.says = 'working'
      stage.watch.printed(40, 80)
      await stage.pass(100)
      stage.scene.says = 'waiting'
      await stage.pass(100)
      expect(id).toBeDefined()
      expect(stage.watch.state.prompt?.id).toBe(id)
      expect(stage.states()).toEqual(['waiting'])
    },
  )

  it('a question is not held back until it was idle for seconds', async () => {
    const stage = watchStage({ ...raw, says: 'working' })
    stage.print('thinking\n')
    await stage.pass(30)
    stage.scene.says = 'waiting'
    stage.print('Allow this command? ')
    await stage.pass(25)
    expect(stage.watch.state.state).toBe('waiting')
  })

  it('a busy mark on a screen that has long been silent stays working, and goes on being looked at', async () => {
    const stage = watchStage({ ...raw, says: 'working', lines: ['esc to interrupt'] })
    stage.watch.printed(10, 10)
    await stage.pass(60_000)
    const before = stage.cost.probes
    await stage.pass(5000)
    expect(stage.reports).toEqual([])
    expect(stage.cost.probes - before).toBeGreaterThanOrEqual(4)
  })
})

describe('traps that others fell into: answers', () => {
  it('a prompt that gave way to a chat box is another prompt: an answer meant for it finds another id', async () => {
    const stage = watchStage({ ...raw, says: 'waiting', question: '1. Yes 2. No', lines: ['1. Yes 2. No'] })
    stage.watch.printed(12, 12)
    await stage.pass(100)
    const meant = stage.watch.state.prompt?.id
    stage.scene.question = 'Type a message'
    stage.scene.lines = ['Type a message']
    stage.watch.printed(14, 26)
    const now = await stage.watch.now()
    expect(now.state).toBe('waiting')
    expect(now.prompt?.id).not.toBe(meant)
  })

  it('a digit that answers at once, and the Enter after it, are answers to two questions', async () => {
    const choices = ['1', '2'].map((key) => ({ key, label: key, selected: false, isDefault: false }))
    const stage = watchStage({ ...raw, says: 'waiting', choices, question: 'First?', lines: ['First?'] })
    stage.watch.printed(6, 6)
    await stage.pass(100)
    stage.type('1')
    stage.scene.question = 'Second?'
    stage.scene.lines = ['Second?']
    stage.watch.printed(7, 13)
    await stage.pass(100)
    stage.type('\r')
    stage.scene.lines = ['done']
    stage.scene.says = 'working'
    stage.watch.printed(4, 17)
    await stage.pass(1500)
    expect(stage.entered.map(({ prompt, text }) => [prompt.text, text])).toEqual([
      ['First?', '1'],
      ['Second?', ''],
    ])
  })

  it('a screen of another kind in the place of the prompt (an update of the program itself) is seen before Enter', async () => {
    const stage = watchStage({ ...raw, says: 'waiting', question: 'Send?', lines: ['Send?'] })
    stage.watch.printed(5, 5)
    await stage.pass(100)
    const before = stage.watch.state.prompt?.id
    stage.scene.question = 'Update available: install now?'
    stage.scene.lines = ['Update available: install now?']
    stage.watch.printed(30, 35)
    expect((await stage.watch.now()).prompt?.id).not.toBe(before)
  })

  it('a terminal that ended takes no answer, and no later program in its name opens a prompt', async () => {
    const stage = watchStage(cooked)
    stage.print('Name: ')
    stage.reads()
    await stage.pass(100)
    stage.watch.exited(0)
    stage.print('Name: ')
    expect((await stage.watch.now()).prompt).toBeNull()
  })

  it('one Enter is one answer', async () => {
    const stage = watchStage(cooked)
    stage.print('Name: ')
    stage.reads()
    await stage.pass(100)
    stage.type('bob\r\r\r')
    stage.print('bob\n\n\n')
    await stage.pass(2000)
    expect(stage.entered).toHaveLength(1)
  })
})
