import { existsSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { watchLive } from '../../../../../test/support/watch-live.ts'
import { until } from '../../../../../test/support/until.ts'

const sh = (script: string) => watchLive('/bin/bash', ['--norc', '-c', script])
const node = (script: string) => watchLive(process.execPath, ['-e', script])

describe.skipIf(!existsSync('/proc/self/syscall'))('a real program in a real terminal', () => {
  it('waits if it reads a line, and reports the answer and its outcome', async () => {
    using live = sh('read -p "Continue? [y/N] " a; read -p "Name: " b; echo "hello $b"; exit 0')
    await live.waits('Continue?')
    live.type('y\r')
    await live.waits('Name:')
    live.type('bo')
    live.type('x\u007Fb\r')
    await live.exits()
    expect(live.entered.map(({ text }) => text)).toEqual(['y', 'bob'])
    expect(live.outcomes.map(({ success }) => success)).toEqual([true, true])
    expect(live.reports.map(({ state }) => state)).toEqual(['waiting', 'working', 'waiting', 'working', 'exited'])
  })

  it('does not wait if it prints a prompt and keeps working', async () => {
    using live = sh('printf "Password: "; sleep 0.5; echo; printf "Continue? [y/N] "; sleep 0.5; echo done')
    await live.exits()
    expect(live.reports.map(({ state }) => state)).toEqual(['exited'])
  })

  it('asks for a secret if it shows nothing, and the secret is never reported', async () => {
    using live = sh('read -s -p "Say: " a; echo; read -p "And: " b; echo ok')
    expect(await live.waits('Say:')).toMatchObject({ secret: true })
    for (const key of 'hunter2\r') live.type(key)
    await live.waits('And:')
    live.type('canary\r')
    await live.exits()
    expect(live.entered.map(({ text, secret }) => [text, secret])).toEqual([
      [null, true],
      ['canary', false],
    ])
    expect(JSON.stringify([live.reports, live.entered])).not.toContain('hunter2')
  })

  it('has a new prompt each time the same is asked', async () => {
    using live = sh('while :; do read -p "Again: " a; [ "$a" = stop ] && exit 3; done')
    const ids = new Set<string>()
    for (const answer of ['one', 'two', 'three']) {
      const prompt = await until(() => {
        const open = live.watch.state.prompt
        return open && !ids.has(open.id) ? open : null
      })
      ids.add(prompt.id)
      live.type(`${answer}\r`)
    }
    await until(() => live.watch.state.prompt && !ids.has(live.watch.state.prompt.id))
    live.type('stop\r')
    await live.exits()
    expect(live.outcomes.map(({ success }) => success)).toEqual([false, false, false, false])
  })

  it('waits at a shell with a line editor, and reports the command from the screen', async () => {
    using live = watchLive('/bin/bash', ['--norc', '--noprofile', '-i'])
    await live.waits(/\$$/)
    live.type('echo one')
    await until(() => live.screen().includes('$ echo one'))
    live.type('\r')
    await until(() => live.entered.length === 1)
    await live.waits(/\$$/)
    live.type('\u001B[A')
    await until(() => live.screen().match(/echo one/g)?.length === 2)
    live.type('\r')
    await until(() => live.entered.length === 2)
    await live.waits(/\$$/)
    expect(live.entered.map(({ text, secret }) => [text, secret])).toEqual([
      ['echo one', false],
      ['echo one', false],
    ])
    expect(live.watch.state.prompt?.secret).toBe(false)
  })

  it('waits in a program that reads keys itself, hides them, and shows a spinner', async () => {
    using live = node(`
      process.stdin.setRawMode(true)
      process.stdout.write('Loading\\n? Access key: ')
      process.stdin.once('readable', () => 0)
      process.stdin.on('data', (d) => String(d).includes('\\r') && (process.stdout.write('\\nthanks\\n'), process.exit(0)))`)
    await live.waits('Access key')
    for (const key of 'hunter2') live.type(key)
    live.type('\r')
    await live.exits()
    expect(live.entered).toMatchObject([{ text: null, secret: true }])
  })

  it('waits at a menu that is redrawn all the time, under one id, and reports the chosen entry', async () => {
    using live = node(`
      const items = ['npm', 'pnpm', 'yarn']
      let at = 0, turn = 0
      process.stdin.setRawMode(true)
      const up = () => (turn > 0 ? '\\x1b[4A' : '') + '\\r\\x1b[J'
      const draw = () => process.stdout.write(up() + 'tasks: ' + turn++ + '\\n? Which manager? (use arrows)\\n' +
        items.map((item, index) => (index === at ? '❯ ' : '  ') + item).join('\\n') + '\\x1b[?25l')
      draw()
      const timer = setInterval(draw, 100)
      process.stdin.on('data', (data) => {
        if (String(data) === '\\x1b[B') { at += 1; draw() }
        if (String(data) === '\\r') { clearInterval(timer); process.stdout.write(up() + 'chosen\\n'); process.exit(0) }
      })`)
    const { id } = await live.waits('Which manager?')
    live.type('\u001B[B')
    await until(() => live.watch.state.prompt?.choices[1]?.selected)
    expect(live.watch.state.prompt?.id).toBe(id)
    live.type('\r')
    await live.exits()
    expect(live.entered).toMatchObject([{ text: 'pnpm', secret: false }])
    expect(live.reports.map(({ state }) => state)).toEqual(['waiting', 'waiting', 'working', 'exited'])
  })

  it('takes a single key as the answer if a program reads keys one by one', async () => {
    using live = sh('read -n 1 -p "Overwrite a? (y/n) " a; echo; read -n 1 -p "Overwrite b? (y/n) " b; echo')
    await live.waits('Overwrite a?')
    live.type('y')
    await live.waits('Overwrite b?')
    live.type('n')
    await live.exits()
    expect(live.entered.map(({ prompt, text }) => [prompt.text, text])).toEqual([
      ['Overwrite a? (y/n)', 'y'],
      ['Overwrite b? (y/n)', 'n'],
    ])
  })

  it('is seen waiting by the screen alone if kernel signals are missing', async () => {
    using live = watchLive('/bin/bash', ['--norc', '-c', 'read -p "Continue? [y/N] " a; echo "$a"'], { kernel: false })
    await live.waits('Continue?')
    live.type('y\r')
    await live.exits()
    expect(live.entered).toMatchObject([{ text: 'y', secret: false }])
  })

  it('reports every prompt of a program that asks one after another', async () => {
    using live = sh('for i in $(seq 30); do read -p "Question $i: " a; done')
    for (let turn = 1; turn <= 30; turn += 1) {
      await live.waits(`Question ${turn}:`)
      live.type('\r')
    }
    await live.exits()
    const prompts = new Set(live.reports.flatMap(({ prompt }) => prompt?.text ?? []))
    expect(prompts.size).toBe(30)
  })
})
