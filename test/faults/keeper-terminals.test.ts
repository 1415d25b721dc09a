import { execFileSync, spawn } from 'node:child_process'
import { createHash } from 'node:crypto'
import { once } from 'node:events'
import { readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { root } from '../../scripts/lib/say.mjs'
import { collect, isAlive, ownKeeper, residentMegabytes } from '../support/keeper.ts'
import { infoOf, terminalIn } from '../support/keeper-terminal.ts'
import { until, within } from '../support/until.ts'
import { scale } from '../support/scale.ts'

const megabyte = 1024 * 1024
const reader = join(root, 'test/support/keeper-reader-process.ts')

const sum = (text: string | Buffer): string => createHash('sha256').update(text).digest('hex')

/** The output of seq, as a terminal shows it. */
const printed = (last: number): string =>
  sum(
    execFileSync('seq', ['1', String(last)], { maxBuffer: 200 * megabyte, encoding: 'utf8' }).replaceAll('\n', '\r\n'),
  )

describe('what a program prints in a terminal', () => {
  it('arrives whole and in order, however often the server is killed', async () => {
    await using own = await ownKeeper()
    await using keeper = await own.connect()
    const lines = scale({ test: 2_500_000, long: 4_000_000 })
    await terminalIn(own, keeper, 'seq', ['seq', '1', String(lines)])
    const file = join(own.home, 'seen')
    writeFileSync(file, '')
    for (let life = 0; ; life += 1) {
      const before = statSync(file).size
      const process = spawn(globalThis.process.execPath, [reader, own.home, 'seq', file], { stdio: 'inherit' })
      const ended = once(process, 'exit')
      // Killed while working, at another point each time.
      if (life < 5) {
        await until(() => process.exitCode !== null || statSync(file).size > before + megabyte * (1 + life), {
          seconds: 60,
        })
        process.kill('SIGKILL')
      }
      const [code] = await ended
      if (code === 0) break
      expect([life < 5, code]).toEqual([true, null])
    }
    expect(sum(readFileSync(file))).toBe(printed(lines))
    await using again = await own.connect()
    expect(await again.list()).toMatchObject([{ from: statSync(file).size, exit: { code: 0, signal: null } }])
  })

  it('right before its end is never lost', async () => {
    await using own = await ownKeeper()
    await using keeper = await own.connect()
    const line = 'x'.repeat(199)
    for (let run = 0; run < scale({ test: 25, long: 100 }); run += 1) {
      const id = `run ${run}`
      const count = 1 + ((run * 7) % 300)
      await terminalIn(own, keeper, id, ['sh', '-c', `yes ${line} | head -n ${count}; exit ${run % 50}`])
      const seen = await collect(keeper, id)
      expect(await within(seen.exit, 'its exit')).toEqual({ code: run % 50, signal: null })
      expect(seen.size()).toBe(count * 201)
      await keeper.forget(id)
    }
  })

  it('right before its end is not lost if nobody reads yet, or if others hold the terminal open', async () => {
    await using own = await ownKeeper()
    await using keeper = await own.connect()
    await terminalIn(own, keeper, 't', ['bash', '-c', `trap '' HUP; sleep 1000 & echo $!; seq 1 20000`])
    await until(async () => (await infoOf(keeper, 't')).exit)
    const seen = await collect(keeper, 't')
    expect(await within(seen.exit, 'its exit')).toEqual({ code: 0, signal: null })
    expect(seen.text().endsWith('\n19999\r\n20000\r\n')).toBe(true)
    process.kill(Number.parseInt(seen.text(), 10), 'SIGKILL')
  })

  it('arrives at ten thousand lines a second from ten terminals, in bounded memory', async () => {
    await using own = await ownKeeper()
    await using keeper = await own.connect()
    const script =
      'for n in $(seq 1 30); do seq -f "%08.0f a line of a program that has much to say" 1 1000; sleep 0.1; done'
    const begun = Date.now()
    const all = await Promise.all(
      Array.from({ length: 10 }, async (_, n) => {
        await terminalIn(own, keeper, `t${n}`, ['bash', '-c', script])
        return collect(keeper, `t${n}`)
      }),
    )
    for (const seen of all) await within(seen.exit, 'its exit', 120)
    const seconds = (Date.now() - begun) / 1000
    expect(new Set(all.map((seen) => sum(seen.text()))).size).toBe(1)
    expect(all.map((seen) => seen.text().split('\n').length - 1)).toEqual(all.map(() => 30_000))
    expect(residentMegabytes(own.pid)).toBeLessThan(150)
    expect(300_000 / seconds).toBeGreaterThan(10_000)
  })

  it('waits in the spool without a server, and the program continues when it is read', async () => {
    const limit = 16 * megabyte
    const lines = 5_000_000
    await using own = await ownKeeper({ env: { SIGNALBOX_KEEPER_SPOOL_BYTES: String(limit) } })
    await using keeper = await own.connect()
    await terminalIn(own, keeper, 'seq', ['seq', '1', String(lines)])
    let last = -1
    await until(
      async () => {
        const { to } = await infoOf(keeper, 'seq')
        const stands = to === last && to > limit
        last = to
        return stands
      },
      { seconds: 60 },
    )
    expect(last).toBeLessThan(limit + 16 * megabyte)
    const seen = await collect(keeper, 'seq')
    expect(await within(seen.exit, 'its exit', 120)).toEqual({ code: 0, signal: null })
    expect(sum(seen.text())).toBe(printed(lines))
    expect(isAlive(own.pid)).toBe(true)
  })
})
