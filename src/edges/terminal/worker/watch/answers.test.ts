import { describe, expect, it } from 'vitest'
import { openWatchHarness, type WatchHarness } from '../../../../../test/support/watch-harness.ts'

const cooked = { mode: { echo: true, canonical: true } }
const raw = { mode: { echo: false, canonical: false } }

async function ask(harness: WatchHarness, text: string): Promise<void> {
  harness.print(text)
  harness.reads()
  await harness.pass(100)
}

/** Keys one by one, each with its echo. */
async function typeSlowly(harness: WatchHarness, text: string, echo: (character: string) => string = (c) => c) {
  for (const character of text) {
    harness.type(character)
    if (echo(character) !== '') harness.print(echo(character))
    await harness.pass(40)
  }
}

describe('an answer given at the keyboard', () => {
  it('is reported with the prompt, who typed it, and how long it took', async () => {
    const harness = openWatchHarness(cooked)
    await ask(harness, 'Name: ')
    await typeSlowly(harness, 'bob')
    harness.type('\r')
    expect(harness.entered).toMatchObject([
      { prompt: { text: 'Name:' }, text: 'bob', secret: false, by: 'anna', responseTimeMs: 220 },
    ])
  })

  it('written in one go is reported once its echo is seen', async () => {
    const harness = openWatchHarness(cooked)
    await ask(harness, 'Name: ')
    harness.type('bob\r', 'rule')
    expect(harness.entered).toEqual([])
    harness.print('bob\nHello bob\n')
    await harness.pass(50)
    expect(harness.entered).toMatchObject([{ text: 'bob', by: 'rule' }])
  })

  it('is what was finally entered', async () => {
    const harness = openWatchHarness(cooked)
    await ask(harness, 'Name: ')
    harness.type('bobb\u007F\u0015alice\r')
    harness.print('\rName: alice\n')
    await harness.pass(50)
    expect(harness.entered).toMatchObject([{ text: 'alice' }])
  })

  it('in a line editor is what is on the screen', async () => {
    const harness = openWatchHarness({ ...raw, says: 'waiting' })
    harness.print('$ ')
    await harness.pass(100)
    harness.type('\u001B[A')
    harness.print('git status')
    await harness.pass(100)
    harness.type('\r')
    harness.print('\nclean\n$ ')
    await harness.pass(100)
    expect(harness.entered).toMatchObject([{ text: 'git status', secret: false }])
  })

  it('of one key, if keys are read one by one, is that key', async () => {
    const choices = ['y', 'n'].map((key) => ({ key, label: key, selected: false, isDefault: false }))
    const harness = openWatchHarness({ ...raw, says: 'waiting', choices })
    harness.print('Overwrite a? (y/n) ')
    await harness.pass(100)
    harness.type('y')
    harness.print('\nOverwrite b? (y/n) ')
    await harness.pass(100)
    expect(harness.entered).toMatchObject([{ prompt: { text: 'Overwrite a? (y/n)' }, text: 'y', secret: false }])
    harness.type('n')
    harness.print('\nOverwrite b? (y/n) ')
    await harness.pass(100)
    expect(harness.entered.map(({ text }) => text)).toEqual(['y', 'n'])
    expect(new Set(harness.ids()).size).toBe(3)
  })

  it('is nothing after ^C, and nothing at the end of input', async () => {
    const harness = openWatchHarness(cooked)
    await ask(harness, 'Name: ')
    harness.type('bob\u0003')
    await harness.pass(50)
    harness.reads()
    harness.print('\nName: ')
    await harness.pass(100)
    harness.type('\u0004')
    await harness.pass(2000)
    expect(harness.entered).toEqual([])
  })

  it('needs a prompt: what is typed ahead is not reported', async () => {
    const harness = openWatchHarness(cooked)
    harness.works()
    await harness.pass(100)
    harness.type('typed ahead\r')
    await harness.pass(2000)
    expect(harness.entered).toEqual([])
  })

  it('begun before the prompt came is reported whole', async () => {
    const harness = openWatchHarness(cooked)
    harness.works()
    await harness.pass(100)
    harness.type('bo')
    await harness.pass(50)
    await ask(harness, 'Name: ')
    harness.type('b\r')
    harness.print('bob\n')
    await harness.pass(50)
    expect(harness.entered).toMatchObject([{ text: 'bob' }])
  })

  it('does not include the terminal’s own replies', async () => {
    const harness = openWatchHarness(cooked)
    await ask(harness, 'Name: ')
    harness.type('\u001B[12;40R\u001B[I')
    harness.type('bob\r')
    harness.print('bob\n')
    await harness.pass(50)
    expect(harness.entered).toMatchObject([{ text: 'bob' }])
  })
})

describe('keys that write nothing', () => {
  const fruits = ['apple', 'banana', 'cherry'].map((label, at) => ({
    key: String(at + 1),
    label,
    selected: at === 0,
    isDefault: false,
  }))
  const down = '\u001B[B'
  const right = '\u001B[C'

  it('are not Enter if the driver passes them to the program unchanged', async () => {
    const choices = fruits.map((choice) => ({ ...choice, selected: false }))
    const harness = openWatchHarness({ ...cooked, choices })
    await ask(harness, '1) apple\n2) banana\n3) cherry\n#? ')
    harness.type(`${down}${down}\r`)
    await ask(harness, '^[[B^[[B\n#? ')
    await harness.pass(2000)
    expect(harness.entered).toEqual([])
    harness.type('2\r')
    harness.print('2\nyou took banana\n')
    await harness.pass(2000)
    expect(harness.entered).toMatchObject([{ text: '2' }])
  })

  const menu = async (keys: string) => {
    const harness = openWatchHarness({ ...raw, says: 'waiting', choices: fruits })
    harness.print('? Which one:\n❯ apple\n  banana\n  cherry\n')
    await harness.pass(100)
    harness.type(`${keys}\r`)
    harness.print('\ndone\n')
    harness.scene.says = 'working'
    await harness.pass(2000)
    return harness.entered.map(({ text }) => text)
  }

  it.each([
    ['Enter alone', '', ['apple']],
    ['two times down', down + down, ['cherry']],
    ['past the last one: some menus wrap around', down.repeat(4), []],
    ['keys that may move as well', right, []],
    ['several marks', ` ${down} `, []],
  ])('in a menu are the label they chose, or nothing: %s', async (_what, keys, told) => {
    expect(await menu(keys)).toEqual(told)
  })

  it('are nothing if the screen does not show their effect', async () => {
    const harness = openWatchHarness({ ...raw, says: 'waiting' })
    harness.print('? Which one: ')
    await harness.pass(100)
    harness.type(`${down}${down}\r`)
    harness.print('\ndone\n')
    harness.scene.says = 'working'
    await harness.pass(2000)
    expect(harness.entered).toEqual([])
  })
})

describe('a secret', () => {
  const told = (harness: WatchHarness) => JSON.stringify([harness.reports, harness.entered, harness.outcomes])

  it('typed while the terminal driver shows no line is reported without its text', async () => {
    const harness = openWatchHarness({ mode: { echo: false, canonical: true } })
    await ask(harness, 'Enter it: ')
    await typeSlowly(harness, 'hunter2', () => '')
    harness.type('\r')
    harness.print('\n')
    harness.mode(true, true)
    await harness.pass(6000)
    expect(harness.entered).toMatchObject([{ text: null, secret: true }])
    expect(told(harness)).not.toContain('hunter2')
  })

  it('is one even if the terminal shows lines again before Enter', async () => {
    const harness = openWatchHarness({ mode: { echo: false, canonical: true } })
    await ask(harness, 'Enter it: ')
    harness.type('hunt')
    await harness.pass(10)
    harness.mode(true, true)
    await harness.pass(2000)
    harness.type('er2\r')
    harness.print('er2\n')
    await harness.pass(2000)
    expect(harness.entered).toMatchObject([{ text: null, secret: true }])
  })

  it('is one even if echo went off only after the prompt was seen', async () => {
    const harness = openWatchHarness(cooked)
    await ask(harness, 'Enter it: ')
    harness.mode(false, true)
    await typeSlowly(harness, 'hunter2', () => '')
    harness.mode(true, true)
    harness.type('\r')
    harness.print('\n')
    await harness.pass(2000)
    expect(harness.entered).toMatchObject([{ text: null, secret: true }])
  })

  it('in raw mode is what does not appear', async () => {
    const harness = openWatchHarness({ ...raw, says: 'waiting' })
    harness.print('? Key: ')
    await harness.pass(100)
    await typeSlowly(harness, 'hunter2', () => '')
    harness.type('\r')
    harness.print('\nok\n')
    harness.scene.says = 'working'
    await harness.pass(2000)
    expect(harness.entered).toMatchObject([{ text: null, secret: true }])
    expect(told(harness)).not.toContain('hunter2')
  })

  it('in raw mode is what appears as bullets', async () => {
    const harness = openWatchHarness({ ...raw, says: 'waiting' })
    harness.print('? Key: ')
    await harness.pass(100)
    await typeSlowly(harness, 'hunter2', () => '•')
    harness.type('\r')
    harness.print('\n')
    await harness.pass(2000)
    expect(harness.entered).toMatchObject([{ text: null, secret: true }])
  })

  it('is what a prompt asks for by name, even if it is shown', async () => {
    const harness = openWatchHarness(cooked)
    await ask(harness, 'Password: ')
    await typeSlowly(harness, 'hunter2')
    harness.type('\r')
    await harness.pass(2000)
    expect(harness.entered).toMatchObject([{ text: null, secret: true }])
    expect(JSON.stringify([harness.entered, harness.outcomes])).not.toContain('hunter2')
  })

  it('is not what a shell with a line editor shows, although echo is off', async () => {
    const harness = openWatchHarness({ ...raw, says: 'waiting' })
    harness.print('$ ')
    await harness.pass(100)
    await typeSlowly(harness, 'make test')
    harness.type('\r')
    expect(harness.entered).toMatchObject([{ text: 'make test', secret: false }])
  })

  it('typed ahead of the prompt that asks for it is dropped', async () => {
    const harness = openWatchHarness(cooked)
    harness.works()
    await harness.pass(50)
    harness.type('hunt')
    await harness.pass(50)
    harness.mode(false, true)
    await ask(harness, 'Enter it: ')
    harness.type('er2\r')
    await harness.pass(2000)
    expect(harness.entered).toMatchObject([{ text: null, secret: true }])
  })

  it('entered but never judged is not reported when the watch ends', async () => {
    const harness = openWatchHarness({ ...raw, says: 'waiting' })
    harness.print('? Key: ')
    await harness.pass(100)
    harness.type('hunter2\r')
    harness.watch[Symbol.dispose]()
    await harness.pass(2000)
    expect(harness.entered).toEqual([])
  })
})

describe('the outcome of an answer', () => {
  const answer = async (harness: WatchHarness, text = 'x') => {
    await ask(harness, 'Name: ')
    harness.type(`${text}\r`)
    harness.print(`${text}\n`)
    harness.works()
  }

  it('is bad if the same is asked again', async () => {
    const harness = openWatchHarness(cooked)
    await answer(harness)
    await ask(harness, 'Name: ')
    expect(harness.outcomes).toEqual([{ promptId: harness.ids()[0], success: false }])
  })

  it('is bad if error words come right after', async () => {
    const harness = openWatchHarness(cooked)
    await answer(harness)
    harness.print('Ungültige Eingabe\n')
    await ask(harness, 'Alter: ')
    expect(harness.outcomes).toMatchObject([{ success: false }])
  })

  it('is bad if the program fails right after, and unknown if it was ended', async () => {
    const bad = openWatchHarness(cooked)
    await answer(bad)
    bad.watch.exited(2)
    expect(bad.outcomes).toMatchObject([{ success: false }])
    const killed = openWatchHarness(cooked)
    await answer(killed)
    killed.watch.exited(null)
    expect(killed.outcomes).toMatchObject([{ success: null }])
    const good = openWatchHarness(cooked)
    await answer(good)
    good.watch.exited(0)
    expect(good.outcomes).toMatchObject([{ success: true }])
  })

  it('is good if something else is asked, or the program continues for 2 s', async () => {
    const next = openWatchHarness(cooked)
    await answer(next)
    await ask(next, 'Age: ')
    expect(next.outcomes).toMatchObject([{ success: true }])
    const on = openWatchHarness(cooked)
    await answer(on)
    await on.pass(1900)
    expect(on.outcomes).toEqual([])
    await on.pass(200)
    expect(on.outcomes).toMatchObject([{ success: true }])
  })

  it('is good at a shell that asks for the next command, unless it complains', async () => {
    const harness = openWatchHarness({ ...raw, says: 'waiting' })
    const command = async (text: string, output: string) => {
      harness.type(`${text}\r`)
      harness.print(`${text}\n${output}$ `)
      await harness.pass(100)
    }
    harness.print('$ ')
    await harness.pass(100)
    await command('make', '0 errors\n')
    await command('mkae', 'mkae: command not found\n')
    await command('true', '')
    expect(harness.outcomes.map(({ success }) => success)).toEqual([true, false, true])
  })

  it('is good if a program without prompts reads the next line', async () => {
    const harness = openWatchHarness(cooked)
    harness.scene.question = '[cat]'
    harness.reads()
    await harness.pass(100)
    harness.type('one\r')
    harness.print('one\n')
    harness.reads()
    await harness.pass(100)
    expect(harness.outcomes).toMatchObject([{ success: true }])
  })

  it('is unknown if the program never reacts', async () => {
    const harness = openWatchHarness({ ...raw, says: 'waiting' }, true)
    harness.print('? Name: ')
    await harness.pass(100)
    harness.type('bob\r')
    await harness.pass(31_000)
    expect(harness.outcomes).toMatchObject([{ success: null }])
  })

  it('is reported after the answer', async () => {
    const harness = openWatchHarness(cooked)
    await answer(harness)
    await ask(harness, 'Name: ')
    expect(harness.order).toEqual(['report waiting', 'report working', 'entered', 'outcome', 'report waiting'])
  })
})
