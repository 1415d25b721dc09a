import { describe, expect, it } from 'vitest'
import { openWatchHarness } from '../../../../../test/support/watch-harness.ts'

const raw = { mode: { echo: false, canonical: false } }
const cooked = { mode: { echo: true, canonical: true } }

describe('known traps: screens', () => {
  it('a spinner that redraws each second never goes quiet for long: the clock triggers looks too', async () => {
    const harness = openWatchHarness({ ...raw, says: 'working', lines: ['⠋ Thinking'] })
    for (let turn = 0; turn < 200; turn += 1) {
      harness.watch.printed(10, turn * 10)
      await harness.pass(10)
    }
    const before = harness.cost.screens
    harness.scene.says = 'waiting'
    for (let turn = 0; turn < 30; turn += 1) {
      harness.watch.printed(10, turn * 10)
      await harness.pass(10)
    }
    expect(harness.cost.screens).toBeGreaterThan(before)
    expect(harness.watch.state.state).toBe('waiting')
  })

  it('a known state stays unless input was sent or the program shows that it continued', async () => {
    const harness = openWatchHarness({ ...raw, says: 'waiting' })
    harness.print('? Ready ')
    await harness.pass(100)
    harness.scene.says = 'working'
    await harness.pass(10_000)
    expect(harness.states()).toEqual(['waiting'])
  })

  it('unknown never overwrites a known state', async () => {
    const harness = openWatchHarness({ ...raw, says: 'working' })
    harness.print('building')
    await harness.pass(100)
    harness.scene.says = 'unknown'
    await harness.pass(5000)
    expect(harness.reports).toEqual([])
    harness.scene.says = 'waiting'
    await harness.pass(1100)
    harness.scene.says = 'unknown'
    harness.print('.')
    await harness.pass(5000)
    expect(harness.states()).toEqual(['waiting'])
  })

  it('text that quotes a prompt further up does not keep it open', async () => {
    const harness = openWatchHarness({ ...raw, says: 'waiting' })
    harness.print('Do you want to proceed? ')
    await harness.pass(100)
    harness.scene.says = 'working'
    harness.print('\nThe tool asked "Do you want to proceed?" and was told yes.\ncompiling\n')
    await harness.pass(100)
    expect(harness.states()).toEqual(['waiting', 'working'])
  })

  it('a footer below a menu, and its clock, do not hide the prompt', async () => {
    const menu = (footer: string) => ['Run rm -rf build?', '> 1. Yes', '  2. No', footer]
    const harness = openWatchHarness({
      ...raw,
      says: 'waiting',
      question: 'Run rm -rf build?',
      lines: menu('esc to cancel · 1s'),
    })
    harness.scene.cursorRow = 3
    await harness.pass(100)
    harness.scene.says = 'unknown'
    for (let turn = 2; turn < 6; turn += 1) {
      harness.scene.lines = menu(`esc to cancel · ${turn}s`)
      harness.watch.printed(12, turn * 12)
      await harness.pass(1000)
    }
    harness.scene.says = 'working'
    harness.scene.confidence = 0.6
    harness.watch.printed(12, 100)
    await harness.pass(200)
    expect(harness.states()).toEqual(['waiting'])
  })

  it.each([
    ['a pointer', ['❯ npm', '  pnpm'], ['  npm', '❯ pnpm']],
    ['boxes and a pointer', ['> [ ] npm', '  [ ] pnpm'], ['  [x] npm', '> [ ] pnpm']],
  ])(
    'a menu with %s that moves is the same menu, although the program works for a moment',
    async (_, before, after) => {
      const menu = (entries: string[]) => ['? Which manager?', ...entries]
      const harness = openWatchHarness({ ...raw, says: 'waiting', lines: menu(before), question: '? Which manager?' })
      harness.watch.printed(40, 40)
      await harness.pass(100)
      const id = harness.watch.state.prompt?.id
      harness.type('\u001B[B')
      harness.scene.lines = menu(after)
      harness.scene.says = 'working'
      harness.watch.printed(40, 80)
      await harness.pass(100)
      harness.scene.says = 'waiting'
      await harness.pass(100)
      expect(id).toBeDefined()
      expect(harness.watch.state.prompt?.id).toBe(id)
      expect(harness.states()).toEqual(['waiting'])
    },
  )

  it('a prompt is not held back until it was idle for seconds', async () => {
    const harness = openWatchHarness({ ...raw, says: 'working' })
    harness.print('thinking\n')
    await harness.pass(30)
    harness.scene.says = 'waiting'
    harness.print('Allow this command? ')
    await harness.pass(25)
    expect(harness.watch.state.state).toBe('waiting')
  })

  it('a busy mark on a screen that has long been silent stays working, and is still checked', async () => {
    const harness = openWatchHarness({ ...raw, says: 'working', lines: ['esc to interrupt'] })
    harness.watch.printed(10, 10)
    await harness.pass(60_000)
    const before = harness.cost.probes
    await harness.pass(5000)
    expect(harness.reports).toEqual([])
    expect(harness.cost.probes - before).toBeGreaterThanOrEqual(4)
  })
})

describe('known traps: answers', () => {
  it('a prompt that was replaced by a chat box is another prompt: an answer to the first finds another id', async () => {
    const harness = openWatchHarness({ ...raw, says: 'waiting', question: '1. Yes 2. No', lines: ['1. Yes 2. No'] })
    harness.watch.printed(12, 12)
    await harness.pass(100)
    const meant = harness.watch.state.prompt?.id
    harness.scene.question = 'Type a message'
    harness.scene.lines = ['Type a message']
    harness.watch.printed(14, 26)
    const now = await harness.watch.now()
    expect(now.state).toBe('waiting')
    expect(now.prompt?.id).not.toBe(meant)
  })

  it('a digit that answers at once, and the Enter after it, answer two prompts', async () => {
    const choices = ['1', '2'].map((key) => ({ key, label: key, selected: false, isDefault: false }))
    const harness = openWatchHarness({ ...raw, says: 'waiting', choices, question: 'First?', lines: ['First?'] })
    harness.watch.printed(6, 6)
    await harness.pass(100)
    harness.type('1')
    harness.scene.question = 'Second?'
    harness.scene.lines = ['Second?']
    harness.watch.printed(7, 13)
    await harness.pass(100)
    harness.type('\r')
    harness.scene.lines = ['done']
    harness.scene.says = 'working'
    harness.watch.printed(4, 17)
    await harness.pass(1500)
    expect(harness.entered.map(({ prompt, text }) => [prompt.text, text])).toEqual([
      ['First?', '1'],
      ['Second?', ''],
    ])
  })

  it('a different screen in place of the prompt (a self-update, say) is noticed before Enter', async () => {
    const harness = openWatchHarness({ ...raw, says: 'waiting', question: 'Send?', lines: ['Send?'] })
    harness.watch.printed(5, 5)
    await harness.pass(100)
    const before = harness.watch.state.prompt?.id
    harness.scene.question = 'Update available: install now?'
    harness.scene.lines = ['Update available: install now?']
    harness.watch.printed(30, 35)
    expect((await harness.watch.now()).prompt?.id).not.toBe(before)
  })

  it('a terminal that ended accepts no answer, and no later program opens a prompt in its name', async () => {
    const harness = openWatchHarness(cooked)
    harness.print('Name: ')
    harness.reads()
    await harness.pass(100)
    harness.watch.exited(0)
    harness.print('Name: ')
    expect((await harness.watch.now()).prompt).toBeNull()
  })

  it('one Enter is one answer', async () => {
    const harness = openWatchHarness(cooked)
    harness.print('Name: ')
    harness.reads()
    await harness.pass(100)
    harness.type('bob\r\r\r')
    harness.print('bob\n\n\n')
    await harness.pass(2000)
    expect(harness.entered).toHaveLength(1)
  })
})
