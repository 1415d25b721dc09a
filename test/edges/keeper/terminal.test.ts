import { execFileSync } from 'node:child_process'
import { readdirSync, readFileSync, readlinkSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it, onTestFinished } from 'vitest'
import { collect, isAlive, ownKeeper } from '../../support/keeper.ts'
import { infoOf, lookAt, reading, terminalIn } from '../../support/keeper-terminal.ts'
import { until, within } from '../../support/until.ts'

const filesOf = (pid: number) =>
  readdirSync(`/proc/${pid}/fd`).flatMap((fd) => {
    try {
      return [readlinkSync(`/proc/${pid}/fd/${fd}`)]
    } catch {
      return []
    }
  })

describe('a program in a keeper terminal', () => {
  it('has its own terminal, with size, name and environment, and ends with code and signal', async () => {
    await using own = await ownKeeper()
    await using keeper = await own.connect()
    const script = 'tty; stty size; echo "$TERM $PWD $SECRET"; ps -o pid=,pgid=,sid= -p $$; exit 7'
    const spec = own.spec('t', ['sh', '-c', script], { pty: { cols: 100, rows: 30 } })
    const spawned = await keeper.spawn(spec)
    if (!spawned.ok) throw new Error(spawned.fault.message)
    const { pid, pty } = spawned.value
    expect(pty).toMatchObject({ cols: 100, rows: 30, tty: expect.stringMatching(/^\/dev\/pts\/\d+$/), inputs: 0 })
    const seen = await collect(keeper, 't')
    expect(await within(seen.exit, 'its exit')).toEqual({ code: 7, signal: null })
    const [tty, size, env, ids] = seen.text().split('\r\n')
    expect([tty, size, env]).toEqual([pty?.tty, '30 100', `xterm-256color ${own.home} `])
    expect(ids?.trim().split(/\s+/)).toEqual([pid, pid, pid].map(String))
    await terminalIn(own, keeper, 'killed', ['sh', '-c', 'kill -TERM $$'])
    const killed = await collect(keeper, 'killed')
    expect(await within(killed.exit, 'its exit')).toEqual({ code: null, signal: 'SIGTERM' })
  })

  it('takes TERM from its environment', async () => {
    await using own = await ownKeeper()
    await using keeper = await own.connect()
    await keeper.spawn(
      own.spec('t', ['sh', '-c', 'echo $TERM'], { pty: { cols: 80, rows: 24 }, env: { TERM: 'vt100' } }),
    )
    const seen = await collect(keeper, 't')
    await within(seen.exit, 'its exit')
    expect(seen.text()).toBe('vt100\r\n')
  })

  it('can’t open another’s terminal, and neither can an agent', async () => {
    await using own = await ownKeeper()
    await using keeper = await own.connect()
    const pids = [
      (await terminalIn(own, keeper, 'one', ['cat'])).pid,
      (await terminalIn(own, keeper, 'two', ['cat'])).pid,
      (await terminalIn(own, keeper, 'three', ['cat'])).pid,
    ]
    const agent = await keeper.spawn(own.spec('agent', ['cat']))
    if (!agent.ok) throw new Error(agent.fault.message)
    for (const pid of pids) await until(() => readFileSync(`/proc/${pid}/comm`, 'utf8') === 'cat\n')
    await until(() => readFileSync(`/proc/${agent.value.pid}/comm`, 'utf8') === 'cat\n')
    for (const pid of [...pids, agent.value.pid])
      expect(filesOf(pid).filter((file) => file.includes('ptmx'))).toEqual([])
    expect(filesOf(pids[1] ?? 0)).toContain((await infoOf(keeper, 'two')).pty?.tty)
    // So that the hang-up reaches it.
    expect(await keeper.end('one', 1000)).toEqual({ code: null, signal: 'SIGHUP' })
    expect(pids.map(isAlive)).toEqual([false, true, true])
  })

  it('that does not exist, or has an impossible size or directory, is refused', async () => {
    await using own = await ownKeeper()
    await using keeper = await own.connect()
    const pty = { cols: 80, rows: 24 }
    expect(await keeper.spawn(own.spec('a', ['no-such-program'], { pty }))).toMatchObject({
      fault: { code: 'program_not_found' },
    })
    expect(await keeper.spawn(own.spec('d', ['/etc'], { pty }))).toMatchObject({
      fault: { code: 'program_not_executable' },
    })
    expect(await keeper.spawn(own.spec('b', ['cat'], { pty, cwd: '/nowhere' }))).toMatchObject({
      fault: { code: 'spawn_failed' },
    })
    expect(await keeper.spawn(own.spec('c', ['cat'], { pty: { cols: 0, rows: 24 } }))).toMatchObject({
      fault: { code: 'spawn_failed', message: expect.stringContaining('0 columns') },
    })
    await keeper.spawn(own.spec('pipes', ['cat']))
    expect(await keeper.probe('pipes')).toMatchObject({ ok: false, fault: { code: 'not_a_terminal' } })
    expect(await keeper.resize('nobody', pty)).toMatchObject({ ok: false, fault: { code: 'child_not_found' } })
  })

  it('is told of a resize', async () => {
    await using own = await ownKeeper()
    await using keeper = await own.connect()
    await terminalIn(own, keeper, 't', [
      'bash',
      '-c',
      'trap "stty size" WINCH; echo ready; while :; do read -t 1; done',
    ])
    const seen = await collect(keeper, 't')
    await until(() => seen.text().includes('ready'))
    expect(await keeper.resize('t', { cols: 132, rows: 43 })).toEqual({ ok: true, value: undefined })
    await until(() => seen.text().includes('43 132'))
    expect((await infoOf(keeper, 't')).pty).toMatchObject({ cols: 132, rows: 43 })
    expect(await keeper.resize('t', { cols: 1.5, rows: 43 })).toMatchObject({
      ok: false,
      fault: { code: 'terminal_size' },
    })
  })

  it('gets signals if it runs in the foreground, and its shell does not', async () => {
    await using own = await ownKeeper()
    await using keeper = await own.connect()
    await terminalIn(own, keeper, 't', ['bash', '--norc', '-i'])
    const seen = await collect(keeper, 't')
    await reading(keeper, 't')
    await keeper.write('t', 'sleep', 'sleep 1000; echo it was $?\n')
    await until(async () => {
      const probed = await keeper.probe('t')
      return probed.ok && probed.value?.program === 'sleep'
    })
    expect(await keeper.signal('t', 'SIGTERM')).toEqual({ ok: true, value: undefined })
    await until(() => seen.text().includes('it was 143'))
    expect((await infoOf(keeper, 't')).exit).toBe(null)
    await keeper.end('t', 1000)
    expect(await keeper.signal('t', 'SIGTERM')).toMatchObject({ ok: false, fault: { code: 'child_ended' } })
  })

  it('gets each key once, whole, however little it reads', async () => {
    await using own = await ownKeeper()
    await using keeper = await own.connect()
    await terminalIn(own, keeper, 't', ['sh', '-c', 'stty raw -echo; echo ready; head -c 600000 | sha256sum'])
    const typed: string[] = []
    using _listening = keeper.typed('t', (bytes, { by, inputs }) => typed.push(`${by} ${bytes.length} ${inputs}`))
    const seen = await collect(keeper, 't')
    await until(() => seen.text().includes('ready'))
    const pieces = ['a', 'b', 'c'].map((letter) => letter.repeat(200_000))
    for (const piece of pieces) await keeper.write('t', `key ${piece[0]}`, piece)
    await keeper.write('t', 'key a', pieces[0] ?? '')
    await within(seen.exit, 'its exit')
    const sum = execFileSync('sha256sum', { input: pieces.join(''), encoding: 'utf8' }).slice(0, 64)
    expect(seen.text()).toContain(sum)
    expect(typed).toEqual(['key a 200000 200000', 'key b 200000 400000', 'key c 200000 600000'])
  })

  it('that does not read blocks nobody, and its input is limited', async () => {
    await using own = await ownKeeper()
    await using keeper = await own.connect()
    await terminalIn(own, keeper, 'deaf', ['sh', '-c', 'stty raw; exec sleep 1000'])
    await terminalIn(own, keeper, 'cat', ['cat'])
    const megabyte = Buffer.alloc(1024 * 1024, 'x')
    let refused = null
    for (let n = 0; n < 12 && !refused; n += 1) {
      const written = await keeper.write('deaf', `big ${n}`, megabyte)
      if (!written.ok) refused = written.fault.code
    }
    expect(refused).toBe('stdin_blocked')
    const seen = await collect(keeper, 'cat')
    await keeper.write('cat', 'hello', 'hello\n')
    await until(() => seen.text() === 'hello\r\nhello\r\n')
  })

  it('is hung up, then asked, then killed, with its session and nothing else', async () => {
    await using own = await ownKeeper()
    await using keeper = await own.connect()
    const leave = `setsid sleep 1000 & echo left $!; (trap '' HUP TERM; echo stays $BASHPID; sleep 1000) & trap '' HUP; echo ready; wait; wait; wait`
    await terminalIn(own, keeper, 't', ['bash', '-c', leave])
    const seen = await collect(keeper, 't')
    await until(() => seen.text().includes('ready') && seen.text().includes('stays'))
    const pidAfter = (word: string) => Number(new RegExp(`${word} (\\d+)`).exec(seen.text())?.[1])
    const away = await until(() => childNamed(pidAfter('left')))
    onTestFinished(() => void process.kill(away, 'SIGKILL'))
    expect(await keeper.end('t', 50)).toEqual({ code: null, signal: 'SIGTERM' })
    // It was killed; until its new parent has noticed, it is still there.
    await until(() => !isAlive(pidAfter('stays')), { what: 'the end of its session' })
    expect(isAlive(away)).toBe(true)
  })

  it('leaves running what a shell leaves running', async () => {
    await using own = await ownKeeper()
    await using keeper = await own.connect()
    await terminalIn(own, keeper, 't', ['bash', '-c', 'nohup sleep 1000 >/dev/null 2>&1 & echo left $!; sleep 0.1'])
    const seen = await collect(keeper, 't')
    await within(seen.exit, 'its exit')
    const pid = Number(/left (\d+)/.exec(seen.text())?.[1])
    await keeper.forget('t')
    expect([isAlive(pid), await keeper.list()]).toEqual([true, []])
    expect(readFileSync(`/proc/${pid}/environ`, 'utf8')).not.toContain('SIGNALBOX')
    process.kill(pid, 'SIGKILL')
  })

  it('outlives a stop of the keeper, which ends with it; unless terminals are to end too', async () => {
    await using own = await ownKeeper({ env: { SIGNALBOX_KEEPER_LINGER_MS: '50' } })
    const first = await own.connect()
    const { pid } = await terminalIn(own, first, 't', ['bash', '--norc', '-i'])
    await first.spawn(own.spec('agent', ['cat']))
    await within(first.stop(), 'the end of the connection')
    await using second = await own.connect()
    expect(await second.list()).toMatchObject([{ id: 't', exit: null }])
    expect((await second.spawn(own.spec('agent', ['cat']))).ok).toBe(true)
    await within(second.stop(), 'the end of the connection')
    process.kill(pid, 'SIGKILL')
    await until(() => !isAlive(own.pid), { what: 'the end of the keeper' })
  })

  it('ends with the keeper on request', async () => {
    await using own = await ownKeeper()
    const keeper = await own.connect()
    const { pid } = await terminalIn(own, keeper, 't', ['bash', '--norc', '-i'])
    await within(keeper.stop({ terminals: true }), 'the end of the keeper')
    expect(await until(() => !isAlive(own.pid) && !isAlive(pid))).toBe(true)
  })

  it('reports its input to the server, and stores it nowhere', async () => {
    await using own = await ownKeeper()
    await using keeper = await own.connect()
    await terminalIn(own, keeper, 't', ['bash', '-c', 'read -sp "Password: " x; echo; echo done; read x'])
    const typed: string[] = []
    using _listening = keeper.typed('t', (bytes) => typed.push(Buffer.from(bytes).toString()))
    const look = await lookAt(keeper, 't')
    await keeper.writeIf('t', 'k', 'correct-horse\n', look)
    await until(async () => (await infoOf(keeper, 't')).to > look.to)
    expect(typed).toEqual(['correct-horse\n'])
    const files = readdirSync(join(own.home, 'run'), { recursive: true, withFileTypes: true }).filter((one) =>
      one.isFile(),
    )
    for (const file of files)
      expect(readFileSync(join(file.parentPath, file.name)).includes('correct-horse')).toBe(false)
  })
})

/** setsid runs its program itself or in a child. */
function childNamed(pid: number): number | null {
  const found = readdirSync('/proc').find((name) => {
    try {
      const stat = readFileSync(`/proc/${name}/stat`, 'utf8')
      return stat.includes('(sleep)') && (name === String(pid) || stat.split(' ')[3] === String(pid))
    } catch {
      return false
    }
  })
  return found ? Number(found) : null
}
