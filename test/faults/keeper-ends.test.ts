import { existsSync, mkdtempSync, readFileSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { root } from '../../scripts/lib/say.mjs'
import { connectKeeper, reapLeftovers, type Keeper } from '../../src/keeper-client/client.ts'
import { listProcesses } from '../../src/lib/process-list.ts'
import { keeperPaths } from '../../src/keeper/protocol/paths.ts'
import { silentLogger } from '../../src/lib/log.ts'
import { childSpec, collect, endKeepers, isAlive, keepersOf, ownKeeper } from '../support/keeper.ts'
import { until, within } from '../support/until.ts'

/** The processes of a data directory's children. */
async function marked(home: string): Promise<number[]> {
  const mark = `${keeperPaths(home).homeHash}:`
  return (await listProcesses()).filter((one) => one.mark?.startsWith(mark)).map(({ pid }) => pid)
}

/** A child's output: process ids, one per line. */
async function printedPids(keeper: Keeper, id: string, count: number): Promise<number[]> {
  const seen = await collect(keeper, id)
  return until(() => {
    const pids = seen.text().split('\n').filter(Boolean).map(Number)
    return pids.length >= count ? pids : null
  })
}

const plainFile = join(root, 'tsconfig.json')
const script = (text: string): [string, string, string] => ['sh', '-c', text]

describe('a child', () => {
  it('that ends reports its exit code or signal after its last byte', async () => {
    await using own = await ownKeeper()
    await using keeper = await own.connect()
    await keeper.spawn(own.spec('code', script('echo out; echo err >&2; exit 7')))
    await keeper.spawn(own.spec('signal', script('kill -USR1 $$')))
    const code = await collect(keeper, 'code')
    expect(await within(code.exit, 'its exit')).toEqual({ code: 7, signal: null })
    expect(code.text()).toBe('out\n')
    expect(await keeper.stderr('code')).toBe('err\n')
    expect(await within((await collect(keeper, 'signal')).exit, 'its exit')).toEqual({ code: null, signal: 'SIGUSR1' })
    expect(await keeper.end('code', 1000)).toEqual({ code: 7, signal: null })
    expect(await keeper.end('nobody', 1000)).toEqual({ code: null, signal: null })
  })

  it.each([
    ['agent_not_found', { argv: ['no-such-agent'] as [string] }, /no-such-agent/],
    ['agent_not_found', { argv: [plainFile] as [string] }, /tsconfig\.json/],
    ['agent_not_found', { argv: ['no-such-agent'] as [string], output: { ring: 10 } }, /no-such-agent/],
    ['spawn_failed', { cwd: '/no/such/place' }, /directory \/no\/such\/place not found/],
    ['spawn_failed', { argv: ['echo', 'a\0b'] as [string, string] }, /echo/],
  ])('that can’t be started is a fault, %s, and is not listed', async (code, rest, words) => {
    await using own = await ownKeeper()
    await using keeper = await own.connect()
    const spawned = await keeper.spawn(own.spec('x', ['true'], rest))
    expect(spawned).toMatchObject({ ok: false, fault: { code } })
    expect(spawned.ok ? '' : spawned.fault.message).toMatch(words)
    expect(await keeper.list()).toEqual([])
  })

  it('is started once per id, with its own environment and label and nothing else', async () => {
    await using own = await ownKeeper({ env: { SECRET: 'of the keeper' } })
    await using keeper = await own.connect()
    const spec = own.spec('env', ['env'], { env: { PATH: '/usr/bin:/bin', OWN: 'yes' }, label: { session: 's1' } })
    const [first, second] = await Promise.all([keeper.spawn(spec), keeper.spawn(spec)])
    expect(first.ok && second.ok && first.value.pid === second.value.pid).toBe(true)
    const seen = await collect(keeper, 'env')
    await within(seen.exit, 'its exit')
    expect(seen.text().split('\n').sort()).toEqual([
      '',
      'OWN=yes',
      'PATH=/usr/bin:/bin',
      `SIGNALBOX_CHILD=${keeperPaths(own.home).homeHash}:env`,
    ])
    expect(await keeper.list()).toMatchObject([{ id: 'env', label: { session: 's1' } }])
  })

  it('with a ring keeps the last bytes of both outputs in order and is never held back', async () => {
    await using own = await ownKeeper()
    await using keeper = await own.connect()
    const text = 'seq 1 200000; echo one; echo two >&2; echo three'
    await keeper.spawn(own.spec('ring', script(text), { output: { ring: 20 } }))
    await until(async () => (await keeper.list())[0]?.exit)
    const { text: kept, truncated } = await keeper.read('ring')
    expect([Buffer.from(kept).toString(), truncated]).toEqual(['00000\none\ntwo\nthree\n'.slice(-20), true])
  })

  it('ends with everything it started, even what left its group or hides its environment', async () => {
    await using own = await ownKeeper()
    await using keeper = await own.connect()
    const inner = 'trap "" TERM; echo $$; while :; do sleep 1000; done'
    const text = `setsid sh -c '${inner}' & env -i setsid sh -c '${inner}' & (setsid sh -c '${inner}' &) ; ${inner}`
    await keeper.spawn(own.spec('tree', script(text)))
    const pids = await printedPids(keeper, 'tree', 4)
    expect(pids.every(isAlive)).toBe(true)
    const exit = await within(keeper.end('tree', 0), 'its end')
    expect(exit).toEqual({ code: null, signal: 'SIGKILL' })
    expect(pids.filter(isAlive)).toEqual([])
    expect(await marked(own.home)).toEqual([])
    expect(await keeper.list()).toMatchObject([{ exit: { signal: 'SIGKILL' } }])
  })

  it('that ends has its leftovers ended too, and its exit does not wait for a process that holds its output', async () => {
    await using own = await ownKeeper()
    await using keeper = await own.connect()
    await keeper.spawn(own.spec('leaver', script('setsid sleep 1000 & echo $!; exit 3')))
    const seen = await collect(keeper, 'leaver')
    expect(await within(seen.exit, 'its exit', 5)).toEqual({ code: 3, signal: null })
    await until(async () => (await marked(own.home)).length === 0)
    await keeper.forget('leaver')
    expect(await keeper.list()).toEqual([])
  })

  it('may end on its own if it does so in time', async () => {
    await using own = await ownKeeper()
    await using keeper = await own.connect()
    await keeper.spawn(own.spec('polite', script('cat; echo bye; exit 4')))
    const seen = await collect(keeper, 'polite')
    expect(await keeper.end('polite', 10_000)).toEqual({ code: 4, signal: null })
    await within(seen.exit, 'its exit')
    expect(seen.text()).toBe('bye\n')
  })
})

describe('the keeper', () => {
  it('is only one, however many start it at once', async () => {
    const home = mkdtempSync(join(tmpdir(), 'sbk-'))
    try {
      const none = await connectKeeper({ dataDir: home, log: silentLogger, start: false })
      expect(none).toEqual({ ok: true, value: null })
      const starts = Array.from({ length: 4 }, () => connectKeeper({ dataDir: home, log: silentLogger, start: true }))
      const all = await Promise.all(starts)
      expect(all.map(({ ok }) => ok)).toEqual([true, true, true, true])
      await until(() => keepersOf(home).length === 1)
      expect(statSync(join(home, 'run/keeper.sock')).mode & 0o777).toBe(0o600)
      expect(statSync(join(home, 'run/keeper.log')).mode & 0o777).toBe(0o600)
      // It talks to the latest connection.
      const again = await connectKeeper({ dataDir: home, log: silentLogger, start: true })
      if (!again.ok || !again.value) throw new Error('no keeper')
      for (const one of all) if (one.ok) await one.value?.closed
      await again.value.stop()
      await until(() => keepersOf(home).length === 0)
      expect(existsSync(join(home, 'run/keeper.sock'))).toBe(false)
    } finally {
      await endKeepers(home)
      rmSync(home, { recursive: true, force: true })
    }
  })

  it('that can’t start reports it at once', async () => {
    const started = await within(connectKeeper({ dataDir: plainFile, log: silentLogger, start: true }), 'the fault', 5)
    expect(started).toMatchObject({ ok: false, fault: { code: 'keeper_not_started' } })
  })

  it('ends automatically when nobody needs it, and not before', async () => {
    await using own = await ownKeeper({ env: { SIGNALBOX_KEEPER_LINGER_MS: '300' } })
    {
      await using keeper = await own.connect()
      await keeper.spawn(own.spec('cat', script('sleep 1; echo done')))
    }
    // Nobody is connected, and its child keeps running; its output is kept until someone reads it.
    await until(async () => (await marked(own.home)).length === 0)
    {
      await using keeper = await own.connect()
      const seen = await collect(keeper, 'cat')
      await within(seen.exit, 'its exit')
      expect(seen.text()).toBe('done\n')
      await keeper.forget('cat')
    }
    await until(() => !isAlive(own.pid))
    expect(existsSync(join(own.home, 'run/keeper.sock'))).toBe(false)
  })

  it('survives SIGHUP and SIGINT, and ends everything on SIGTERM', async () => {
    await using own = await ownKeeper()
    await using keeper = await own.connect()
    for (const id of ['a', 'b', 'c'])
      await keeper.spawn(own.spec(id, script('trap "" TERM HUP; sleep 1000; sleep 1000')))
    process.kill(own.pid, 'SIGHUP')
    process.kill(own.pid, 'SIGINT')
    const log = join(own.home, 'run/keeper.log')
    const said = () => (existsSync(log) ? readFileSync(log, 'utf8') : '')
    await until(() => said().includes('SIGHUP') && said().includes('SIGINT'))
    expect(await keeper.list()).toHaveLength(3)
    process.kill(own.pid, 'SIGTERM')
    await within(keeper.closed, 'the end of the connection')
    await until(() => !isAlive(own.pid))
    expect(await marked(own.home)).toEqual([])
  })

  it('leaves no process, socket or spool when stopped', async () => {
    await using own = await ownKeeper()
    const keeper = await own.connect()
    await keeper.spawn(own.spec('flood', ['yes']))
    await keeper.spawn(own.spec('tree', script('setsid sleep 1000 & sleep 1000')))
    await until(() => existsSync(join(own.home, 'run/spool')))
    await within(keeper.stop(), 'its end')
    await until(() => !isAlive(own.pid))
    expect(await marked(own.home)).toEqual([])
    expect(existsSync(join(own.home, 'run/spool'))).toBe(false)
    expect(existsSync(join(own.home, 'run/keeper.sock'))).toBe(false)
    expect(await keeper.write('tree', 'k', 'x')).toMatchObject({ ok: false, fault: { code: 'keeper_gone' } })
    await expect(keeper.list()).rejects.toThrow(/connection to the keeper was lost/)
  })

  it('when killed leaves processes that are found and ended, and can be started again', async () => {
    await using own = await ownKeeper()
    await using other = await ownKeeper()
    await using theirs = await other.connect()
    await theirs.spawn(other.spec('tree', ['sleep', '1000']))
    const keeper = await own.connect()
    const inner = 'trap "" TERM HUP PIPE; echo $$; while :; do sleep 1000; done'
    await keeper.spawn(own.spec('tree', script(`setsid sh -c '${inner}' & ${inner}`)))
    const pids = await printedPids(keeper, 'tree', 2)
    expect(await reapLeftovers(own.home, silentLogger)).toBe(0)
    process.kill(own.pid, 'SIGKILL')
    await within(keeper.closed, 'the end of the connection')
    expect(pids.every(isAlive)).toBe(true)
    // Two shells, each with its sleep.
    expect(await reapLeftovers(own.home, silentLogger)).toBeGreaterThanOrEqual(4)
    expect(pids.filter(isAlive)).toEqual([])
    expect(await marked(own.home)).toEqual([])
    expect(await marked(other.home)).toHaveLength(1)
    const next = await connectKeeper({ dataDir: own.home, log: silentLogger, start: true })
    if (!next.ok || !next.value) throw new Error('no keeper')
    expect(await next.value.list()).toEqual([])
    await next.value.spawn(childSpec('again', ['sleep', '1000']))
    await next.value.stop()
    expect(await marked(own.home)).toEqual([])
  })
})
