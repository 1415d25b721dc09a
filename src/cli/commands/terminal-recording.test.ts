import { describe, expect, it } from 'vitest'
import { printedIn } from './terminal-recording.ts'

const read = async (...pieces: string[]) => {
  async function* chunks() {
    for (const piece of pieces) yield Buffer.from(piece, 'latin1')
  }
  const printed = []
  for await (const one of printedIn(chunks())) printed.push(one)
  return printed
}

describe('a recording', () => {
  it('is read as output with its times, wherever the pieces are cut', async () => {
    const whole = '{"version":2,"width":80,"height":24}\n[0.5,"o","a\\u001b[1m"]\n[1,"r","100x30"]\n[2.25,"o","b"]\n'
    const printed = [
      { seconds: 0.5, text: 'a\u001b[1m' },
      { seconds: 2.25, text: 'b' },
    ]
    for (let at = 0; at < whole.length; at += 7)
      expect(await read(whole.slice(0, at), whole.slice(at))).toEqual(printed)
  })
  it('may end in the middle of a line', async () => {
    expect(await read('[1,"o","a"]\n[2,"o"')).toEqual([{ seconds: 1, text: 'a' }])
  })
})
