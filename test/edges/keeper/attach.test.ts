import { describe, expect, it } from 'vitest'
import { silentLogger } from '../../../src/lib/log.ts'
import { collect, ownKeeper } from '../../support/keeper.ts'
import { attachTo, infoOf, reading, screenOn, terminalIn } from '../../support/keeper-terminal.ts'
import { until, within } from '../../support/until.ts'

describe('an attached terminal', () => {
  it('shows and controls the program alongside the server, which continues', async () => {
    await using own = await ownKeeper()
    await using keeper = await own.connect()
    await using attached = await attachTo(own)
    const spec = {
      ...own.spec('t', ['bash', '-c', 'read -p "who? " x; echo "hello $x"; exit 4']),
      pty: { cols: 90, rows: 20 },
    }
    expect(await attached.spawn(spec)).toMatchObject({ ok: true, value: { pty: { cols: 90, rows: 20 } } })
    expect(await attached.list()).toMatchObject([{ id: 't' }])
    const typed: string[] = []
    using _listening = keeper.typed('t', (bytes, { by }) => {
      if (by !== 'size') typed.push(`${by}: ${Buffer.from(bytes).toString()}`)
    })
    const seen = await collect(keeper, 't')
    const screen = await screenOn(attached, 't')
    await until(() => screen.text().includes('who?'))
    expect(await screen.write('you\n')).toEqual({ ok: true, value: undefined })
    expect(await within(screen.exit, 'its exit')).toEqual({ code: 4, signal: null })
    await within(seen.exit, 'its exit')
    expect(screen.text()).toBe('who? you\r\nhello you\r\n')
    expect(seen.text()).toBe(screen.text())
    expect(typed).toEqual(['keyboard: you\n'])
    expect(await screen.write('more')).toMatchObject({ ok: false, fault: { code: 'not_attached' } })
  })

  it('can be one of several: all see everything, and the last one to type sets the size', async () => {
    await using own = await ownKeeper()
    await using keeper = await own.connect()
    await terminalIn(own, keeper, 't', ['bash', '--norc', '-i'])
    await using here = await attachTo(own)
    await using there = await attachTo(own)
    const one = await screenOn(here, 't', 0, { cols: 100, rows: 30 })
    expect((await infoOf(keeper, 't')).pty).toMatchObject({ cols: 100, rows: 30, attached: 1 })
    const two = await screenOn(there, 't', 0, { cols: 60, rows: 20 })
    await until(() => one.sizes.at(-1) === '60x20')
    await one.write('stty size\n')
    await until(() => one.text().includes('30 100') && two.text().includes('30 100'))
    await until(() => two.sizes.at(-1) === '100x30')
    // The one who has not typed only gets a different screen.
    await two.resize(50, 10)
    expect((await infoOf(keeper, 't')).pty).toMatchObject({ cols: 100, rows: 30, attached: 2 })
    expect(await keeper.resize('t', { cols: 80, rows: 24 })).toMatchObject({ ok: false, fault: { code: 'size_taken' } })
    await one.detach()
    expect((await infoOf(keeper, 't')).pty).toMatchObject({ cols: 50, rows: 10, attached: 1 })
    await two.detach()
    expect(await keeper.resize('t', { cols: 80, rows: 24 })).toMatchObject({ ok: true })
  })

  it('is detached and attached again, and misses nothing', async () => {
    await using own = await ownKeeper()
    await using keeper = await own.connect()
    const seen = await terminalIn(own, keeper, 't', [
      'bash',
      '-c',
      'for n in 1 2 3; do read -p "$n? " x; echo "$n is $x"; done',
    ]).then(() => collect(keeper, 't'))
    await using first = await attachTo(own)
    const screen = await screenOn(first, 't')
    await until(() => screen.text().includes('1?'))
    await screen.write('a\n')
    await until(() => screen.text().includes('2?'))
    const at = screen.from + Buffer.byteLength(screen.text())
    await screen.detach()
    await reading(keeper, 't')
    await keeper.write('t', 'k', 'b\n')
    await until(() => seen.text().includes('3?'))
    // What the server has read is still there for a returning client.
    await using second = await attachTo(own)
    const back = await screenOn(second, 't', at)
    await until(() => back.text().includes('3?'))
    expect(screen.text() + back.text()).toBe(seen.text())
    const now = await screenOn(second, 't', 'now')
    expect(now.text()).toBe('')
    await now.write('c\n')
    await Promise.all([now.exit, back.exit, seen.exit].map((exit) => within(exit, 'its exit')))
    expect(screen.text() + back.text()).toBe(seen.text())
    expect(seen.text()).toContain('3 is c')
  })

  it('that is too slow slows the program, and nothing is lost', async () => {
    await using own = await ownKeeper()
    await using keeper = await own.connect()
    await terminalIn(own, keeper, 't', ['sh', '-c', 'read x; seq 1 300000'])
    const seen = await collect(keeper, 't')
    await using attached = await attachTo(own)
    const hold = Promise.withResolvers<void>()
    const exit = Promise.withResolvers<void>()
    let text = ''
    const attachment = await attached.attach(
      't',
      { from: 'now', cols: 80, rows: 24 },
      {
        async data(bytes) {
          text += Buffer.from(bytes).toString()
          await hold.promise
        },
        exit: () => exit.resolve(),
        size() {},
      },
    )
    if (!attachment.ok) throw new Error(attachment.fault.message)
    await attachment.value.write('go\n')
    let last = -1
    await until(async () => {
      const { to } = await infoOf(keeper, 't')
      const stands = to === last && to > 256 * 1024
      last = to
      return stands
    })
    expect(last).toBeLessThan(1024 * 1024)
    hold.resolve()
    await within(exit.promise, 'its exit', 20)
    await within(seen.exit, 'its exit')
    expect(text).toBe(seen.text())
    expect(text.split('\n').length).toBe(300_002)
  })

  it('that takes nothing for ten seconds while the program waits for it is detached', async () => {
    await using own = await ownKeeper()
    await using keeper = await own.connect()
    await terminalIn(own, keeper, 't', ['sh', '-c', 'read x; seq 1 100000; read x'])
    const seen = await collect(keeper, 't')
    await using attached = await attachTo(own)
    const why = Promise.withResolvers<string>()
    const never = new Promise<void>(() => {})
    let pieces = 0
    const attachment = await attached.attach(
      't',
      { from: 'now', cols: 80, rows: 24 },
      {
        data: () => ((pieces += 1) > 0 ? never : undefined),
        exit() {},
        size() {},
        detached: why.resolve,
      },
    )
    if (!attachment.ok) throw new Error(attachment.fault.message)
    await attachment.value.write('go\n')
    await until(() => seen.text().includes('\n100000\r\n'), { seconds: 25 })
    expect((await infoOf(keeper, 't')).pty?.attached).toBe(0)
    expect(pieces).toBe(1)
  })

  it('ends with its connection, and the program does not', async () => {
    await using own = await ownKeeper()
    await using keeper = await own.connect()
    await terminalIn(own, keeper, 't', ['cat'])
    const attached = await attachTo(own)
    await screenOn(attached, 't')
    await attached[Symbol.asyncDispose]()
    await until(async () => (await infoOf(keeper, 't')).pty?.attached === 0)
    expect((await infoOf(keeper, 't')).exit).toBe(null)
  })

  it('can do nothing else', async () => {
    await using own = await ownKeeper()
    await using keeper = await own.connect(silentLogger)
    await keeper.spawn(own.spec('agent', ['cat']))
    await using attached = await attachTo(own)
    expect(await attached.list()).toEqual([])
    expect(
      await attached.attach('agent', { from: 0, cols: 80, rows: 24 }, { data() {}, exit() {}, size() {} }),
    ).toMatchObject({
      ok: false,
      fault: { code: 'not_a_terminal' },
    })
    expect(
      await attached.attach('nobody', { from: 0, cols: 80, rows: 24 }, { data() {}, exit() {}, size() {} }),
    ).toMatchObject({
      ok: false,
      fault: { code: 'child_not_found' },
    })
  })
})
