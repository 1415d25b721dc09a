import { describe, expect, it } from 'vitest'
import { randomChunks } from './random-chunks.ts'
import { createTaint } from './taint.ts'

const secret = 'correct h0rse'
const bytes = (text: string) => Buffer.from(text)

function tainted(...secrets: string[]) {
  const taint = createTaint()
  for (const one of secrets) taint.add([...bytes(one)])
  return {
    taint,
    print: (text: string) => Buffer.concat([taint.push(bytes(text)), taint.flush()]).toString(),
  }
}

describe('what was typed as a secret', () => {
  it.each([
    ['alone', 'correct h0rse', '*************'],
    ['within a line', 'it is "correct h0rse".', 'it is "*************".'],
    ['after its own beginning', 'corcorrect h0rse', 'cor*************'],
    ['coloured letter by letter', 'c\x1b[0mo\x1b[1mrrect h0rse', '*\x1b[0m*\x1b[1m***********'],
    ['in a title', '\x1b]0;correct h0rse\x07', '\x1b]0;*************\x07'],
    ['in part', 'tail: ect h0rse', 'tail: *********'],
    ['twice', 'correct h0rsecorrect h0rse', '**************************'],
  ])('is masked %s', (_, given, wanted) => {
    expect(tainted(secret).print(given)).toBe(wanted)
  })

  it.each(['correct', 'hors', 'correct house', 'c', ''])('leaves %j', (given) => {
    expect(tainted(secret).print(`${given}\r\n`)).toBe(`${given}\r\n`)
  })

  it('is masked however it is chunked, with as many bytes', () => {
    for (let seed = 1; seed <= 200; seed++) {
      const random = randomChunks(seed)
      const { taint } = tainted(secret, 'hunter2', 'παρολα1')
      const given = bytes('x hunter2 hun correct h0rs correct h0rse\r\n\x1b[1mπαρολα1\x1b[0m hunterhunter2')
      const wanted = 'x ******* hun co********** *************\r\n\x1b[1m*************\x1b[0m hunter*******'
      let shown = ''
      for (const chunk of random.cut(given)) shown += taint.push(Buffer.from(chunk)).toString('latin1')
      shown += taint.flush().toString('latin1')
      expect(shown).toBe(wanted)
    }
  })

  it('is masked after any amount of output, and holds little of it', () => {
    const { print, taint } = tainted(secret)
    for (let turn = 0; turn < 50; turn++) print('ordinary output of a program, correct and long\r\n'.repeat(100))
    expect(taint.held).toBe(0)
    expect(print(secret)).toBe('*************')
  })

  it('added in doubt, is forgotten once it is none', () => {
    const { print, taint } = tainted('hunter2')
    taint.add([...bytes('make test')], true)
    expect(print('make test hunter2')).toBe('********* *******')
    taint.clear()
    expect(print('make test hunter2')).toBe('make test *******')
  })
})
