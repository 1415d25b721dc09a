import { mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { spawnSync } from 'node:child_process'
import { join } from 'node:path'
import { afterAll, describe, expect, it } from 'vitest'
import { systemClock, type Clock } from '../../../lib/clock.ts'
import type { Fault } from '../../../lib/result.ts'
import { readRecording } from './read.ts'
import { openRecording } from './recording.ts'
import { searchRecordings } from './search.ts'

const place = mkdtempSync(join(tmpdir(), 'sb-full-'))
const isMounted =
  process.getuid?.() === 0 && spawnSync('mount', ['-t', 'tmpfs', '-o', 'size=1m', 'tmpfs', place]).status === 0

afterAll(() => {
  if (isMounted) spawnSync('umount', [place])
  rmSync(place, { recursive: true, force: true })
})

/** Retrying uses a timer like any other: here it is short. */
const hurried: Clock = {
  now: systemClock.now,
  at: (time, call) => systemClock.at(Math.min(time, Date.now() + 5), call),
}

describe.skipIf(!isMounted)('a full disk', () => {
  it('is reported, nothing is acknowledged, and writing continues when there is room', async () => {
    writeFileSync(join(place, 'ballast'), Buffer.alloc(700_000))
    const told: (Fault | null)[] = []
    const full = Promise.withResolvers<void>()
    const recording = await openRecording({
      directory: join(place, 'one'),
      header: { cols: 80, rows: 24, title: null, env: {}, startedAt: 0 },
      clock: hurried,
      trouble(fault) {
        told.push(fault)
        if (fault) full.resolve()
      },
    })
    const line = `${'x'.repeat(998)}\r\n`
    for (let i = 0; i < 600; i++) recording.write(line, i)
    let isFlushed = false
    const flushed = recording.flush().then(() => (isFlushed = true))
    await full.promise
    expect(told).toMatchObject([{ kind: 'unavailable', code: 'disk_full' }])
    expect(recording.durable).toBeLessThan(recording.to)
    expect(isFlushed).toBe(false)
    const readable = await readRecording(join(place, 'one'), { from: 0, epoch: 0, maxBytes: 10_000_000 })
    expect(readable.text).toBe(line.repeat(readable.text.length / 1000))
    rmSync(join(place, 'ballast'))
    await flushed
    expect(told.at(-1)).toBeNull()
    expect(recording.durable).toBe(600_000)
    expect(await recording.close()).toMatchObject({ ok: true })
    const whole = await readRecording(join(place, 'one'), { from: 0, epoch: 0, maxBytes: 10_000_000 })
    expect(whole.text).toBe(line.repeat(600))
    rmSync(join(place, 'one'), { recursive: true })
  })

  it('gets no search text: recordings come first', async () => {
    const directory = join(place, 'three')
    const header = { cols: 80, rows: 24, title: null, env: {}, startedAt: 0 }
    const recording = await openRecording({ directory, header, clock: hurried })
    recording.write('a line of many\r\n'.repeat(5000), 0)
    await recording.close()
    const input = { query: 'nothing', regex: false, contextLines: 0, maxResults: 1 }
    expect(await searchRecordings([directory], input)).toMatchObject({ ok: true, value: { matches: [] } })
    expect(readdirSync(directory)).toEqual(['000000000000.cast', '000000000000.index'])
    rmSync(directory, { recursive: true })
  })

  it('blocks the writer instead of filling memory, and closing reports what was not written', async () => {
    writeFileSync(join(place, 'ballast'), Buffer.alloc(900_000))
    const recording = await openRecording({
      directory: join(place, 'two'),
      header: { cols: 80, rows: 24, title: null, env: {}, startedAt: 0 },
      clock: hurried,
    })
    let written = 0
    while (written < 20_000 && recording.write('x'.repeat(1000), 0)) written += 1
    expect(written).toBeGreaterThan(1000)
    expect(written).toBeLessThan(6000)
    expect(await recording.close()).toMatchObject({ ok: false, fault: { code: 'disk_full' } })
  })
})
