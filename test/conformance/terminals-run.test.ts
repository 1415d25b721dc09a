import { chmod, mkdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { startServer } from '../support/server.ts'
import { until } from '../support/until.ts'
import { called, openDesk, settingsOf, type Desk, type Seat } from './terminals-run-yard.ts'

const detachKeys = '\x1dd'

/** Leaves a terminal, and gives the line that says how to come back. */
async function detach(seat: Seat): Promise<string> {
  seat.type(detachKeys)
  expect(await seat.ended()).toBe(0)
  return /attach ([0-9a-f]{8})/.exec(seat.shown())?.[1] ?? ''
}

const bash = ['run', '--', 'bash', '--norc', '--noprofile', '-i']

describe('signalbox run, without a server', () => {
  it.each([
    ['exit 0', 0],
    ['exit 7', 7],
    ['kill -TERM $$', 143],
    ['kill -KILL $$', 137],
  ])('T ends as the program does: %s gives %i', async (script, code) => {
    await using desk = await openDesk()
    const seat = desk.sit('run', '--', 'sh', '-c', `echo said; ${script}`)
    expect(await seat.ended()).toBe(code)
    expect(seat.shown()).toBe('said\r\n')
  })

  it('T says that a program is not there, with the code shells use', async () => {
    await using desk = await openDesk()
    const seat = desk.sit('run', '--', 'no-such-program-of-ours')
    expect(await seat.ended()).toBe(127)
    expect(seat.shown()).toContain('no-such-program-of-ours: command not found')
    const none = await desk.cli('run', '--')
    expect(none).toMatchObject({ code: 2 })
    expect(none.stderr).toContain('After -- the program is missing.')
  })

  it('T loses nothing that is printed right before the end', async () => {
    await using desk = await openDesk()
    const seat = desk.sit('run', '--', 'seq', '1', '50000')
    expect(await seat.ended()).toBe(0)
    expect(seat.shown().split('\r\n').length).toBe(50_001)
    expect(seat.shown()).toContain('\r\n50000\r\n')
  })

  it('T gives the program our size, and every change of it', async () => {
    await using desk = await openDesk()
    const watching = 'stty size; trap "stty size" WINCH; echo ready; while :; do sleep 0.02; done'
    const seat = desk.sit('run', '--', 'sh', '-c', watching)
    await seat.until(/30 100\r\nready/)
    seat.resize(83, 19)
    await seat.until('19 83')
    seat.type('\x03')
    expect(await seat.ended()).toBe(130)
  })

  it('T hands Ctrl-C and Ctrl-\\ to the program', async () => {
    await using desk = await openDesk()
    const interrupted = desk.sit('run', '--', 'sh', '-c', 'echo ready; exec sleep 1000')
    await interrupted.until('ready')
    interrupted.type('\x03')
    expect(await interrupted.ended()).toBe(130)
    const quitted = desk.sit('run', '--', 'sh', '-c', 'ulimit -c 0; echo ready; exec sleep 1000')
    await quitted.until('ready')
    quitted.type('\x1c')
    expect(await quitted.ended()).toBe(131)
  })

  it('T leaves job control to the shell in it', async () => {
    await using desk = await openDesk()
    const seat = desk.sit(...bash)
    await seat.until('$ ')
    seat.type('sh -c "echo at-$((0))-work; exec sleep 1000"\r')
    await seat.until('at-0-work')
    seat.type('\x1a')
    await seat.until('Stopped')
    seat.type('fg\r')
    await seat.until(/fg\r\n[^]*sh -c/)
    seat.type('\x03')
    await seat.until(/\^C/)
    seat.type('jobs; exit 5\r')
    expect(await seat.ended()).toBe(5)
  })

  it('T changes no byte on the way, in or out', async () => {
    await using desk = await openDesk()
    const all = Buffer.from(Array.from({ length: 256 }, (_, byte) => byte))
    await writeFile(join(desk.home, 'all'), all)
    const script =
      'stty raw -echo; printf ready; dd bs=1 count=256 of=typed 2>/dev/null; printf ":"; cat all; printf ":end"'
    const seat = desk.sit('run', '--', 'sh', '-c', script)
    await seat.until('ready')
    seat.type(all)
    await seat.until(':end')
    await seat.ended()
    expect(await readFile(join(desk.home, 'typed'))).toEqual(all)
    expect(seat.shown()).toBe(`ready:${all.toString('latin1')}:end`)
  })

  it('T takes a large paste whole', async () => {
    await using desk = await openDesk()
    const script = 'stty raw -echo; printf ready; head -c 300000 | cksum | tr " " -; printf end'
    const seat = desk.sit('run', '--', 'sh', '-c', script)
    await seat.until('ready')
    seat.type(Buffer.alloc(300_000, 'x'))
    await seat.until(/-300000/)
    expect(await seat.ended()).toBe(0)
  })

  it('T is left at work and taken up again', async () => {
    await using desk = await openDesk()
    const seat = desk.sit(...bash)
    await seat.until('$ ')
    seat.type('kept=here\r')
    await seat.until('kept=here')
    const id = await detach(seat)
    expect(seat.shown()).toMatch(/Detached; it keeps running\. To come back: \S*signalbox attach [0-9a-f]{8}/)
    const again = desk.sit('attach', id)
    await again.until('kept=here')
    again.type('echo still-$kept; exit 3\r')
    await again.until('still-here')
    expect(await again.ended()).toBe(3)
  })

  it('T is left by other keys where they are given, and by none where there are none', async () => {
    await using desk = await openDesk()
    const other = desk.sit('run', '--detach-keys', 'ctrl-p,ctrl-q', '--', 'sh', '-c', 'echo ready; cat')
    await other.until('ready')
    other.type('\x10\x11')
    expect(await other.ended()).toBe(0)
    const none = desk.sit(
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

  it.each(['SIGTERM', 'SIGHUP'] as const)('T goes on where we are told to go by %s', async (signal) => {
    await using desk = await openDesk()
    const seat = desk.sit('run', '--name', 'mine', '--', 'sh', '-c', 'echo ready; read a; echo got-$a; exit 4')
    await seat.until('ready')
    process.kill(seat.pid, signal)
    expect(await seat.ended()).toBe(signal === 'SIGTERM' ? 143 : 129)
    const again = desk.sit('attach', 'mine')
    await again.until('ready')
    again.type('it\r')
    await again.until('got-it')
    expect(await again.ended()).toBe(4)
  })

  it('T goes on where the window is closed', async () => {
    await using desk = await openDesk()
    const seat = desk.sit('run', '--name', 'mine', '--', 'sh', '-c', 'echo ready; read a; exit 6')
    await seat.until('ready')
    seat.hangUp()
    await seat.ended()
    const again = desk.sit('attach', 'mine')
    await again.until('ready')
    again.type('\r')
    expect(await again.ended()).toBe(6)
  })

  it('T is taken up again without a gap by one who was away for long', async () => {
    await using desk = await openDesk()
    const script = 'echo ready; until [ -e go ]; do sleep 0.02; done; seq 1 200000; echo tail; read a; exit 4'
    const seat = desk.sit('run', '--', 'sh', '-c', script)
    await seat.until('ready')
    process.kill(seat.pid, 'SIGSTOP')
    await writeFile(join(desk.home, 'go'), '')
    const keeperLog = join(desk.home, 'run', 'keeper.log')
    const said = async () => (await readFile(keeperLog, 'utf8')).includes('it is detached, and the program goes on')
    await until(said, { seconds: 30, what: 'the patience of the keeper' })
    process.kill(seat.pid, 'SIGCONT')
    await seat.until('tail')
    seat.type('\r')
    expect(await seat.ended()).toBe(4)
    const numbers =
      seat
        .shown()
        .match(/^\d+(?=\r$)/gm)
        ?.map(Number) ?? []
    expect(numbers).toHaveLength(200_000)
    expect(numbers.every((number, index) => number === index + 1)).toBe(true)
  })

  it('T only starts it where that is wanted', async () => {
    await using desk = await openDesk()
    const started = await desk.cli('run', '--detach', '--json', '--', 'sh', '-c', 'read a; exit 8')
    expect(started).toMatchObject({ code: 0 })
    const { sessionId, watched } = JSON.parse(started.stdout)
    expect(watched).toBe(false)
    const seat = desk.sit('attach', String(sessionId).slice(0, 8))
    seat.type('\r')
    expect(await seat.ended()).toBe(8)
  })

  it('T tells the program which terminal it is in, and keeps the rest of our environment', async () => {
    await using desk = await openDesk({ env: { OF_OURS: 'kept' } })
    const seat = desk.sit('run', '--', 'sh', '-c', 'echo $OF_OURS $SIGNALBOX_SESSION; pwd; tty')
    expect(await seat.ended()).toBe(0)
    expect(seat.shown()).toMatch(/^kept [0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[0-9a-f-]{17}\r\n/)
    expect(seat.shown()).toContain(`${desk.home}\r\n/dev/`)
  })

  it('T hands all its words to ssh', async () => {
    await using desk = await openDesk()
    const bin = join(desk.home, 'bin')
    await mkdir(bin)
    await writeFile(join(bin, 'ssh'), '#!/bin/sh\nfor word; do echo "[$word]"; done\nexit 9\n')
    await chmod(join(bin, 'ssh'), 0o755)
    await using beside = await openDesk({ home: desk.home, env: { PATH: `${bin}:${process.env['PATH']}` } })
    const seat = beside.sit('ssh', '--name', 'web', '-p', '2222', 'ann@web1', 'ls', '-la', '--json')
    expect(await seat.ended()).toBe(9)
    expect(seat.shown()).toBe('[-p]\r\n[2222]\r\n[ann@web1]\r\n[ls]\r\n[-la]\r\n[--json]\r\n')
  })
})

describe('our own terminal', () => {
  const around = (middle: string) => ['-c', `stty -g; ${middle}; echo "code $?"; stty -g`]
  const settings = (desk: Desk, seat: Seat) => {
    const lines = seat
      .shown()
      .split(/\r?\n/)
      .filter((line) => /^[0-9a-f:]{40,}$/.test(line))
    expect(lines).toHaveLength(2)
    expect(lines[1]).toBe(lines[0])
    return desk
  }

  it.each([
    ['the program ends', `${called} run -- true`, 'code 0'],
    ['it dies', `${called} run -- sh -c 'kill -KILL $$'`, 'code 137'],
    ['it can not be started', `${called} run -- no-such-program-of-ours`, 'code 127'],
    ['the program set its own otherwise', `${called} run -- stty raw -echo`, 'code 0'],
  ])('T is as it was when %s', async (_when, line, said) => {
    await using desk = await openDesk()
    const seat = desk.sitWith('sh', around(line))
    await seat.ended()
    expect(seat.shown()).toContain(said)
    settings(desk, seat)
  })

  it('T is as it was after detaching, SIGTERM and a keeper that was killed', async () => {
    await using desk = await openDesk()
    const waiting = `${called} run -- sh -c 'echo $PPID-ready; sleep 1000'`
    const left = desk.sitWith('sh', around(waiting))
    await left.until('-ready')
    left.type(detachKeys)
    await left.ended()
    settings(desk, left)
    const told = desk.sitWith(
      'sh',
      around(`sh -c 'echo client-$$; exec ${called.replaceAll("'", '')} run -- sh -c "echo ready; sleep 1000"'`),
    )
    await told.until('ready')
    process.kill(Number(/client-(\d+)/.exec(told.shown())?.[1]), 'SIGTERM')
    await told.ended()
    expect(told.shown()).toContain('code 143')
    settings(desk, told)
    const orphan = desk.sitWith('sh', around(waiting))
    await orphan.until('-ready')
    process.kill(Number(/(\d+)-ready/.exec(orphan.shown())?.[1]), 'SIGKILL')
    await orphan.ended()
    expect(orphan.shown()).toContain('code 1')
    expect(orphan.shown()).toContain('The keeper of this terminal has ended')
    settings(desk, orphan)
  })

  it('T is raw meanwhile, and adds nothing to line feeds', async () => {
    await using desk = await openDesk()
    const seat = desk.sit('run', '--', 'sh', '-c', 'echo ready; read a')
    await seat.until('ready')
    expect(settingsOf(seat.pid)).toMatch(/-opost[^]*-isig -icanon/)
    seat.type('\r')
    expect(await seat.ended()).toBe(0)
  })

  it('T is the shell’s while we are stopped, and ours again afterwards', async () => {
    await using desk = await openDesk()
    const seat = desk.sit('run', '--', 'sh', '-c', 'echo ready; read a; exit 3')
    await seat.until('ready')
    process.kill(seat.pid, 'SIGTSTP')
    await until(() => / icanon/.test(settingsOf(seat.pid)))
    process.kill(seat.pid, 'SIGCONT')
    await until(() => /-opost[^]*-isig -icanon/.test(settingsOf(seat.pid)))
    seat.type('\r')
    expect(await seat.ended()).toBe(3)
  })

  it('T gets its screen back where a full-screen program is left', async () => {
    await using desk = await openDesk()
    const script = "printf '\\033[?1049h\\033[?25l\\033[?1000hready'; sleep 1000"
    const seat = desk.sit('run', '--', 'sh', '-c', script)
    await seat.until('ready')
    await detach(seat)
    expect(seat.shown()).toContain('\x1b[?25h\x1b[?1000l\x1b[?1049l\x1b[0m')
  })
})

describe('between pipes', () => {
  it('T passes input on and ends it as Ctrl-D does', async () => {
    await using desk = await openDesk()
    const ran = await desk.piped(['run', '--', 'sh', '-c', 'read a; echo got-$a; cat; exit 5'], 'one\ntwo\n')
    expect(ran).toMatchObject({ code: 5, stderr: '' })
    expect(ran.stdout).toContain('got-one\r\n')
  })

  it('T interrupts a program whose output nobody reads', async () => {
    await using desk = await openDesk()
    const seat = desk.sitWith('sh', ['-c', `${called} run -- yes | head -n 1; echo over`])
    await seat.until('over')
    expect(await seat.ended()).toBe(0)
    expect(seat.shown()).toContain('it was sent a Ctrl-C')
    expect(seat.shown()).not.toContain('Detached')
  })

  it('T does not detach by keys that stand in a file', async () => {
    await using desk = await openDesk()
    const ran = await desk.piped(
      ['run', '--', 'sh', '-c', 'stty raw -echo; echo ready; head -c 3 | od -An -tx1'],
      '\x1ddx',
    )
    expect(ran.code).toBe(0)
    expect(ran.stdout).toContain('1d 64 78')
  })
})

describe('signalbox run, with a server', () => {
  it('T9 keys that are pressed show what they did', async () => {
    await using server = await startServer()
    await using desk = await openDesk({ home: server.home })
    const script = 'printf "Go on? [Y/n] "; read a; echo went-on; read b'
    await desk.cli('run', '--name', 'mine', '--detach', '--', 'sh', '-c', script)
    await until(async () => (await desk.cli('terminals', 'show', 'mine')).stdout.includes('It asks'))
    expect((await desk.cli('terminals', 'keys', 'mine', 'enter')).stdout).toMatch(/^Delivered\.[^]*went-on/)
  })

  it('T5 goes on while the server is killed and started again, which then knows it', async () => {
    await using server = await startServer()
    await using desk = await openDesk({ home: server.home })
    const seat = desk.sit('run', '--name', 'mine', '--', 'bash', '--norc', '--noprofile', '-i')
    await seat.until('$ ')
    await until(async () => (await desk.cli('terminals')).stdout.includes('mine: bash'))
    await server.kill()
    seat.type('echo one-$((1+1))\r')
    await seat.until('one-2')
    await server.restart()
    seat.type('echo two-$((2+2))\r')
    await seat.until('two-4')
    await until(async () => (await desk.cli('terminals', 'show', 'mine')).stdout.includes('two-4'))
    seat.type('exit 5\r')
    expect(await seat.ended()).toBe(5)
    await until(async () => (await desk.cli('terminals', '--all')).stdout.includes('exited 5'))
  })

  it('T shows who comes back the screen as it is, and then what comes', async () => {
    await using server = await startServer()
    await using desk = await openDesk({ home: server.home })
    const seat = desk.sit('run', '--name', 'mine', '--', 'bash', '--norc', '--noprofile', '-i')
    await seat.until('$ ')
    seat.type('clear; echo on-the-$((0))-screen\r')
    await seat.until('on-the-0-screen')
    await until(async () => (await desk.cli('terminals', 'show', 'mine')).stdout.includes('on-the-0-screen'))
    await detach(seat)
    const again = desk.sit('attach', 'mine')
    await again.until('on-the-0-screen')
    expect(again.shown().split('on-the-0-screen')).toHaveLength(2)
    again.type('exit 2\r')
    expect(await again.ended()).toBe(2)
  })
})
