import { describe, expect, it } from 'vitest'
import { watchStage, type Stage } from '../../../../../test/support/watch-stage.ts'

const cooked = { mode: { echo: true, canonical: true } }
const raw = { mode: { echo: false, canonical: false } }

async function ask(stage: Stage, text: string): Promise<void> {
  stage.print(text)
  stage.reads()
  await stage.pass(100)
}

/** Keys one after the other, each with its echo. */
async function typeSlowly(stage: Stage, text: string, echo: (character: string) => string = (c) => c) {
  for (const character of text) {
    stage.type(character)
    if (echo(character) !== '') stage.print(echo(character))
    await stage.pass(40)
  }
}

describe('an answer given at the keyboard', () => {
  it('is told with the prompt, who typed it, and how long it took', async () => {
    const stage = watchStage(cooked)
    await ask(stage, 'Name: ')
    await typeSlowly(stage, 'bob')
    stage.type('\r')
    expect(stage.entered).toMatchObject([
      { prompt: { text: 'Name:' }, text: 'bob', secret: false, by: 'anna', responseTimeMs: 220 },
    ])
  })

  it('written in one go is told once its echo is seen', async () => {
    const stage = watchStage(cooked)
    await ask(stage, 'Name: ')
    stage.type('bob\r', 'rule')
    expect(stage.entered).toEqual([])
    stage.print('bob\nHello bob\n')
    await stage.pass(50)
    expect(stage.entered).toMatchObject([{ text: 'bob', by: 'rule' }])
  })

  it('is what was finally entered', async () => {
    const stage = watchStage(cooked)
    await ask(stage, 'Name: ')
    stage.type('bobb\u007F\u0015alice\r')
    stage.print('\rName: alice\n')
    await stage.pass(50)
    expect(stage.entered).toMatchObject([{ text: 'alice' }])
  })

  it('in a line editor is what stands on the screen', async () => {
    const stage = watchStage({ ...raw, says: 'waiting' })
    stage.print('$ ')
    await stage.pass(100)
    stage.type('\u001B[A')
    stage.print('git status')
    await stage.pass(100)
    stage.type('\r')
    stage.print('\nclean\n$ ')
    await stage.pass(100)
    expect(stage.entered).toMatchObject([{ text: 'git status', secret: false }])
  })

  it('of one key, where keys are read one by one, is that key', async () => {
    const choices = ['y', 'n'].map((key) => ({ key, label: key, selected: false, isDefault: false }))
    const stage = watchStage({ ...raw, says: 'waiting', choices })
    stage.print('Overwrite a? (y/n) ')
    await stage.pass(100)
    stage.type('y')
    stage.print('\nOverwrite b? (y/n) ')
    await stage.pass(100)
    expect(stage.entered).toMatchObject([{ prompt: { text: 'Overwrite a? (y/n)' }, text: 'y', secret: false }])
    stage.type('n')
    stage.print('\nOverwrite b? (y/n) ')
    await stage.pass(100)
    expect(stage.entered.map(({ text }) => text)).toEqual(['y', 'n'])
    expect(new Set(stage.ids()).size).toBe(3)
  })

  it('is nothing after ^C, and nothing at the end of input', async () => {
    const stage = watchStage(cooked)
    await ask(stage, 'Name: ')
    stage.type('bob\u0003')
    await stage.pass(50)
    stage.reads()
    stage.print('\nName: ')
    await stage.pass(100)
    stage.type('\u0004')
    await stage.pass(2000)
    expect(stage.entered).toEqual([])
  })

  it('needs a prompt: what is typed ahead is not told', async () => {
    const stage = watchStage(cooked)
    stage.works()
    await stage.pass(100)
    stage.type('typed ahead\r')
    await stage.pass(2000)
    expect(stage.entered).toEqual([])
  })

  it('begun before the prompt came is told whole', async () => {
    const stage = watchStage(cooked)
    stage.works()
    await stage.pass(100)
    stage.type('bo')
    await stage.pass(50)
    await ask(stage, 'Name: ')
    stage.type('b\r')
    stage.print('bob\n')
    await stage.pass(50)
    expect(stage.entered).toMatchObject([{ text: 'bob' }])
  })

  it('does not count what a terminal says by itself', async () => {
    const stage = watchStage(cooked)
    await ask(stage, 'Name: ')
    stage.type('\u001B[12;40R\u001B[I')
    stage.type('bob\r')
    stage.print('bob\n')
    await stage.pass(50)
    expect(stage.entered).toMatchObject([{ text: 'bob' }])
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

  it('are no Enter where the driver hands them to the program as they are', async () => {
    const choices = fruits.map((choice) => ({ ...choice, selected: false }))
    const stage = watchStage({ ...cooked, choices })
    await ask(stage, '1) apple\n2) banana\n3) cherry\n#? ')
    stage.type(`${down}${down}\r`)
    await ask(stage, '^[[B^[[B\n#? ')
    await stage.pass(2000)
    expect(stage.entered).toEqual([])
    stage.type('2\r')
    stage.print('2\nyou took banana\n')
    await stage.pass(2000)
    expect(stage.entered).toMatchObject([{ text: '2' }])
  })

  const menu = async (keys: string) => {
    const stage = watchStage({ ...raw, says: 'waiting', choices: fruits })
    stage.print('? Which one:\n❯ apple\n  banana\n  cherry\n')
    await stage.pass(100)
    stage.type(`${keys}\r`)
    stage.print('\ndone\n')
    stage.scene.says = 'working'
    await stage.pass(2000)
    return stage.entered.map(({ text }) => text)
  }

  it.each([
    ['Enter alone', '', ['apple']],
    ['two times down', down + down, ['cherry']],
    ['further than the last one: some menus begin again', down.repeat(4), []],
    ['keys that may move as well', right, []],
    ['marks of several', ` ${down} `, []],
  ])('in a menu are the label they chose, or nothing: %s', async (_what, keys, told) => {
    expect(await menu(keys)).toEqual(told)
  })

  it('are nothing where the screen does not say what they made', async () => {
    const stage = watchStage({ ...raw, says: 'waiting' })
    stage.print('? Which one: ')
    await stage.pass(100)
    stage.type(`${down}${down}\r`)
    stage.print('\ndone\n')
    stage.scene.says = 'working'
    await stage.pass(2000)
    expect(stage.entered).toEqual([])
  })
})

describe('a secret', () => {
  const told = (stage: Stage) => JSON.stringify([stage.reports, stage.entered, stage.outcomes])

  it('typed while the driver shows no line is told as a fact alone', async () => {
    const stage = watchStage({ mode: { echo: false, canonical: true } })
    await ask(stage, 'Enter it: ')
    await typeSlowly(stage, 'hunter2', () => '')
    stage.type('\r')
    stage.print('\n')
    stage.mode(true, true)
    await stage.pass(6000)
    expect(stage.entered).toMatchObject([{ text: null, secret: true }])
    expect(told(stage)).not.toContain('hunter2')
  })

  it('is one though the terminal shows lines again before Enter', async () => {
    const stage = watchStage({ mode: { echo: false, canonical: true } })
    await ask(stage, 'Enter it: ')
    stage.type('hunt')
    await stage.pass(10)
    stage.mode(true, true)
    await stage.pass(2000)
    stage.type('er2\r')
    stage.print('er2\n')
    await stage.pass(2000)
    expect(stage.entered).toMatchObject([{ text: null, secret: true }])
  })

  it('is one though echo went off only after the prompt was seen', async () => {
    const stage = watchStage(cooked)
    await ask(stage, 'Enter it: ')
    stage.mode(false, true)
    await typeSlowly(stage, 'hunter2', () => '')
    stage.mode(true, true)
    stage.type('\r')
    stage.print('\n')
    await stage.pass(2000)
    expect(stage.entered).toMatchObject([{ text: null, secret: true }])
  })

  it('in raw mode is what does not appear', async () => {
    const stage = watchStage({ ...raw, says: 'waiting' })
    stage.print('? Key: ')
    await stage.pass(100)
    await typeSlowly(stage, 'hunter2', () => '')
    stage.type('\r')
    stage.print('\nok\n')
    stage.scene.says = 'working'
    await stage.pass(2000)
    expect(stage.entered).toMatchObject([{ text: null, secret: true }])
    expect(told(stage)).not.toContain('hunter2')
  })

  it('in raw mode is what appears as bullets', async () => {
    const stage = watchStage({ ...raw, says: 'waiting' })
    stage.print('? Key: ')
    await stage.pass(100)
    await typeSlowly(stage, 'hunter2', () => '•')
    stage.type('\r')
    stage.print('\n')
    await stage.pass(2000)
    expect(stage.entered).toMatchObject([{ text: null, secret: true }])
  })

  it('is what a prompt asks for by name, even where it is shown', async () => {
    const stage = watchStage(cooked)
    await ask(stage, 'Password: ')
    await typeSlowly(stage, 'hunter2')
    stage.type('\r')
    await stage.pass(2000)
    expect(stage.entered).toMatchObject([{ text: null, secret: true }])
    expect(JSON.stringify([stage.entered, stage.outcomes])).not.toContain('hunter2')
  })

  it('is not what a shell with a line editor shows, though echo is off', async () => {
    const stage = watchStage({ ...raw, says: 'waiting' })
    stage.print('$ ')
    await stage.pass(100)
    await typeSlowly(stage, 'make test')
    stage.type('\r')
    expect(stage.entered).toMatchObject([{ text: 'make test', secret: false }])
  })

  it('typed ahead of the prompt that asks for it is dropped', async () => {
    const stage = watchStage(cooked)
    stage.works()
    await stage.pass(50)
    stage.type('hunt')
    await stage.pass(50)
    stage.mode(false, true)
    await ask(stage, 'Enter it: ')
    stage.type('er2\r')
    await stage.pass(2000)
    expect(stage.entered).toMatchObject([{ text: null, secret: true }])
  })

  it('entered but never judged is not told when the watch ends', async () => {
    const stage = watchStage({ ...raw, says: 'waiting' })
    stage.print('? Key: ')
    await stage.pass(100)
    stage.type('hunter2\r')
    stage.watch[Symbol.dispose]()
    await stage.pass(2000)
    expect(stage.entered).toEqual([])
  })
})

describe('what came of an answer', () => {
  const answer = async (stage: Stage, text = 'x') => {
    await ask(stage, 'Name: ')
    stage.type(`${text}\r`)
    stage.print(`${text}\n`)
    stage.works()
  }

  it('is bad where the same is asked again', async () => {
    const stage = watchStage(cooked)
    await answer(stage)
    await ask(stage, 'Name: ')
    expect(stage.outcomes).toEqual([{ promptId: stage.ids()[0], success: false }])
  })

  it('is bad where error words come right after', async () => {
    const stage = watchStage(cooked)
    await answer(stage)
    stage.print('Ungültige Eingabe\n')
    await ask(stage, 'Alter: ')
    expect(stage.outcomes).toMatchObject([{ success: false }])
  })

  it('is bad where the program ends badly right after, and unknown where it was ended', async () => {
    const bad = watchStage(cooked)
    await answer(bad)
    bad.watch.exited(2)
    expect(bad.outcomes).toMatchObject([{ success: false }])
    const killed = watchStage(cooked)
    await answer(killed)
    killed.watch.exited(null)
    expect(killed.outcomes).toMatchObject([{ success: null }])
    const good = watchStage(cooked)
    await answer(good)
    good.watch.exited(0)
    expect(good.outcomes).toMatchObject([{ success: true }])
  })

  it('is good where something else is asked, or the program goes on for 2 s', async () => {
    const next = watchStage(cooked)
    await answer(next)
    await ask(next, 'Age: ')
    expect(next.outcomes).toMatchObject([{ success: true }])
    const on = watchStage(cooked)
    await answer(on)
    await on.pass(1900)
    expect(on.outcomes).toEqual([])
    await on.pass(200)
    expect(on.outcomes).toMatchObject([{ success: true }])
  })

  it('is good at a shell that asks for the next command, unless it complains', async () => {
    const stage = watchStage({ ...raw, says: 'waiting' })
    const command = async (text: string, output: string) => {
      stage.type(`${text}\r`)
      stage.print(`${text}\n${output}$ `)
      await stage.pass(100)
    }
    stage.print('$ ')
    await stage.pass(100)
    await command('make', '0 errors\n')
    await command('mkae', 'mkae: command not found\n')
    await command('true', '')
    expect(stage.outcomes.map(({ success }) => success)).toEqual([true, false, true])
  })

  it('is good where a program that asks nothing reads the next line', async () => {
    const stage = watchStage(cooked)
    stage.scene.question = '[cat]'
    stage.reads()
    await stage.pass(100)
    stage.type('one\r')
    stage.print('one\n')
    stage.reads()
    await stage.pass(100)
    expect(stage.outcomes).toMatchObject([{ success: true }])
  })

  it('is unknown where the program never stirs', async () => {
    const stage = watchStage({ ...raw, says: 'waiting' }, true)
    stage.print('? Name: ')
    await stage.pass(100)
    stage.type('bob\r')
    await stage.pass(31_000)
    expect(stage.outcomes).toMatchObject([{ success: null }])
  })

  it('is told after the answer', async () => {
    const stage = watchStage(cooked)
    await answer(stage)
    await ask(stage, 'Name: ')
    expect(stage.order).toEqual(['report waiting', 'report working', 'entered', 'outcome', 'report waiting'])
  })
})
