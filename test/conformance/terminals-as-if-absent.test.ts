import { mkdir, symlink } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { cliCommand, openRunHarness, type RunHarness } from './terminals-run-harness.ts'

const cli = cliCommand

/** What the same line prints by itself, and through `signalbox run`, in terminals of one kind. */
async function bothWays(harness: RunHarness, prepare: string, line: readonly string[]): Promise<[string, string]> {
  const quoted = line.map((word) => `'${word}'`).join(' ')
  const terminal = harness.openTerminalWith('sh', [
    '-c',
    `${prepare}; echo begin; ${quoted}; echo middle; ${cli} run -- ${quoted}; echo end`,
  ])
  await terminal.ended()
  const [, alone = '', through = ''] = /begin\r?\n([^]*)middle\r?\n([^]*)end/.exec(terminal.shown()) ?? []
  return [alone.replaceAll('\r', ''), through.replaceAll('\r', '')]
}

const variables = (text: string) =>
  text
    .split('\0')
    .filter((one) => !one.startsWith('SIGNALBOX_SESSION='))
    .toSorted()

describe('signalbox run is as if it were not there', () => {
  it.each([
    ['as they are', 'true'],
    ['with other keys', 'stty -ixon erase ^H intr ^G'],
    ['without echo', 'stty -echo -icrnl min 2'],
  ])('T9 the terminal of the program has the modes of ours: %s', async (_how, prepare) => {
    await using harness = await openRunHarness()
    const [alone, through] = await bothWays(harness, prepare, ['stty', '-a'])
    expect(alone).toMatch(/intr = /)
    expect(through).toBe(alone)
    const [exact, copied] = await bothWays(harness, prepare, ['stty', '-g'])
    expect(copied).toBe(exact)
  })

  it('T9 the whole environment is passed on, also while other terminals are open', async () => {
    const own = {
      PS1: '\\u@here > ',
      PS2: '...',
      PS4: '+ $LINENO ',
      PROMPT_COMMAND: 'true',
      'BASH_FUNC_hi%%': '() {  echo hi\n}',
      'WITH-DASH': 'kept',
      EMPTY: '',
      SHLVL: '7',
      PERL5OPT: '-Mno::such::module',
      PERL_BADLANG: '1',
      LC_ALL: 'xx_XX.UTF-8',
      IFS: ':',
    }
    await using harness = await openRunHarness({ env: own })
    expect((await harness.cli('run', '--detach', '--', 'sleep', '1000')).code).toBe(0)
    const alone = harness.openTerminalWith('cat', ['/proc/self/environ'])
    const through = harness.openTerminal('run', '--', 'cat', '/proc/self/environ')
    await Promise.all([alone.ended(), through.ended()])
    expect(variables(alone.shown())).toContain('PS4=+ $LINENO ')
    expect(variables(through.shown())).toEqual(variables(alone.shown()))
  })

  it('T9 a program gets the name that was typed, the directory by the name it was reached by, and our mask', async () => {
    await using harness = await openRunHarness()
    expect((await harness.cli('run', '--detach', '--', 'sleep', '1000')).code).toBe(0)
    const real = join(harness.home, 'real')
    await mkdir(real)
    await symlink(real, join(harness.home, 'linked'))
    const script = 'cat /proc/$$/cmdline | tr "\\0" " "; echo; echo $PWD; umask; ls /proc/$$/fd'
    const [alone, through] = await bothWays(harness, `cd '${join(harness.home, 'linked')}'; umask 027`, [
      'sh',
      '-c',
      script,
    ])
    expect(alone).toMatch(/^sh -c /)
    expect(alone).toContain('/linked\n0027\n')
    expect(through).toBe(alone)
  })

  it('T9 a program does not inherit the terminals of others, nor does the first of them lose anything', async () => {
    await using harness = await openRunHarness({ env: { PS1: 'mine> ' } })
    for (let count = 0; count < 3; count += 1)
      expect((await harness.cli('run', '--detach', '--', 'sleep', '1000')).code).toBe(0)
    const terminal = harness.openTerminal('run', '--', 'sh', '-c', 'ls -l /proc/self/fd | grep -c ptmx; echo "[$PS1]"')
    await terminal.ended()
    expect(terminal.shown()).toContain('0\r\n[mine> ]')
  })
})
