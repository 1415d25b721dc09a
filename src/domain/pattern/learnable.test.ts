import { describe, expect, it } from 'vitest'
import { isSecretInput, mayLearn, type TypedInput } from './learnable.ts'
import { looksSecret, maskSecrets } from './secret-text.ts'

const typed = (more: Partial<TypedInput> = {}): TypedInput => ({
  promptText: 'Restart services immediately? (yes/no)',
  promptType: 'yes_no',
  secret: false,
  dangerous: false,
  inputText: 'no',
  source: 'user_typed',
  userId: 'somebody',
  ...more,
})

describe('what is learned', () => {
  it('is what a person answered to an ordinary prompt', () => {
    expect(mayLearn(typed())).toBe(true)
    expect(mayLearn(typed({ inputText: '' })), 'Enter alone').toBe(true)
    expect(mayLearn(typed({ promptText: 'Show the password? (y/n)', inputText: 'n' }))).toBe(true)
  })

  it.each<[string, Partial<TypedInput>]>([
    ['an agent suggested it', { source: 'ai_suggested' }],
    ['Signalbox typed it', { source: 'auto_injected' }],
    ['it is unknown who typed it', { userId: null }],
    ['it was secret', { secret: true }],
    ['a password was asked for', { promptType: 'password', promptText: 'Password: ', inputText: 'hunter2' }],
    [
      'the prompt says that it is secret',
      { promptType: 'text', promptText: 'Verification code: ', inputText: '123456' },
    ],
    ['the prompt says so in German', { promptType: 'text', promptText: 'Passwort: ' }],
    ['the prompt says so in Chinese', { promptType: 'unknown', promptText: '请输入密码：' }],
    ['it is already redacted', { inputText: '[REDACTED]' }],
    ['the answer looks like a token', { promptType: 'text', inputText: `ghp_${'a1B2'.repeat(9)}` }],
    ['it was dangerous', { dangerous: true }],
    ['the prompt is dangerous in itself', { promptText: 'Delete 3 tables? (yes/no)', inputText: 'yes' }],
    ['the prompt is dangerous in Japanese', { promptText: '削除しますか？ (y/n)' }],
    ['it is not one line', { inputText: 'a\nb' }],
    ['it is endless', { inputText: 'a'.repeat(501) }],
    ['the prompt is a whole screen', { promptText: `${'word '.repeat(500)}? ` }],
    ['there was no question', { promptText: ' \u001B[0m ' }],
  ])('is not input where %s', (_why, more) => {
    expect(mayLearn(typed(more))).toBe(false)
  })

  it('is distinguished from what must not even be stored', () => {
    expect(isSecretInput(typed({ dangerous: true }))).toBe(false)
    expect(isSecretInput(typed({ source: 'ai_suggested', promptType: 'password' }))).toBe(true)
  })
})

describe('secrets by their appearance', () => {
  it.each([
    'AKIAIOSFODNN7EXAMPLE',
    `glpat-${'x'.repeat(20)}`,
    'eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxMjM0In0.abc',
    'https://bob:hunter2@example.com/',
    'password=hunter2',
    'mysql --password=hunter2 shop',
    '9e107d9d372bb6826bd81d3542a419d6',
    'q7Xv2LmP9sKd4RtZ8wYb1NcH',
  ])('%s', (text) => {
    expect(looksSecret(text)).toBe(true)
  })

  it.each([
    'yes',
    '/home/bob/projects/My-Project2/src/index.ts',
    'feature/Add-login-page-2',
    '10.0.0.1',
    'ls -la',
    'y',
  ])('not %s', (text) => {
    expect(looksSecret(text)).toBe(false)
  })

  it('are masked in a prompt with stars of the same length', () => {
    expect(maskSecrets('Use token=abcd1234? [y/n]')).toBe('Use token=********? [y/n]')
  })
})
