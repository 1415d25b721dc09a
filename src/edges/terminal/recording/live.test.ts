import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { createWakeSignal } from '../../../lib/wake-signal.ts'
import { systemClock } from '../../../lib/clock.ts'
import { liveOf, type LivePiece } from './live.ts'
import { openRecording } from './recording.ts'

let root: string
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'sb-live-'))
})
afterEach(() => rmSync(root, { recursive: true, force: true }))

const open = (segmentBytes = 1_000_000) =>
  openRecording({
    directory: join(root, 'one'),
    header: { cols: 80, rows: 24, title: null, env: {}, startedAt: 0 },
    limits: { segmentBytes, totalBytes: 100_000_000 },
    clock: systemClock,
  })

async function collect(pieces: AsyncIterable<LivePiece>): Promise<LivePiece[]> {
  const all: LivePiece[] = []
  for await (const piece of pieces) all.push(piece)
  return all
}

describe('a live reader', () => {
  it('gets everything once, in order, across segments and resizes, at its own pace', async () => {
    const recording = await open(3000)
    const wake = createWakeSignal()
    const { signal } = new AbortController()
    let isOver = false
    const deps = { wake, signal, ended: () => isOver }
    recording.write('first\r\n', 0)
    await recording.flush()
    const readers = [0, 3, 7].map((from) => collect(liveOf(join(root, 'one'), from, deps)))
    let text = 'first\r\n'
    for (let i = 0; i < 300; i++) {
      const line = `line ${i}\r\n`
      recording.write(line, i)
      text += line
      if (i === 150) recording.resize(100, 40, i)
      if (i % 20 === 0) {
        await recording.flush()
        wake.wake()
      }
    }
    await recording.close()
    isOver = true
    wake.wake()
    const [all, some, rest] = await Promise.all(readers)
    expect(all!.map((piece) => piece.text).join('')).toBe(text)
    expect(some!.map((piece) => piece.text).join('')).toBe(text.slice(3))
    expect(rest!.map((piece) => piece.text).join('')).toBe(text.slice(7))
    expect(all!.some((piece) => piece.size?.cols === 100)).toBe(true)
    for (const piece of all!) expect(text.startsWith(piece.text, piece.offset)).toBe(true)
  })

  it('is told of a new epoch', async () => {
    const recording = await open()
    recording.write('old\n', 0)
    recording.begin(1, 0)
    recording.write('new\n', 0)
    await recording.close()
    const { signal } = new AbortController()
    const pieces = await collect(liveOf(join(root, 'one'), 0, { wake: createWakeSignal(), signal, ended: () => true }))
    expect(pieces.filter(({ text }) => text).map(({ text, epoch }) => [text, epoch])).toEqual([
      ['old\n', 0],
      ['new\n', 1],
    ])
  })

  it('ends when its reader leaves', async () => {
    const recording = await open()
    recording.write('x', 0)
    await recording.flush()
    const leaving = new AbortController()
    const reading = collect(liveOf(join(root, 'one'), 0, { wake: createWakeSignal(), signal: leaving.signal }))
    leaving.abort()
    expect((await reading).length).toBeLessThanOrEqual(1)
    await recording.close()
  })
})
