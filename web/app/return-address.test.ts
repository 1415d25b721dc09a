import { afterEach, describe, expect, it, vi } from 'vitest'
import { ownPath, rememberReturnAddress, takeReturnAddress } from './return-address.ts'

describe('the address before the login', () => {
  afterEach(() => vi.unstubAllGlobals())
  const keeping = (): Map<string, string> => {
    const kept = new Map<string, string>()
    vi.stubGlobal('localStorage', {
      getItem: (name: string) => kept.get(name) ?? null,
      setItem: (name: string, value: string) => void kept.set(name, value),
      removeItem: (name: string) => void kept.delete(name),
    })
    return kept
  }

  it.each(['/asks/0192-ab', '/sessions/new', '/settings/people/x_y'])('%s is a view of ours', (path) => {
    expect(ownPath(path)).toBe(path)
  })

  it.each([
    '',
    '/',
    '//evil.example',
    '/\\evil.example',
    '/%5cevil.example',
    '/%2f%2fevil.example',
    '/a//evil.example',
    '/\t/evil.example',
    'https://evil.example',
    'javascript:alert(1)',
    '/asks/1?x=//evil',
    '/asks/1#x',
    '/../x',
    '/login',
    '/leaving',
    '/api/docs',
    '/asks\n/1',
  ])('%j is the inbox', (path) => {
    expect(ownPath(path)).toBe('/')
  })

  it('is used once, within 15 minutes', () => {
    keeping()
    rememberReturnAddress('/asks/1', 1_000_000)
    expect(takeReturnAddress(1_000_500)).toBe('/asks/1')
    expect(takeReturnAddress(1_000_500)).toBe('/')
    rememberReturnAddress('/asks/1', 1_000_000)
    expect(takeReturnAddress(1_000_000 + 16 * 60_000)).toBe('/')
  })

  it('is the inbox for any other value, and without storage', () => {
    const kept = keeping()
    for (const odd of ['%zz', '9999999999999 //evil.example', '9999999999999', 'NaN /asks/1', ' ']) {
      kept.set('signalbox.wanted', odd)
      expect(takeReturnAddress()).toBe('/')
    }
    vi.unstubAllGlobals()
    rememberReturnAddress('/asks/1')
    expect(takeReturnAddress()).toBe('/')
  })
})
