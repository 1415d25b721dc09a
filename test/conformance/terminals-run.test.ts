import { chmod, mkdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { startServer } from '../support/server.ts'
import { until } from '../support/until.ts'
import { cliCommand, openRunHarness, settingsOf, type RunHarness, type UserTerminal } from './terminals-run-harness.ts'

const detachKeys = '\x1dd'

/** Detaches from a terminal, and returns the line that says how to attach again. */
async function detach(terminal: UserTerminal): Promise<string> {
  terminal.type(detachKeys)
  expect(await terminal.ended()).toBe(0)
  return /attach ([0-9a-f]{8})/.exec(terminal.shown())?.[1] ?? ''
}

const bash = ['run', '--', 'bash', '--norc', '--noprofile', '-i']

describe('signalbox run, without a server', () => {
  it.each([
    ['exit 0', 0],
    ['exit 7', 7],
    ['kill -TERM $$', 143],
    ['kill -KILL $$', 137],
  ])('T ends as the program does: %s gives %i', async (script, code) => {
    await using harness = await openRunHarness()
    const terminal = harness.openTerminal('run', '--', 'sh', '-c', `echo said; ${script}`)
    expect(await terminal.ended()).toBe(code)
    expect(terminal.shown()).toBe('said\r\n')
  })

  it('T reports a missing program with the exit code of shells', async () => {
    await using harness = await openRunHarness()
    const terminal = harness.openTerminal('run', '--', 'no-such-program-of-ours')
    expect(await terminal.ended()).toBe(127)
    expect(terminal.shown()).toContain('no-such-program-of-ours: command not found')
    const none = await harness.cli('run', '--')
    expect(none).toMatchObject({ code: 2 })
    expect(none.stderr).toContain('No program given after --.')
  })

  it('T loses nothing that is printed right before the end', async () => {
    await using harness = await openRunHarness()
    const terminal = harness.openTerminal('run', '--', 'seq', '1', '50000')
    expect(await terminal.ended()).toBe(0)
    expect(terminal.shown().split('\r\n').length).toBe(50_001)
    expect(terminal.shown()).toContain('\r\n50000\r\n')
  })

  it('T passes our size and every resize to the program', async () => {
    await using harness = await openRunHarness()
    const watching = 'stty size; trap "stty size" WINCH; echo ready; while :; do sleep 0.02; done'
    const terminal = harness.openTerminal('run', '--', 'sh', '-c', watching)
    await terminal.until(/30 100\r\nready/)
    terminal.resize(83, 19)
    await terminal.until('19 83')
    terminal.type('\x03')
    expect(await terminal.ended()).toBe(130)
  })

  it('T passes Ctrl-C and Ctrl-\\ to the program', async () => {
    await using harness = await openRunHarness()
    const interrupted = harness.openTerminal('run', '--', 'sh', '-c', 'echo ready; exec sleep 1000')
    await interrupted.until('ready')
    interrupted.type('\x03')
    expect(await interrupted.ended()).toBe(130)
    const quitted = harness.openTerminal('run', '--', 'sh', '-c', 'ulimit -c 0; echo ready; exec sleep 1000')
    await quitted.until('ready')
    quitted.type('\x1c')
    expect(await quitted.ended()).toBe(131)
  })

  it('T leaves job control to the shell inside', async () => {
    await using harness = await openRunHarness()
    const terminal = harness.openTerminal(...bash)
    await terminal.until('$ ')
    terminal.type('sh -c "echo at-$((0))-work; exec sleep 1000"\r')
    await terminal.until('at-0-work')
    terminal.type('\x1a')
    await terminal.until('Stopped')
    terminal.type('fg\r')
    await terminal.until(/fg\r\n[^]*sh -c/)
    terminal.type('\x03')
    await terminal.until(/\^C/)
    terminal.type('jobs; exit 5\r')
    expect(await terminal.ended()).toBe(5)
  })

  it('T changes no byte, in or out', async () => {
    await using harness = await openRunHarness()
    const all = Buffer.from(Array.from({ length: 256 }, (_, byte) => byte))
    await writeFile(join(harness.home, 'all'), all)
    const script =
      'stty raw -echo; printf ready; dd bs=1 count=256 of=typed 2>/dev/null; printf ":"; cat all; printf ":end"'
    const terminal = harness.openTerminal('run', '--', 'sh', '-c', script)
    await terminal.until('ready')
    terminal.type(all)
    await terminal.until(':end')
    await terminal.ended()
    expect(await readFile(join(harness.home, 'typed'))).toEqual(all)
    expect(terminal.shown()).toBe(`ready:${all.toString('latin1')}:end`)
  })

  it('T accepts a large paste whole', async () => {
    await using harness = await openRunHarness()
    const script = 'stty raw -echo; printf ready; head -c 300000 | cksum | tr " " -; printf end'
    const terminal = harness.openTerminal('run', '--', 'sh', '-c', script)
    await terminal.until('ready')
    terminal.type(Buffer.alloc(300_000, 'x'))
    await terminal.until(/-300000/)
    expect(await terminal.ended()).toBe(0)
  })

  it('T is detached and attached again', async () => {
    await using harness = await openRunHarness()
    const terminal = harness.openTerminal(...bash)
    await terminal.until('$ ')
    terminal.type('kept=here\r')
    await terminal.until('kept=here')
    const id = await detach(terminal)
    expect(terminal.shown()).toMatch(/Detached; it keeps running\. To return to it: \S*signalbox attach [0-9a-f]{8}/)
    const again = harness.openTerminal('attach', id)
    await again.until('kept=here')
    again.type('echo still-$kept; exit 3\r')
    await again.until('still-here')
    expect(await again.ended()).toBe(3)
  })

  it('T detaches with the configured keys, or not at all if none are set', async () => {
    await using harness = await openRunHarness()
    const other = harness.openTerminal('run', '--detach-keys', 'ctrl-p,ctrl-q', '--', 'sh', '-c', 'echo ready; cat')
    await other.until('ready')
    other.type('\x10\x11')
    expect(await other.ended()).toBe(0)
    const none = harness.openTerminal(
      'run',
      '--detach-keys',
      'none',
      '--',
      'sh',
      '-c',
      'stty raw -echo; printf ready; head -c 2 | od -An -tx1',
    )
    await none.until('ready')
    none.type(detachKeys)
    await none.until('1d 64')
    expect(await none.ended()).toBe(0)
  })

  it.each(['SIGTERM', 'SIGHUP'] as const)('T keeps the program running after %s', async (signal) => {
    await using harness = await openRunHarness()
    const terminal = harness.openTerminal(
      'run',
      '--name',
      'mine',
      '--',
      'sh',
      '-c',
      'echo ready; read a; echo got-$a; exit 4',
    )
    await terminal.until('ready')
    process.kill(terminal.pid, signal)
    expect(await terminal.ended()).toBe(signal === 'SIGTERM' ? 143 : 129)
    const again = harness.openTerminal('attach', 'mine')
    await again.until('ready')
    again.type('it\r')
    await again.until('got-it')
    expect(await again.ended()).toBe(4)
  })

  it('T keeps the program running when the window is closed', async () => {
    await using harness = await openRunHarness()
    const terminal = harness.openTerminal('run', '--name', 'mine', '--', 'sh', '-c', 'echo ready; read a; exit 6')
    await terminal.until('ready')
    terminal.hangUp()
    await terminal.ended()
    const again = harness.openTerminal('attach', 'mine')
    await again.until('ready')
    again.type('\r')
    expect(await again.ended()).toBe(6)
  })

  it('T is attached again without a gap after a long time', async () => {
    await using harness = await openRunHarness()
    const script = 'echo ready; until [ -e go ]; do sleep 0.02; done; seq 1 200000; echo tail; read a; exit 4'
    const terminal = harness.openTerminal('run', '--', 'sh', '-c', script)
    await terminal.until('ready')
    process.kill(terminal.pid, 'SIGSTOP')
    await writeFile(join(harness.home, 'go'), '')
    const keeperLog = join(harness.home, 'run', 'keeper.log')
    const said = async () =>
      (await readFile(keeperLog, 'utf8')).includes('it is detached, and the program keeps running')
    await until(said, { seconds: 30, what: 'the patience of the keeper' })
    process.kill(terminal.pid, 'SIGCONT')
    await terminal.until('tail')
    terminal.type('\r')
    expect(await terminal.ended()).toBe(4)
    const numbers =
      terminal
        .shown()
        .match(/^\d+(?=\r$)/gm)
        ?.map(Number) ?? []
    expect(numbers).toHaveLength(200_000)
    expect(numbers.every((number, index) => number === index + 1)).toBe(true)
  })

  it('T only starts it if asked to', async () => {
    await using harness = await openRunHarness()
    const started = await harness.cli('run', '--detach', '--json', '--', 'sh', '-c', 'read a; exit 8')
    expect(started).toMatchObject({ code: 0 })
    const { sessionId, watched } = JSON.parse(started.stdout)
    expect(watched).toBe(false)
    const terminal = harness.openTerminal('attach', String(sessionId).slice(0, 8))
    terminal.type('\r')
    expect(await terminal.ended()).toBe(8)
  })

  it('T tells the program its terminal’s id, and keeps the rest of our environment', async () => {
    await using harness = await openRunHarness({ env: { OF_OURS: 'kept' } })
    const terminal = harness.openTerminal('run', '--', 'sh', '-c', 'echo $OF_OURS $SIGNALBOX_SESSION; pwd; tty')
    expect(await terminal.ended()).toBe(0)
    expect(terminal.shown()).toMatch(/^kept [0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[0-9a-f-]{17}\r\n/)
    expect(terminal.shown()).toContain(`${harness.home}\r\n/dev/`)
  })

  it('T passes all arguments to ssh', async () => {
    await using harness = await openRunHarness()
    const bin = join(harness.home, 'bin')
    await mkdir(bin)
    await writeFile(join(bin, 'ssh'), '#!/bin/sh\nfor word; do echo "[$word]"; done\nexit 9\n')
    await chmod(join(bin, 'ssh'), 0o755)
    await using beside = await openRunHarness({ home: harness.home, env: { PATH: `${bin}:${process.env['PATH']}` } })
    const terminal = beside.openTerminal('ssh', '--name', 'web', '-p', '2222', 'ann@web1', 'ls', '-la', '--json')
    expect(await terminal.ended()).toBe(9)
    expect(terminal.shown()).toBe('[-p]\r\n[2222]\r\n[ann@web1]\r\n[ls]\r\n[-la]\r\n[--json]\r\n')
  })
})

describe('our own terminal', () => {
  const around = (middle: string) => ['-c', `stty -g; ${middle}; echo "code $?"; stty -g`]
  const settings = (harness: RunHarness, terminal: UserTerminal) => {
    const lines = terminal
      .shown()
      .split(/\r?\n/)
      .filter((line) => /^[0-9a-f:]{40,}$/.test(line))
    expect(lines).toHaveLength(2)
    expect(lines[1]).toBe(lines[0])
    return harness
  }

  it.each([
    ['the program ends', `${cliCommand} run -- true`, 'code 0'],
    ['it dies', `${cliCommand} run -- sh -c 'kill -KILL $$'`, 'code 137'],
    ['it can’t be started', `${cliCommand} run -- no-such-program-of-ours`, 'code 127'],
    ['the program changed its settings', `${cliCommand} run -- stty raw -echo`, 'code 0'],
  ])('T is restored when %s', async (_when, line, said) => {
    await using harness = await openRunHarness()
    const terminal = harness.openTerminalWith('sh', around(line))
    await terminal.ended()
    expect(terminal.shown()).toContain(said)
    settings(harness, terminal)
  })

  it('T is restored after detaching, SIGTERM and a killed keeper', async () => {
    await using harness = await openRunHarness()
    const waiting = `${cliCommand} run -- sh -c 'echo $PPID-ready; sleep 1000'`
    const left = harness.openTerminalWith('sh', around(waiting))
    await left.until('-ready')
    left.type(detachKeys)
    await left.ended()
    settings(harness, left)
    const told = harness.openTerminalWith(
      'sh',
      around(`sh -c 'echo client-$$; exec ${cliCommand.replaceAll("'", '')} run -- sh -c "echo ready; sleep 1000"'`),
    )
    await told.until('ready')
    process.kill(Number(/client-(\d+)/.exec(told.shown())?.[1]), 'SIGTERM')
    await told.ended()
    expect(told.shown()).toContain('code 143')
    settings(harness, told)
    const orphan = harness.openTerminalWith('sh', around(waiting))
    await orphan.until('-ready')
    process.kill(Number(/(\d+)-ready/.exec(orphan.shown())?.[1]), 'SIGKILL')
    await orphan.ended()
    expect(orphan.shown()).toContain('code 1')
    expect(orphan.shown()).toContain('The keeper of this terminal has ended')
    settings(harness, orphan)
  })

  it('T is raw meanwhile, and adds nothing to line feeds', async () => {
    await using harness = await openRunHarness()
    const terminal = harness.openTerminal('run', '--', 'sh', '-c', 'echo ready; read a')
    await terminal.until('ready')
    expect(settingsOf(terminal.pid)).toMatch(/-opost[^]*-isig -icanon/)
    terminal.type('\r')
    expect(await terminal.ended()).toBe(0)
  })

  it('T belongs to the shell while we are stopped, and to us again afterwards', async () => {
    await using harness = await openRunHarness()
    const terminal = harness.openTerminal('run', '--', 'sh', '-c', 'echo ready; read a; exit 3')
    await terminal.until('ready')
    process.kill(terminal.pid, 'SIGTSTP')
    await until(() => / icanon/.test(settingsOf(terminal.pid)))
    process.kill(terminal.pid, 'SIGCONT')
    await until(() => /-opost[^]*-isig -icanon/.test(settingsOf(terminal.pid)))
    terminal.type('\r')
    expect(await terminal.ended()).toBe(3)
  })

  it('T gets its screen back when detaching from a full-screen program', async () => {
    await using harness = await openRunHarness()
    const script = "printf '\\033[?1049h\\033[?25l\\033[?1000hready'; sleep 1000"
    const terminal = harness.openTerminal('run', '--', 'sh', '-c', script)
    await terminal.until('ready')
    await detach(terminal)
    expect(terminal.shown()).toContain('\x1b[?25h\x1b[?1000l\x1b[?1049l\x1b[0m')
  })
})

describe('between pipes', () => {
  it('T passes input on and ends it as Ctrl-D does', async () => {
    await using harness = await openRunHarness()
    const ran = await harness.piped(['run', '--', 'sh', '-c', 'read a; echo got-$a; cat; exit 5'], 'one\ntwo\n')
    expect(ran).toMatchObject({ code: 5, stderr: '' })
    expect(ran.stdout).toContain('got-one\r\n')
  })

  it('T interrupts a program whose output nobody reads', async () => {
    await using harness = await openRunHarness()
    const terminal = harness.openTerminalWith('sh', ['-c', `${cliCommand} run -- yes | head -n 1; echo over`])
    await terminal.until('over')
    expect(await terminal.ended()).toBe(0)
    expect(terminal.shown()).toContain('it was sent a Ctrl-C')
    expect(terminal.shown()).not.toContain('Detached')
  })

  it('T does not detach on keys in a file', async () => {
    await using harness = await openRunHarness()
    const ran = await harness.piped(
      ['run', '--', 'sh', '-c', 'stty raw -echo; echo ready; head -c 3 | od -An -tx1'],
      '\x1ddx',
    )
    expect(ran.code).toBe(0)
    expect(ran.stdout).toContain('1d 64 78')
  })
})

describe('signalbox run, with a server', () => {
  it('T9 keys report what they did', async () => {
    await using server = await startServer()
    await using harness = await openRunHarness({ home: server.home })
    const script = 'printf "Go on? [Y/n] "; read a; echo went-on; read b'
    await harness.cli('run', '--name', 'mine', '--detach', '--', 'sh', '-c', script)
    await until(async () => (await harness.cli('terminals', 'show', 'mine')).stdout.includes('It asks'))
    expect((await harness.cli('terminals', 'keys', 'mine', 'enter')).stdout).toMatch(/^Delivered\.[^]*went-on/)
  })

  it('T5 keeps running while the server is killed and restarted, which then knows it', async () => {
    await using server = await startServer()
    await using harness = await openRunHarness({ home: server.home })
    const terminal = harness.openTerminal('run', '--name', 'mine', '--', 'bash', '--norc', '--noprofile', '-i')
    await terminal.until('$ ')
    await until(async () => (await harness.cli('terminals')).stdout.includes('mine: bash'))
    await server.kill()
    terminal.type('echo one-$((1+1))\r')
    await terminal.until('one-2')
    await server.restart()
    terminal.type('echo two-$((2+2))\r')
    await terminal.until('two-4')
    await until(async () => (await harness.cli('terminals', 'show', 'mine')).stdout.includes('two-4'))
    terminal.type('exit 5\r')
    expect(await terminal.ended()).toBe(5)
    await until(async () => (await harness.cli('terminals', '--all')).stdout.includes('exited 5'))
  })

  it('T attaching again shows the current screen, then new output', async () => {
    await using server = await startServer()
    await using harness = await openRunHarness({ home: server.home })
    const terminal = harness.openTerminal('run', '--name', 'mine', '--', 'bash', '--norc', '--noprofile', '-i')
    await terminal.until('$ ')
    terminal.type('clear; echo on-the-$((0))-screen\r')
    await terminal.until('on-the-0-screen')
    await until(async () => (await harness.cli('terminals', 'show', 'mine')).stdout.includes('on-the-0-screen'))
    await detach(terminal)
    const again = harness.openTerminal('attach', 'mine')
    await again.until('on-the-0-screen')
    expect(again.shown().split('on-the-0-screen')).toHaveLength(2)
    again.type('exit 2\r')
    expect(await again.ended()).toBe(2)
  })
})
