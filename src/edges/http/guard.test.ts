import { describe, expect, it } from 'vitest'
import { checkHost, checkOrigin, checkOwnPage, guardConfig } from './guard.ts'

const local = guardConfig({ host: '127.0.0.1', publicUrl: null, allowedHosts: [] })
const open = guardConfig({ host: '0.0.0.0', publicUrl: 'https://box.example.org/', allowedHosts: ['Box.Local'] })
const code = (found: ReturnType<typeof checkHost>) => found?.fault.code ?? 'fine'

describe('the Host header', () => {
  it.each(['127.0.0.1:3000', 'localhost:3000', 'localhost', 'LOCALHOST:1', '[::1]:3000', '[::1]'])(
    '%s is us',
    (host) => {
      expect(code(checkHost(local, host))).toBe('fine')
    },
  )

  it.each([
    undefined,
    '',
    'example.org',
    'evil.example:3000',
    'localhost.evil.example',
    '127.0.0.1.evil.example',
    'localhost:',
    'localhost:3000:80',
    'localhost@evil.example',
    '127.0.0.2',
    '0.0.0.0:3000',
  ])('%s is refused', (host) => {
    expect(code(checkHost(local, host))).toBe('host_not_allowed')
  })

  it('may be the public name or one of the configuration, but not the wildcard address', () => {
    expect(code(checkHost(open, 'box.example.org'))).toBe('fine')
    expect(code(checkHost(open, 'box.local:3000'))).toBe('fine')
    expect(code(checkHost(open, '0.0.0.0'))).toBe('host_not_allowed')
    const six = guardConfig({ host: 'fd00::1', publicUrl: null, allowedHosts: [] })
    expect(code(checkHost(six, '[fd00::1]:3000'))).toBe('fine')
  })
})

describe('the Origin header', () => {
  it.each([
    ['localhost:3000', undefined],
    ['localhost:3000', 'http://localhost:3000'],
    ['box.example.org', 'https://box.example.org'],
  ])('%s accepts requests from %s', (host, origin) => {
    expect(code(checkOrigin(open, host, origin))).toBe('fine')
  })

  it.each([
    ['localhost:3000', 'http://localhost:4000'],
    ['localhost:3000', 'http://evil.example'],
    ['localhost:3000', 'null'],
    ['localhost:3000', ''],
    ['box.example.org', 'https://box.example.org.evil.example'],
    [undefined, 'http://localhost:3000'],
  ])('%s refuses requests from %j', (host, origin) => {
    expect(code(checkOrigin(open, host, origin))).toBe('origin_not_allowed')
  })
})

describe('a change with only a cookie', () => {
  it('must come from our own page, as the browser reports', () => {
    expect(code(checkOwnPage('http://localhost:3000', undefined))).toBe('fine')
    expect(code(checkOwnPage(undefined, 'same-origin'))).toBe('fine')
    for (const site of [undefined, 'none', 'same-site', 'cross-site'])
      expect(code(checkOwnPage(undefined, site))).toBe('own_page_only')
  })
})
