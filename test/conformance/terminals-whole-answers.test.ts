import { execFileSync } from 'node:child_process'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { missingPrograms } from '../support/programs.ts'
import { openTerminalHarness, type TerminalHarness } from '../support/terminal-harness.ts'
import { until } from '../support/until.ts'

const has = (program: string): boolean => missingPrograms([program]).length === 0

/** Reads a line as prompt libraries do, key by key, and prints what it got. */
const readline = (question: string) =>
  `require('readline').createInterface(process.stdin, process.stdout).question(${JSON.stringify(question)}, (a) => { console.log('got <' + a + '>'); process.exit() })`

describe('an answer is typed whole or not at all', () => {
  let harness: TerminalHarness
  beforeAll(async () => {
    harness = await openTerminalHarness()
  })
  afterAll(() => harness?.[Symbol.asyncDispose]())

  const start = (command: readonly string[]) => harness.start({ sessionType: 'script', command })
  const got = (id: string, text: string) => harness.prints(id, new RegExp(`got <${text}>`))

  it.each(['Project name: (shop) ', 'package name: (np) ', 'Value [42]: ', '> '])(
    'T9 if a program edits the line itself, however its prompt looks with a letter after it: %s',
    async (question) => {
      const { sessionId: id } = await start([process.execPath, '-e', readline(question)])
      const { promptId } = await harness.waits(id, /./)
      expect(await harness.type(id, 'crit 7', { expectPrompt: promptId })).toMatchObject({ status: 'delivered' })
      await got(id, 'crit 7')
    },
  )

  it('T9 at a shell prompt: longer than the screen, and a paste of two lines', async () => {
    const { sessionId: id } = await start(['bash', '--norc', '-i'])
    await harness.answer(id, /\$|#/, `echo ${'x'.repeat(3000)} | wc -c`)
    await harness.prints(id, /3001/)
    expect(await harness.answer(id, /\$|#/, 'echo "got <a>"\necho "got <b>"')).toMatchObject({ status: 'delivered' })
    await got(id, 'a')
    await got(id, 'b')
  })

  it('T9 if a full-screen program takes commands on a separate line', async () => {
    const editor = has('vim') ? 'vim' : 'vi'
    const { sessionId: id } = await start([editor, '-u', 'NONE', harness.at('letter')])
    expect(await harness.answer(id, /./, ':q!')).toMatchObject({ status: 'delivered' })
    expect(await harness.ended(id)).toMatchObject({ exitCode: 0 })
  })

  it('T9 T6 the whole answer is learned', async () => {
    const { sessionId: id } = await start([process.execPath, '-e', readline('Region: (eu) ')])
    await harness.answer(id, /Region/, 'north')
    const [event] = await until(async () => {
      const events = await harness.inputs(id)
      return events.length > 0 ? events : null
    })
    expect(event).toMatchObject({ promptText: 'Region: (eu)', inputText: 'north' })
  })

  it('T9 an empty answer is Enter, and the next prompt can be answered', async () => {
    const { sessionId: id } = await harness.run(
      'printf "One: "; read a; echo "got <$a>"; printf "Two: "; read b; echo "got <$b>"',
    )
    expect(await harness.answer(id, /One/, '')).toMatchObject({ status: 'delivered' })
    await got(id, '')
    expect(await harness.answer(id, /Two/, 'second')).toMatchObject({ status: 'delivered' })
    await got(id, 'second')
  })

  it('T9 an empty input, and more than a line can hold, are refused before anything is typed', async () => {
    const { sessionId: id } = await harness.run('printf "Paste: "; read a; echo "got <$a>"')
    const { promptId } = await harness.waits(id, /Paste/)
    const type = (body: Record<string, unknown>) =>
      harness.owner.refused('POST', `/api/terminals/${id}/input`, { expectPrompt: promptId, ...body })
    expect(await type({ text: '', pressEnter: false })).toMatchObject({ status: 400, code: 'nothing_to_type' })
    expect(await type({ text: 'x'.repeat(10_000) })).toMatchObject({ status: 400, code: 'answer_too_long' })
    expect(await harness.answer(id, /Paste/, 'y')).toMatchObject({ status: 'delivered' })
    await got(id, 'y')
  })

  it('T3 T9 a prompt stays, with its danger, while others print after it', async () => {
    // When one of the printing programs ends, the waiting one wakes up; the other prints once more after that.
    const others = '(sleep 0.5; echo "log one") & (sleep 1; echo "log two"; sleep 600) &'
    const { sessionId: id } = await start([
      'bash',
      '-c',
      `${others} read -p "Delete all backups? [y/N] " x; echo "got <$x>"; kill %2`,
    ])
    const before = await harness.waits(id, /Delete/)
    await harness.prints(id, /log two/)
    expect(await harness.detect(id)).toMatchObject({
      promptId: before.promptId,
      isDangerous: true,
      promptText: before.promptText,
    })
    const given = { expectPrompt: before.promptId, confirmed: true }
    expect(await harness.type(id, 'n', given)).toMatchObject({ status: 'delivered' })
    await got(id, 'n')
  })

  it.runIf(missingPrograms(['gpg', 'pinentry-curses']).length === 0)(
    'T3 T6 a passphrase that another program asks for, which is not below the first, is seen and secret',
    async () => {
      const script = [
        'export GNUPGHOME=$(mktemp -d) GPG_TTY=$(tty); trap "gpgconf --kill gpg-agent; rm -rf $GNUPGHOME" EXIT',
        'echo "pinentry-program $(command -v pinentry-curses)" > $GNUPGHOME/gpg-agent.conf',
        'echo text > $GNUPGHOME/a; gpg -c $GNUPGHOME/a; echo "made $(ls $GNUPGHOME/a.gpg)"; sleep 600',
      ].join('\n')
      const { sessionId: id } = await start(['bash', '-c', script])
      expect(await harness.waits(id, /passphrase/i)).toMatchObject({ secret: true, promptType: 'password' })
      await harness.owner.post(`/api/terminals/${id}/input`, { keys: ['escape'] })
      await harness.owner.post(`/api/terminals/${id}/end`)
    },
  )

  it('T3 text like a question behind a relay is no prompt while the program inside works', async () => {
    const asks = (then: string) => ['script', '-qec', `printf "Continue? [y/n] "; ${then}`, '/dev/null']
    const working = await start(asks('sleep 600'))
    await harness.prints(working.sessionId, /Continue/)
    const waiting = await start(asks('read a; echo "got <$a>"'))
    const { promptId, confidence } = await harness.waits(waiting.sessionId, /Continue/)
    expect(confidence).toBeGreaterThan(0.9)
    expect(await harness.detect(working.sessionId)).toMatchObject({ waiting: false })
    await harness.type(waiting.sessionId, 'y', { expectPrompt: promptId })
    await got(waiting.sessionId, 'y')
  })

  it.runIf(missingPrograms(['tmux']).length === 0)(
    'T3 in tmux it can’t be told who reads, and that is said',
    async () => {
      const name = `sb-${process.pid}-${Date.now()}`
      const { sessionId: id } = await start([
        'tmux',
        '-L',
        name,
        '-f',
        '/dev/null',
        'new',
        'printf "Continue? [y/n] "; sleep 600',
      ])
      try {
        await until(async () =>
          (await harness.owner.get<{ screen: string }>(`/api/terminals/${id}/screen`)).screen.includes('Continue'),
        )
        const { confidence, evidence } = await until(async () => {
          const now = await harness.detect(id)
          return now.evidence.some(({ detail }) => detail.includes('passes keys on')) || !now.waiting ? now : null
        })
        expect(confidence === 0.98 ? 0 : confidence, JSON.stringify(evidence)).toBeLessThanOrEqual(0.6)
      } finally {
        execFileSync('tmux', ['-L', name, 'kill-server'])
      }
    },
  )

  it('T3 T9 a program that reads in its own session waits too', async () => {
    const { sessionId: id } = await start(['setsid', '-w', 'bash', '-c', 'read -p "Apart? [y/n] " x; echo "got <$x>"'])
    expect(await harness.answer(id, /Apart/, 'y')).toMatchObject({ status: 'delivered' })
    await got(id, 'y')
  })
})
