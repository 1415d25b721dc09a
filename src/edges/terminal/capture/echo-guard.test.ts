import { describe, expect, it } from 'vitest'
import { captureMasks, createCapture } from './capture.ts'

const masks = captureMasks()
const bytes = (text: string) => Buffer.from(text)

function atPrompt(prompt = 'Password: ') {
  const capture = createCapture({ masks })
  capture.push(bytes(`welcome\r\n${prompt}`))
  capture.flush()
  return {
    capture,
    type: (keys: string) => capture.guard(bytes(keys), { sure: true }),
    print: (text: string) => capture.push(bytes(text)) + capture.flush(),
  }
}

describe('echo guard', () => {
  it('masks an echo of the whole line', () => {
    const { type, print } = atPrompt()
    type('hunter2\r')
    expect(print('hunter2\r\nwelcome hunter\r\n')).toBe('*******\r\nwelcome hunter\r\n')
  })

  it('masks an echo key by key', () => {
    const { type, print } = atPrompt()
    const shown = Array.from('hunter2').map((key) => {
      type(key)
      return print(key)
    })
    expect(shown.join('')).toBe('*******')
  })

  it('masks a short one too, if it is echoed', () => {
    const { type, print } = atPrompt('PIN: ')
    type('12\r')
    expect(print('12\r\nit is 12 o’clock\r\n')).toBe('**\r\nit is 12 o’clock\r\n')
  })

  it('leaves bullets alone, and the prompt that is redrawn with them', () => {
    const { type, print } = atPrompt()
    type('P')
    expect(print('\r\x1b[KPassword: •')).toBe('\r\x1b[KPassword: •')
    type('ass1')
    expect(print('\r\x1b[KPassword: •••••')).toBe('\r\x1b[KPassword: •••••')
    type('\r')
    expect(print('\r\nPassword accepted\r\n')).toBe('\r\nPassword accepted\r\n')
  })

  it('masks a line that is redrawn after its prompt at each key', () => {
    const { type, print } = atPrompt()
    type('h')
    expect(print('\rPassword: h')).toBe('\rPassword: *')
    type('u')
    expect(print('\rPassword: hu')).toBe('\rPassword: **')
    type('\x7fi')
    expect(print('\rPassword: hi')).toBe('\rPassword: **')
  })

  it('masks a line that is redrawn by moving the cursor', () => {
    const { type, print } = atPrompt()
    type('a')
    expect(print('a')).toBe('*')
    type('b')
    expect(print('\x1b[11Gab')).toBe('\x1b[11G**')
  })

  it('masks entered input if it is printed later, also across chunks', () => {
    const { capture, type, print } = atPrompt()
    type('correct horse\r')
    expect(print('\r\n')).toBe('\r\n')
    capture.unguard()
    expect(print('your password is correct horse, bob\r\n')).toBe('your password is *************, bob\r\n')
    expect(capture.push(bytes('again: correct ho')) + capture.push(bytes('rse.\r\n'))).toBe('again: *************.\r\n')
  })

  it('recognises pasted text and editing keys', () => {
    const { type, print } = atPrompt()
    type('\x1b[200~s3cr3t\x1b[201~')
    type('\x15')
    type('0ther\x1b[D\r')
    expect(print('\r\nyou typed 0ther, not s3cr3t\r\n')).toBe('\r\nyou typed *****, not ******\r\n')
  })

  it('masks it after any amount of other output, until the terminal ends', () => {
    const { capture, type, print } = atPrompt()
    type('hunter2\r')
    print('\r\n')
    capture.unguard()
    for (let turn = 0; turn < 20; turn++) print('x'.repeat(70_000))
    expect(print('\r\nhunter2\r\n')).toBe('\r\n*******\r\n')
  })

  it('masks the last character where a field reveals it', () => {
    const { type, print } = atPrompt()
    type('a')
    expect(print('\r\x1b[KPassword: a')).toBe('\r\x1b[KPassword: *')
    type('b')
    expect(print('\r\x1b[KPassword: •b')).toBe('\r\x1b[KPassword: •*')
    type('c')
    expect(print('\b•c')).toBe('\b•*')
    type('d')
    expect(print('\x1b[11G***d')).toBe('\x1b[11G****')
  })

  it('masks a line that was half typed before anyone knew', () => {
    const { capture, print } = atPrompt('> ')
    expect(print('hun')).toBe('hun')
    capture.guard(bytes('ter2'), { sure: true, shown: bytes('hun') })
    expect(print('ter2')).toBe('****')
    capture.guard(bytes('\r'), { sure: true })
    expect(print('\r\nit was hunter2\r\n')).toBe('\r\nit was *******\r\n')
  })

  it('forgets what was typed ahead of a harmless prompt', () => {
    const { capture, print } = atPrompt('')
    capture.guard(bytes('make test\r'), { sure: false })
    expect(print('make test\r\n')).toBe('*********\r\n')
    capture.unguard()
    expect(print('$ make test\r\n')).toBe('$ make test\r\n')
  })

  it('knows what was corrected with arrow keys', () => {
    const { capture, type, print } = atPrompt()
    type('hnter\x1b[D\x1b[D\x1b[D\x1b[Du\x1b[F2\r')
    print('\r\n')
    capture.unguard()
    expect(print('it was hunter2\r\n')).toBe('it was *******\r\n')
  })
})
