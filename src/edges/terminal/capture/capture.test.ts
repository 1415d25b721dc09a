import { describe, expect, it } from 'vitest'
import { captureMasks, createCapture } from './capture.ts'
import { compileMask } from './custom-masks.ts'
import { randomChunks } from './random-chunks.ts'

const masks = captureMasks()
const bytes = (text: string) => Buffer.from(text)

describe('capture', () => {
  it.each([
    ['a character', 'a漢b', 2],
    ['a character of four bytes', 'a😀b', 3],
    ['a CSI sequence', 'a\x1b[1;31mb', 5],
    ['an OSC string', 'a\x1b]0;title\x07b', 6],
    ['an OSC string before its end mark', 'a\x1b]0;title\x1b\\b', 11],
    ['a DCS string', 'a\x1bP1$r0m\x1b\\b', 5],
    ['a CR LF', 'a\r\nb', 2],
  ])('never splits %s', (_, text, at) => {
    const capture = createCapture({ masks })
    expect(capture.push(bytes(text).subarray(0, at))).toBe('a')
    expect(capture.held).toBe(at - 1)
    expect(capture.push(bytes(text).subarray(at))).toBe(text.slice(1))
  })

  it('passes on a lone CR after a moment', () => {
    const capture = createCapture({ masks })
    expect(capture.push(bytes('50%\r'))).toBe('50%')
    expect(capture.waits).toBe(true)
    expect(capture.flush()).toBe('\r')
    expect(capture.waits).toBe(false)
  })

  it('cuts off an endless string once 64 KB of it are held', () => {
    const capture = createCapture({ masks })
    let shown = capture.push(bytes('\x1b]0;'))
    for (let i = 0; i < 1024; i++) {
      shown += capture.push(bytes('x'.repeat(1024)))
      expect(capture.held).toBeLessThanOrEqual(65 * 1024)
    }
    expect(shown.length + capture.held).toBe(1024 * 1024 + 4)
    expect(capture.push(bytes('\x07ok\r\n'))).toContain('ok')
  })

  it('replaces each invalid byte by ?, so that offsets match the source', () => {
    const capture = createCapture({ masks })
    const given = Buffer.from([0x61, 0xff, 0xc3, 0x28, 0xed, 0xa0, 0x80, 0xe6, 0xbc, 0xa2, 0xf0, 0x9f])
    expect(capture.push(given) + capture.end()).toBe('a??(???漢??')
    expect(capture.offset).toBe(given.length)
  })

  it('gives the same text however bytes are cut, even invalid ones', () => {
    for (let seed = 1; seed <= 200; seed++) {
      const random = randomChunks(seed)
      const given = Buffer.from(
        Array.from(
          { length: 400 },
          () => [0x1b, 0x5b, 0x5d, 7, 13, 10, 0xe6, 0xbc, 0xa2, 65][random.below(10)] ?? random.below(256),
        ),
      )
      const whole = createCapture({ masks })
      const parts = createCapture({ masks })
      const wanted = whole.push(given) + whole.end()
      const got =
        random
          .raw(given)
          .map((chunk) => parts.push(chunk))
          .join('') + parts.end()
      expect(got, `seed ${seed}`).toBe(wanted)
      expect(Buffer.byteLength(got)).toBe(given.length)
    }
  })

  it('masks what the configuration adds, across chunks and colours', () => {
    const rule = compileMask('ACME-([0-9a-f]{8})')
    const capture = createCapture({ masks: captureMasks(rule.ok ? [rule.value] : []) })
    const shown = Array.from('id ACME-12\x1b[1m34ab\x1b[0mcd ok\r\nnext').map((key) => capture.push(bytes(key)))
    expect(shown.join('') + capture.flush()).toBe('id ACME-**\x1b[1m****\x1b[0m** ok\r\nnext')
  })

  it('keeps masking what began before a restart', () => {
    const token = 'ghp_abcdefghijklmnopqrstuvwxyz0123456789'
    const key = `-----BEGIN PRIVATE KEY-----\r\n${'MIIEpAIBAAKCAQEA0Z3VS5JJcds\r\n'.repeat(4)}`
    for (const text of [
      `a ${token} b\r\n`,
      'password=hunter2 x\r\n',
      `${key}-----END`,
      'https://bob:hunter2@host/\r\n',
    ]) {
      const whole = createCapture({ masks })
      const wanted = whole.push(bytes(text)) + whole.end()
      for (let at = 1; at < text.length; at++) {
        const first = createCapture({ masks })
        const before = first.push(bytes(text.slice(0, at)))
        const second = createCapture({ masks, offset: first.offset, before })
        expect(before + second.push(bytes(text.slice(first.offset))) + second.end(), `${at}`).toBe(wanted)
      }
    }
  })

  it('explains an invalid mask', () => {
    expect(compileMask('(?<=x)y')).toMatchObject({ ok: false, fault: { code: 'invalid_regex' } })
  })
})
