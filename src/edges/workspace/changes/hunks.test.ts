import { describe, expect, it } from 'vitest'
import { cpuMs } from '../../../../test/support/cpu-time.ts'
import { applyHunks, keepShape } from './hunks.ts'
import { linesOf, scanDiff } from '../../../lib/diff/scan-diff.ts'

const section = (hunks: string) => scanDiff(linesOf(`--- a/f\n+++ b/f\n${hunks}`))[0]
const apply = (file: string, hunks: string): string | null => {
  const read = section(hunks)
  return applyHunks(file, read?.hunks ?? [], read?.crlf ?? false)
}

const middle = '@@ -1,3 +1,3 @@\n one\n-two\n+2\n three\n'

describe('hunks', () => {
  it('apply at their line, or at the only other match', () => {
    expect(apply('one\ntwo\nthree\n', middle)).toBe('one\n2\nthree\n')
    expect(apply('zero\none\ntwo\nthree\n', middle)).toBe('zero\none\n2\nthree\n')
    expect(apply('one\ntwo\nthree\none\ntwo\nthree\n', middle)).toBe('one\n2\nthree\none\ntwo\nthree\n')
  })

  it('that match nowhere, or in two places but not at their line, are refused', () => {
    expect(apply('one\nzwei\nthree\n', middle)).toBeNull()
    expect(apply('x\none\ntwo\nthree\none\ntwo\nthree\n', middle)).toBeNull()
    expect(apply('one\ntwo\n', middle)).toBeNull()
    expect(apply('', middle)).toBeNull()
  })

  it('without context apply only at their line', () => {
    expect(apply('a\nb\n', '@@ -1,0 +2 @@\n+new\n')).toBe('a\nnew\nb\n')
    expect(apply('a\nb\n', '@@ -2,0 +3 @@\n+new\n')).toBe('a\nb\nnew\n')
    expect(apply('a\nb\n', '@@ -9,0 +10 @@\n+new\n')).toBeNull()
  })

  it('after one that moved must match only once', () => {
    const two = '@@ -1 +1 @@\n-a\n+A\n@@ -3 +3 @@\n-c\n+C\n'
    expect(apply('x\na\nb\nc\n', two)).toBe('x\nA\nb\nC\n')
    expect(apply('x\na\nb\nc\nc\n', two)).toBeNull()
  })

  it('designed to be searched everywhere are given up in time', () => {
    const wanted = `${' a\n'.repeat(999)}-b\n`
    const many = Array.from({ length: 50 }, (_, n) => `@@ -${n * 1000 + 2},1000 +${n * 999 + 2},999 @@\n${wanted}`)
    const started = cpuMs()
    expect(apply('a\n'.repeat(200_000), many.join(''))).toBeNull()
    expect(cpuMs() - started).toBeLessThan(10_000)
  })

  it('respect the newline at the end', () => {
    expect(apply('a', '@@ -1 +1 @@\n-a\n\\ No newline at end of file\n+b\n')).toBe('b\n')
    expect(apply('a\n', '@@ -1 +1 @@\n-a\n+b\n\\ No newline at end of file\n')).toBe('b')
    expect(apply('a', '@@ -1 +1 @@\n-a\n+b\n')).toBeNull()
    expect(apply('a\n', '@@ -1 +1 @@\n-a\n\\ No newline at end of file\n+b\n')).toBeNull()
    // It would join two lines.
    expect(apply('a\nb\n', '@@ -1 +1 @@\n-a\n+x\n\\ No newline at end of file\n')).toBeNull()
  })

  it('keep the line ends of the file, whichever the diff has', () => {
    const crlf = (text: string) => text.replaceAll('\n', '\r\n')
    expect(apply(crlf('one\ntwo\nthree\n'), middle)).toBe(crlf('one\n2\nthree\n'))
    expect(apply('one\ntwo\nthree\n', crlf(middle))).toBe('one\n2\nthree\n')
    expect(apply(crlf('one\ntwo\nthree\n'), crlf(middle))).toBe(crlf('one\n2\nthree\n'))
    expect(apply(crlf('a\nb\n'), '@@ -1,0 +2 @@\n+new\n')).toBe(crlf('a\nnew\nb\n'))
    expect(apply('one\r\ntwo\nthree\n', middle)).toBe('one\r\n2\nthree\n')
    expect(apply('a\r\nb', '@@ -1,2 +1,2 @@\n a\n-b\n\\ No newline at end of file\n+c\n')).toBe('a\r\nc\r\n')
  })

  it('may change line ends if they do so explicitly', () => {
    expect(apply('a\r\nb\r\n', '@@ -1,2 +1,2 @@\n-a\r\n+a\n b\r\n')).toBe('a\nb\r\n')
  })

  it('keep the byte order mark', () => {
    const mark = '\u00EF\u00BB\u00BF'
    expect(apply(`${mark}one\ntwo\nthree\n`, middle)).toBe(`${mark}one\n2\nthree\n`)
    expect(apply(`${mark}one\n`, '@@ -1 +1 @@\n-\uFEFFone\n+\uFEFF1\n')).toBe(`${mark}1\n`)
    expect(apply(`${mark}one\n`, '@@ -1 +1 @@\n-\uFEFFone\n+1\n')).toBe('1\n')
  })

  it('leave bytes that are not text unchanged', () => {
    expect(apply('\u00FF\u00FE\none\ntwo\nthree\n\u0000\u0080', '@@ -2,3 +2,3 @@\n one\n-two\n+zwö\n three\n')).toBe(
      '\u00FF\u00FE\none\nzw\u00C3\u00B6\nthree\n\u0000\u0080',
    )
  })
})

it('whole content keeps CRLF and the byte order mark of the file it replaces', () => {
  expect(keepShape('a\r\nb\r\n', 'x\ny\n')).toBe('x\r\ny\r\n')
  expect(keepShape('a\r\nb\n', 'x\ny\n')).toBe('x\ny\n')
  expect(keepShape('a\nb\n', 'x\r\ny\r\n')).toBe('x\r\ny\r\n')
  expect(keepShape('\u00EF\u00BB\u00BFa', 'x')).toBe('\u00EF\u00BB\u00BFx')
})
