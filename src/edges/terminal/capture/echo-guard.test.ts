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
    type: (keys: string) => capture.guard(bytes(keys)),
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
    expect(print('\r\nyou typed 0ther, not s3cr3t\r\n')).toBe('\r\nyou typed *****, not s3cr3t\r\n')
  })

  it('forgets after 64 KB of other output', () => {
    const { capture, type, print } = atPrompt()
    type('hunter2\r')
    print('\r\n')
    capture.unguard()
    print('x'.repeat(70_000))
    expect(print('\r\nhunter2\r\n')).toBe('\r\nhunter2\r\n')
  })
})
