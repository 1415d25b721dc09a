import { afterEach, describe, expect, it } from 'vitest'
import { cpuMs } from '../../../test/support/cpu-time.ts'
import { createEmulator, type Emulator } from './emulator.ts'

const open: Emulator[] = []
afterEach(() => {
  for (const emulator of open.splice(0)) emulator.dispose()
})

function emulate(size: Partial<Parameters<typeof createEmulator>[0]> = {}): Emulator {
  const emulator = createEmulator({ cols: 20, rows: 5, ...size })
  open.push(emulator)
  return emulator
}

async function screenOf(text: string | Uint8Array, size?: Parameters<typeof emulate>[0]) {
  const emulator = emulate(size)
  await emulator.write(text)
  return emulator.screen()
}

describe('the visible screen', () => {
  it('has every row, without trailing spaces, and the cursor', async () => {
    const screen = await screenOf('one\r\ntwo   \r\nthree ')
    expect(screen.lines.map(({ text }) => text.trimEnd())).toEqual(['one', 'two', 'three', '', ''])
    expect(screen.cursor).toEqual({ row: 2, col: 6, hidden: false })
  })

  it('says which rows the terminal wrapped', async () => {
    const { lines } = await screenOf('a question that is longer than a row?')
    expect(lines.map(({ wrapped }) => wrapped)).toEqual([false, true, false, false, false])
  })

  it('keeps the last lines that scrolled out, at most 50', async () => {
    const { above, lines } = await screenOf(Array.from({ length: 100 }, (_, n) => `line ${n}`).join('\r\n'))
    expect(above).toHaveLength(50)
    expect(above.at(-1)?.text).toBe('line 94')
    expect(lines[0]?.text).toBe('line 95')
  })

  it('gives wide characters two columns and joins marks to the character before', async () => {
    expect((await screenOf('密码：')).cursor.col).toBe(6)
    expect((await screenOf('cafe\u0301')).cursor.col).toBe(4)
    expect((await screenOf('🚀 ')).cursor.col).toBe(3)
  })

  it('marks highlighted text, by columns', async () => {
    const { lines } = await screenOf(
      'a \u001b[7minv\u001b[0m \u001b[1mb\u001b[0m\u001b[2md\u001b[0m\u001b[4mu\u001b[0m \u001b[31mred\u001b[0m',
    )
    expect(lines[0]?.marks).toEqual([
      { from: 2, to: 5, kind: 'inverse' },
      { from: 6, to: 7, kind: 'bold' },
      { from: 7, to: 8, kind: 'dim' },
      { from: 8, to: 9, kind: 'underline' },
      { from: 10, to: 13, kind: 'color' },
    ])
  })

  it('renders the same screen on an empty terminal', async () => {
    const first = emulate()
    await first.write('one\r\n\u001b[7mtwo\u001b[0m > ')
    const again = await screenOf(first.ansi())
    expect(again.lines).toEqual(first.screen().lines)
    expect(again.cursor).toEqual(first.screen().cursor)
  })

  it('joins wrapped lines in its text, scrollback included', async () => {
    const emulator = emulate()
    await emulator.write(`${'x'.repeat(30)}\r\n${'line\r\n'.repeat(8)}`)
    expect(emulator.text().split('\n')).toEqual(['x'.repeat(30), ...Array.from({ length: 8 }, () => 'line')])
  })

  it('follows a resize', async () => {
    const emulator = emulate()
    emulator.resize(40, 10)
    await emulator.write('a question that is longer than a row?')
    expect(emulator.screen()).toMatchObject({ cols: 40, rows: 10, lines: { length: 10 } })
    expect(emulator.screen().lines[1]?.wrapped).toBe(false)
  })
})

describe('what programs report besides text', () => {
  it('includes modes: alternate screen, bracketed paste, cursor keys, mouse, hidden cursor', async () => {
    const emulator = emulate()
    await emulator.write('\u001b[?1049h\u001b[?2004h\u001b[?1h\u001b[?1000h\u001b[?25l')
    const on = { alternate: true, bracketedPaste: true, applicationCursor: true, mouse: true, cursor: { hidden: true } }
    expect(emulator.screen()).toMatchObject(on)
    await emulator.write('\u001b[?1049l\u001b[?2004l\u001b[?1l\u001b[?1000l\u001b[?25h')
    const off = { alternate: false, bracketedPaste: false, applicationCursor: false, mouse: false }
    expect(emulator.screen()).toMatchObject({ ...off, cursor: { hidden: false } })
  })

  it('includes the cursor shown again after a reset', async () => {
    expect((await screenOf('\u001b[?25l\u001bc')).cursor.hidden).toBe(false)
    expect((await screenOf('\u001b[?25l\u001b[!p')).cursor.hidden).toBe(false)
  })

  it.each([
    ['A', 'prompt'],
    ['B', 'input'],
    ['C', 'running'],
    ['D;1', 'done'],
  ] as const)('includes the shell mark %s as %s', async (mark, says) => {
    expect((await screenOf(`\u001b]133;${mark}\u0007`)).shellMark).toBe(says)
  })

  it('includes progress and title', async () => {
    const emulator = emulate()
    await emulator.write('\u001b]9;4;1;40\u0007\u001b]0;building\u0007')
    expect(emulator.screen()).toMatchObject({ progress: true, title: 'building' })
    await emulator.write('\u001b]9;4;0\u0007')
    expect(emulator.screen().progress).toBe(false)
  })

  it('includes bells, and what a terminal would reply', async () => {
    const replies: string[] = []
    const emulator = emulate({ reply: (text) => void replies.push(text) })
    await emulator.write('\u0007\u0007\u001b[6n')
    expect(emulator.bells).toBe(2)
    expect(replies).toEqual(['\u001b[1;1R'])
  })
})

describe('hostile sequences', () => {
  it.each([
    ['repeats endlessly', `a${'\u001b[2147483647b'.repeat(3)}`],
    ['inserts lines endlessly', '\u001b[2147483647L\u001b[2147483647M'],
    ['scrolls endlessly', '\u001b[2147483647S\u001b[2147483647T'],
    ['goes through tab stops endlessly', '\u001b[2147483647I\u001b[2147483647Z'],
    ['inserts columns endlessly', "\u001b[2147483647'}\u001b[2147483647'~\u001b[2147483647 @"],
    ['hides text in numbers', `\u001b[${'9'.repeat(5000)};${'1;'.repeat(5000)}m`],
    ['opens strings that never end', `\u001b]0;${'x'.repeat(200_000)}`],
    ['ends in the middle of a character', new Uint8Array([0xf0, 0x9f, 0x9a])],
  ])('%s: handled quickly', async (_name, text) => {
    const started = cpuMs()
    const screen = await screenOf(text)
    expect(cpuMs() - started).toBeLessThan(1000)
    expect(screen.lines).toHaveLength(5)
  })

  it('a title stays short', async () => {
    expect((await screenOf(`\u001b]2;${'x'.repeat(100_000)}\u0007`)).title.length).toBeLessThanOrEqual(300)
  })

  it('a character does not grow with its combining marks, however they come', async () => {
    const emulator = emulate()
    for (let piece = 0; piece < 200; piece += 1)
      await emulator.write(`${piece === 0 ? 'a' : ''}${'\u0301'.repeat(500)}`)
    const { lines } = emulator.screen()
    expect(lines.map(({ text }) => text).join('').length).toBeLessThan(2000)
  })

  it('links leave nothing behind', async () => {
    const link = (n: number) => `\u001b]8;;https://example.com/${n}/${'x'.repeat(500)}\u0007a\u001b]8;;\u0007\r`
    const emulator = emulate()
    await emulator.write(link(0))
    const before = process.memoryUsage().heapUsed
    for (let n = 0; n < 40; n += 1)
      await emulator.write(Array.from({ length: 500 }, (_, m) => link(n * 500 + m)).join(''))
    expect(process.memoryUsage().heapUsed - before).toBeLessThan(60_000_000)
    expect(emulator.screen().lines[0]?.text).toBe('a')
  })
})

it('makes a screen of 24 by 80 in well under a millisecond', async () => {
  const emulator = emulate({ cols: 80, rows: 24 })
  await emulator.write(`\u001b[31m${'colour and text '.repeat(500)}`)
  for (let warm = 0; warm < 200; warm += 1) emulator.screen()
  const started = cpuMs()
  for (let run = 0; run < 100; run += 1) emulator.screen()
  expect((cpuMs() - started) / 100).toBeLessThan(1)
})
