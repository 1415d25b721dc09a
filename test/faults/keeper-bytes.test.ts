import { execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { connect } from 'node:net'
import { join } from 'node:path'
import { createHash } from 'node:crypto'
import { describe, expect, it } from 'vitest'
import { root } from '../../scripts/lib/say.mjs'
import { silentLogger } from '../../src/lib/log.ts'
import { smallDisk } from '../support/broken-disk.ts'
import { collect, isAlive, ownKeeper, residentMegabytes } from '../support/keeper.ts'
import { until, within } from '../support/until.ts'
import { scale } from '../support/scale.ts'

const megabyte = 1024 * 1024
const reader = join(root, 'test/support/keeper-reader-process.ts')

describe('a child’s input and output', () => {
  it('arrives whole and in order, however often the reader is killed', async () => {
    await using own = await ownKeeper()
    await using keeper = await own.connect()
    const lines = scale({ test: 3_500_000, long: 7_000_000 })
    expect((await keeper.spawn(own.spec('seq', ['seq', '1', String(lines)]))).ok).toBe(true)
    const file = join(own.home, 'seen')
    writeFileSync(file, '')
    for (let life = 0; ; life += 1) {
      const before = statSync(file).size
      const process = spawn(globalThis.process.execPath, [reader, own.home, 'seq', file], { stdio: 'inherit' })
      const ended = once(process, 'exit')
      // Killed while working, at another point each time.
      if (life < 6)
        await until(() => process.exitCode !== null || statSync(file).size > before + megabyte * (1 + life), {
          seconds: 60,
        })
      if (life < 6) process.kill('SIGKILL')
      const [code] = await ended
      if (code === 0) break
      expect([life < 6, code]).toEqual([true, null])
    }
    const size = execFileSync('sh', ['-c', `seq 1 ${lines} | sha256sum`], { encoding: 'utf8' })
    expect(statSync(file).size).toBeGreaterThan(scale({ test: 25, long: 50 }) * megabyte)
    expect(createHash('sha256').update(readFileSync(file)).digest('hex')).toBe(size.split(' ')[0])
    await using again = await own.connect()
    expect(await again.list()).toMatchObject([{ from: statSync(file).size, exit: { code: 0, signal: null } }])
    // Nothing that was acknowledged stays on the disk.
    await until(() => spoolFiles(own.home) === 0)
    await again.forget('seq')
    expect(await again.list()).toEqual([])
  })

  it('is written once for each key, in order, also by a second connection', async () => {
    await using own = await ownKeeper()
    await using first = await own.connect()
    await first.spawn(own.spec('cat', ['cat']))
    const keys = ['a', 'b', 'a', 'c', 'b']
    for (const key of keys) expect((await first.write('cat', key, `${key}\n`)).ok).toBe(true)
    await using second = await own.connect()
    await within(first.closed, 'the end of the first connection')
    for (const key of [...keys, 'd']) expect((await second.write('cat', key, `${key}\n`)).ok).toBe(true)
    await second.closeStdin('cat')
    const seen = await collect(second, 'cat')
    expect(await within(seen.exit, 'its exit')).toEqual({ code: 0, signal: null })
    expect(seen.text()).toBe('a\nb\nc\nd\n')
    expect(await second.write('cat', 'a', 'a')).toEqual({ ok: true, value: undefined })
    expect(await second.write('cat', 'e', 'e')).toMatchObject({ ok: false, fault: { code: 'stdin_closed' } })
    expect(await second.write('nobody', 'e', 'e')).toMatchObject({ ok: false, fault: { code: 'child_not_found' } })
  })

  it('waits in a bounded queue if the child does not read, and delays nobody else', async () => {
    await using own = await ownKeeper()
    await using keeper = await own.connect()
    await keeper.spawn(own.spec('deaf', ['sleep', '1000']))
    await keeper.spawn(own.spec('cat', ['cat']))
    const bytes = Buffer.alloc(8 * megabyte)
    let refused = null
    for (let n = 0; n < 12 && !refused; n += 1) {
      const written = await keeper.write('deaf', `big ${n}`, bytes)
      if (!written.ok) refused = written.fault.code
    }
    expect(refused).toBe('stdin_blocked')
    await keeper.write('cat', 'hello', 'hello')
    const seen = await collect(keeper, 'cat')
    await until(() => seen.text() === 'hello')
  })

  it('in a flood is held back at the limit, uses little memory and slows nobody', async () => {
    const limit = 64 * megabyte
    await using own = await ownKeeper({ env: { SIGNALBOX_KEEPER_SPOOL_BYTES: String(limit) } })
    await using keeper = await own.connect()
    await keeper.spawn(own.spec('cat', ['cat']))
    const echo = await collect(keeper, 'cat')
    const flood = await keeper.spawn(own.spec('yes', ['yes', 'a line that comes over and over again']))
    if (!flood.ok) throw new Error(flood.fault.message)
    const printed = async () => (await keeper.list()).find(({ id }) => id === 'yes')?.to ?? 0
    let asked = 0
    let last = -1
    // While it floods, another child answers; then nothing more is read from it.
    await until(async () => {
      asked += 1
      await keeper.write('cat', String(asked), '.')
      await within(
        until(() => echo.size() === asked),
        'the echo',
        2,
      )
      const now = await printed()
      const stands = now === last && now > limit
      last = now
      return stands
    })
    expect(last).toBeLessThan(limit + 16 * megabyte)
    expect(residentMegabytes(own.pid)).toBeLessThan(200)
    // The child blocks in its write.
    await until(() => /^State:\s+S/m.test(readFileSync(`/proc/${flood.value.pid}/status`, 'utf8')))
    // Read further, it continues; and its output is complete.
    const seen = await collect(keeper, 'yes')
    await until(() => seen.size() > 3 * limit, { seconds: 60 })
    expect(residentMegabytes(own.pid)).toBeLessThan(250)
    expect((await keeper.end('yes', 0)).signal).toBe('SIGTERM')
    await within(seen.exit, 'its exit')
    expect(isAlive(own.pid)).toBe(true)
  })

  it('on a full disk does no harm, and is complete once it is read', async (context) => {
    using disk = smallDisk(6, context)
    await using own = await ownKeeper({ home: disk.path })
    await using keeper = await own.connect()
    await keeper.spawn(own.spec('seq', ['seq', '1', '4000000']))
    await until(async () => ((await keeper.list())[0]?.to ?? 0) > 13 * megabyte)
    const seen = await collect(keeper, 'seq')
    expect(await within(seen.exit, 'its exit', 60)).toEqual({ code: 0, signal: null })
    const expected = execFileSync('seq', ['1', '4000000'], { maxBuffer: 100 * megabyte })
    expect(createHash('sha256').update(seen.text()).digest('hex')).toBe(
      createHash('sha256').update(expected).digest('hex'),
    )
  })

  it('reaches a slow listener piece by piece, and others at once', async () => {
    await using own = await ownKeeper()
    await using keeper = await own.connect()
    await keeper.spawn(own.spec('slow', ['seq', '1', '1000000']))
    await keeper.spawn(own.spec('cat', ['cat']))
    const hold = Promise.withResolvers<void>()
    let bytes = 0
    const done = Promise.withResolvers<void>()
    await keeper.listen('slow', 0, {
      async data(piece) {
        bytes += piece.length
        await hold.promise
      },
      exit: () => done.resolve(),
    })
    await until(() => bytes > 0)
    // A listener may call the keeper while its own bytes are held back.
    await keeper.write('cat', 'k', 'hello')
    const seen = await collect(keeper, 'cat')
    await until(() => seen.text() === 'hello')
    expect(bytes).toBeLessThan(2 * megabyte)
    hold.resolve()
    await within(done.promise, 'the exit')
    expect(bytes).toBe(6_888_896)
  })

  it('is kept for the next listener if one throws', async () => {
    await using own = await ownKeeper()
    const errors: string[] = []
    const log = { ...silentLogger, error: (_fields: unknown, text: string) => void errors.push(text), child: () => log }
    await using keeper = await own.connect(log)
    await keeper.spawn(own.spec('echo', ['echo', 'hello']))
    await keeper.listen('echo', 0, {
      data() {
        throw new Error('no room')
      },
      exit: () => errors.push('exit'),
    })
    await until(() => errors.length > 0)
    expect(errors).toEqual(['a listener failed and was removed'])
    const seen = await collect(keeper, 'echo')
    await within(seen.exit, 'its exit')
    expect(seen.text()).toBe('hello\n')
    expect(await keeper.listen('echo', 3, { data() {}, exit() {} })).toMatchObject({
      ok: false,
      fault: { code: 'output_gone', details: { from: 6, to: 6 } },
    })
  })
})

describe('a connection', () => {
  it.each([
    ['garbage', Buffer.from('GET / HTTP/1.1\r\n\r\n')],
    ['half a frame', Buffer.from([0, 0, 0, 50, 0, 0, 0, 0, 0x7b])],
    ['an endless frame', Buffer.alloc(64, 0xff)],
    ['an unknown operation', frame({ op: 'sing', n: 1 })],
    [
      'an operation without fields',
      Buffer.concat(['spawn', 'write', 'end', 'listen', 'ack', 'toString'].map((op) => frame({ op, n: 2 }))),
    ],
  ])('that sends %s and goes away leaves the keeper as it was', async (_what, bytes) => {
    await using own = await ownKeeper()
    {
      await using keeper = await own.connect()
      await keeper.spawn(own.spec('cat', ['cat']))
      await keeper.write('cat', 'k', 'kept')
    }
    for (const greets of [true, false]) {
      const socket = connect(join(own.home, 'run/keeper.sock'))
      socket.on('error', () => {})
      await once(socket, 'connect')
      if (greets) socket.write(frame({ op: 'hello', n: 0, protocol: 1 }))
      await new Promise((resolve) => socket.write(bytes, resolve))
      socket.destroy()
    }
    await using keeper = await own.connect()
    const seen = await collect(keeper, 'cat')
    await until(() => seen.text().length >= 4)
    expect(seen.text()).toBe('kept')
  })
})

function frame(header: Record<string, unknown>): Buffer {
  const text = Buffer.from(JSON.stringify(header))
  const lengths = Buffer.alloc(8)
  lengths.writeUInt32BE(text.length)
  return Buffer.concat([lengths, text])
}

const spoolFiles = (home: string): number => {
  const spool = join(home, 'run/spool')
  return existsSync(spool)
    ? readdirSync(spool, { recursive: true, withFileTypes: true }).filter((one) => one.isFile()).length
    : 0
}
