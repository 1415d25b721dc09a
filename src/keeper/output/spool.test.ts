import { existsSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { until } from '../../../test/support/until.ts'
import { silentLogger } from '../../lib/log.ts'
import type { KeptOutput } from './output.ts'
import { createSpool } from './spool.ts'
import { campaignSeed, scale } from '../../../test/support/scale.ts'

const limits = { memory: 40_000, disk: 200_000, segment: 30_000 }

function freshSpool(over: Partial<typeof limits> = {}) {
  const home = mkdtempSync(join(tmpdir(), 'sbs-'))
  const directory = join(home, 'spool')
  const heard = { room: 0 }
  const events = { changed() {}, room: () => void (heard.room += 1) }
  const spool = createSpool({ directory, limits: { ...limits, ...over }, log: silentLogger, events })
  const files = () => (existsSync(directory) ? readdirSync(directory) : [])
  return {
    home,
    directory,
    spool,
    heard,
    files,
    async [Symbol.asyncDispose]() {
      await spool.close()
      rmSync(home, { recursive: true, force: true })
    },
  }
}

/** The letter at an offset shows its position. */
const letters = (from: number, length: number) =>
  Buffer.from(Array.from({ length }, (_, index) => ((from + index) * 31 + ((from + index) >> 8)) & 0xff))

async function readAll(spool: KeptOutput, from: number): Promise<Buffer> {
  const pieces: Buffer[] = []
  for (let at = from; at < spool.to;) {
    const piece = await until(() => spool.read(at, 10_000), { what: `byte ${at}` })
    expect(piece.offset).toBe(at)
    pieces.push(piece.bytes)
    at += piece.bytes.length
  }
  return Buffer.concat(pieces)
}

describe('a spool', () => {
  it('returns every byte in order, in whatever steps it is filled, read and dropped', async () => {
    const step = fc.record({ add: fc.nat(50_000), drop: fc.nat(60_000) })
    await fc.assert(
      fc.asyncProperty(fc.array(step, { maxLength: 12 }), async (steps) => {
        await using fresh = freshSpool({ disk: Number.POSITIVE_INFINITY })
        const { spool } = fresh
        for (const { add, drop } of steps) {
          spool.append(letters(spool.to, add))
          const seen = await readAll(spool, spool.from)
          expect(seen.equals(letters(spool.from, spool.to - spool.from))).toBe(true)
          spool.drop(Math.min(spool.to, spool.from + drop))
        }
      }),
      { seed: campaignSeed(), numRuns: scale({ test: 10, long: 100 }) },
    )
  })

  it('uses no disk for what fits in memory, and deletes files as they are dropped', async () => {
    await using fresh = freshSpool()
    const { spool, files } = fresh
    spool.append(letters(0, 40_000))
    expect(files()).toEqual([])
    for (let n = 0; n < 10; n += 1) {
      spool.append(letters(spool.to, 10_000))
      await readAll(spool, spool.to - 10_000)
    }
    expect(
      files()
        .map(Number)
        .sort((a, b) => a - b),
    ).toEqual([40_000, 70_000, 100_000, 130_000])
    spool.drop(99_999)
    await until(() => files().length === 3)
    spool.drop(140_000)
    await until(() => files().length === 0)
    spool.append(letters(140_000, 100))
    expect((await spool.read(140_000, 1000))?.bytes.equals(letters(140_000, 100))).toBe(true)
    expect(files()).toEqual([])
  })

  it('continues if it is given nothing while it writes', async () => {
    await using fresh = freshSpool()
    const { spool } = fresh
    spool.append(letters(0, 50_000))
    expect(spool.append(Buffer.alloc(0))).toBe(true)
    expect((await readAll(spool, 0)).equals(letters(0, 50_000))).toBe(true)
    spool.drop(50_000)
    await until(() => fresh.files().length === 0)
    spool.append(letters(50_000, 10))
    expect((await readAll(spool, 50_000)).equals(letters(50_000, 10))).toBe(true)
  })

  it('asks to wait when full, and says when there is room', async () => {
    await using fresh = freshSpool()
    const { spool, heard } = fresh
    let takes = true
    for (let n = 0; takes && n < 50; n += 1) takes = spool.append(letters(spool.to, 100_000))
    expect(takes).toBe(false)
    const end = spool.to
    let at = 0
    while (at < end) {
      const { bytes, offset } = await until(() => spool.read(at, 40_960), { what: `byte ${at}` })
      expect(bytes.equals(letters(offset, bytes.length))).toBe(true)
      at = offset + bytes.length
      spool.drop(at)
    }
    expect(heard.room).toBe(1)
  })

  it('that can’t be written keeps what it has, and continues when it can', async () => {
    await using fresh = freshSpool()
    const { spool, directory } = fresh
    // A file in place of the folder fails like a full disk.
    writeFileSync(directory, '')
    for (let n = 0; n < 20; n += 1) spool.append(letters(spool.to, 10_000))
    expect((await readAll({ ...spool, to: 40_000 }, 0)).equals(letters(0, 40_000))).toBe(true)
    expect(await spool.read(40_000, 10_000)).toBeNull()
    spool.drop(10_000)
    const piece = await until(() => spool.read(40_000, 10_000))
    expect(piece.bytes.equals(letters(40_000, 10_000))).toBe(true)
    rmSync(directory)
    expect((await readAll(spool, 10_000)).equals(letters(10_000, 190_000))).toBe(true)
  })
})
