import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import * as fc from 'fast-check'
import { expect, it } from 'vitest'
import { detect } from '../../src/domain/terminal/detect/detect.ts'
import { captureMasks, createCapture } from '../../src/edges/terminal/capture/capture.ts'
import { createEmulator } from '../../src/edges/terminal/emulator.ts'
import { readRecording } from '../../src/edges/terminal/recording/read.ts'
import { openRecording } from '../../src/edges/terminal/recording/recording.ts'
import { systemClock } from '../../src/lib/clock.ts'
import { recorded } from '../support/drawn-screen.ts'

const seed = 14
const runs = 150
const secret = 'ghp_0123456789abcdefghijABCDEFGHIJ012345'

const piece = fc.oneof(
  fc.constantFrom(
    '\x1b]52;c;c2VjcmV0\x07',
    '\x1b]52;c;?\x1b\\',
    '\x1b]0;owned title\x07',
    '\x1b]2;half a title',
    '\x1b]8;;http://evil\x07link\x1b]8;;\x07',
    '\x1b]133;A\x07',
    '\x1b]9;4;1;50\x07',
    '\x1bP$q"p\x1b\\',
    '\x1b_apc\x1b\\',
    '\x1b^pm\x1b\\',
    '\x1b[2J',
    '\x1b[H',
    '\x1b[999999999;999999999H',
    '\x1b[?1049h',
    '\x1b[?1049l',
    '\x1b[3;1r',
    '\x1b[6n',
    '\x1b[c',
    '\x1b[1000000b',
    '\x1b[1000000L',
    '\x1b[38;2;1;2;3m',
    `\x1b[${'9;'.repeat(500)}m`,
    '\x1b[',
    '\x1b',
    '\x9b31m',
    '\r\n',
    '\r',
    '\n',
    '\t',
    '\b',
    '\x07',
    '\x0e',
    '\x00',
    'plain words ',
    `token ${secret} `,
    `password=${secret}`,
    'Go on? [y/N] ',
    '漢字',
    '👩‍👩‍👧',
    'e\u0301'.repeat(20),
    '\u202e',
  ),
  fc.string({ unit: 'binary', maxLength: 20 }),
)
const bytesOf = fc.oneof(
  { weight: 4, arbitrary: piece.map((text) => Buffer.from(text)) },
  { weight: 1, arbitrary: fc.uint8Array({ maxLength: 12 }).map((bytes) => Buffer.from(bytes)) },
)
const stream = fc.array(bytesOf, { minLength: 1, maxLength: 25 }).map((parts) => Buffer.concat(parts))

const masks = captureMasks()

/** In chunks of these sizes, repeated. */
function captured(bytes: Buffer, sizes: readonly number[]): string {
  const capture = createCapture({ masks })
  let text = ''
  for (let at = 0, n = 0; at < bytes.length; n += 1) {
    const size = sizes[n % sizes.length] ?? 1
    text += capture.push(bytes.subarray(at, at + size))
    at += size
    expect(capture.offset + capture.held, 'no byte is lost on the way').toBe(Math.min(at, bytes.length))
  }
  text += capture.end()
  expect([capture.offset, capture.held]).toEqual([bytes.length, 0])
  return text
}

it(`S8 streams of a terminal: no crash, no byte lost, the same however they are cut (seed ${seed}, ${runs} streams)`, async () => {
  const folder = await mkdtemp(join(tmpdir(), 'sbz-'))
  try {
    let run = 0
    await fc.assert(
      fc.asyncProperty(
        stream,
        fc.array(fc.integer({ min: 1, max: 40 }), { minLength: 1, maxLength: 6 }),
        async (bytes, sizes) => {
          const whole = captured(bytes, [bytes.length])
          const cut = captured(bytes, sizes)
          expect(Buffer.byteLength(whole)).toBe(bytes.length)
          expect(cut).toBe(whole)
          expect(whole).not.toContain(secret)
          const screens = await Promise.all(
            [
              [whole],
              Array.from({ length: Math.ceil(whole.length / 7) }, (_, at) => whole.slice(at * 7, at * 7 + 7)),
            ].map(async (pieces) => {
              const emulator = createEmulator({ cols: 40, rows: 8, reply: () => undefined })
              for (const part of pieces) await emulator.write(part)
              const screen = emulator.screen()
              const ansi = emulator.ansi(true)
              emulator.dispose()
              return { screen, ansi }
            }),
          )
          expect(screens[1]?.screen).toEqual(screens[0]?.screen)
          // The page's terminal must not change its clipboard or title.
          // oxlint-disable-next-line no-control-regex -- escape sequences begin with one
          expect(screens[0]?.ansi).not.toMatch(/\x1b\](?:52|0|1|2|8|9|133|7);|\x1b[P_^X]|\x9d|\x90/)
          expect(screens[0]?.screen.title.length).toBeLessThanOrEqual(300)
          if (screens[0]) detect(screens[0].screen, { ...recorded, kernel: null })
          run += 1
          if (run % 10 > 0) return
          const directory = join(folder, String(run))
          const recording = await openRecording({
            directory,
            header: { cols: 40, rows: 8, title: null, env: {}, startedAt: 0 },
            limits: { segmentBytes: 4096, totalBytes: 1 << 20 },
            clock: systemClock,
            trouble: () => undefined,
          })
          recording.write(whole, 0)
          expect(recording.to).toBe(bytes.length)
          await recording.close()
          const { text } = await readRecording(directory, { from: 0, epoch: 0, maxBytes: 1 << 20 })
          expect(text).toBe(whole)
        },
      ),
      { seed, numRuns: runs },
    )
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
})
