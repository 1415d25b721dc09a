import { describe, expect, it } from 'vitest'
import { destinationOf } from './destination.ts'

const origin = 'http://127.0.0.1:4000'
const kindOf = (address: string, at = origin) => destinationOf(address, at)?.kind

describe('the target of an address', () => {
  it.each([
    'http://127.0.0.1:41555/',
    'http://127.1:41555/',
    'http://127.255.3.4/',
    'https://127.0.0.1/',
    'http://2130706433:41555/',
    'http://0x7f000001:41555/',
    'http://0x7f.0.0.1/',
    'http://0177.0.0.1/',
    'http://017700000001/',
    'http://１２７.0.0.1/',
    'http://127。0。0。1/',
    'http://127.0.0.1.:41555/',
    'http://0.0.0.0:41555/',
    'http://0/',
    'http://localhost:41555/',
    'http://LOCALHOST/',
    'http://localhost./',
    'http://app.localhost:41555/',
    'http://a.b.localhost./',
    'http://[::1]:41555/',
    'http://[0:0:0:0:0:0:0:1]/',
    'http://[::]:41555/',
    'http://[::ffff:127.0.0.1]/',
    'http://[::ffff:7f00:1]/',
    'http://[::127.0.0.1]/',
    'http://[64:ff9b::127.0.0.1]/',
    'http://user:pass@127.0.0.1:41555/',
  ])('%s is this computer', (address) => {
    expect(kindOf(address)).toBe('this_computer')
    expect(kindOf(address, 'https://box.example.org')).toBe('this_computer')
  })

  it('so is another port of our own host', () => {
    expect(kindOf('https://box.example.org:8443/', 'https://box.example.org')).toBe('this_computer')
    expect(kindOf('http://BOX.example.org./', 'https://box.example.org')).toBe('this_computer')
    expect(destinationOf('http://localhost/', origin)?.port).toBe('80')
    expect(destinationOf('http://127.0.0.1:41555/', origin)?.port).toBe('41555')
  })

  it.each([
    'http://10.1.2.3/',
    'http://172.16.0.1/',
    'http://172.31.255.255/',
    'http://192.168.1.7/',
    'http://169.254.169.254/latest/meta-data',
    'http://100.64.0.1/',
    'http://[fd00::1]/',
    'http://[fe80::1]/',
    'http://[::ffff:192.168.1.7]/',
    'http://router/',
    'http://nas.local/',
    'http://wiki.corp.internal/',
    'http://pi.home.arpa/',
  ])('%s is near', (address) => {
    expect(kindOf(address)).toBe('near')
  })

  it.each([
    'https://example.org/',
    'http://128.0.0.1/',
    'http://172.32.0.1/',
    'http://100.128.0.1/',
    'http://1.127.0.0/',
    'https://localhost.example.org/',
    'https://127.0.0.1.example.org/',
    'https://notlocalhost.com/',
    'https://[2001:db8::1]/',
    'https://[::1:0:0]/',
  ])('%s is elsewhere', (address) => {
    expect(kindOf(address)).toBe('elsewhere')
  })

  it('our own pages are recognised, especially login links', () => {
    for (const at of [`${origin}/settings`, 'http://localhost:4000/', 'http://[::1]:4000/asks/1'])
      expect(kindOf(at)).toBe('own')
    for (const at of [`${origin}/login?code=x`, 'http://localhost:4000/login/?code=x', 'http://0x7f.1:4000/login'])
      expect(kindOf(at)).toBe('login')
    expect(kindOf('https://box.example.org/login?code=x', 'https://box.example.org')).toBe('login')
  })

  it('shows what makes one address look like another', () => {
    expect(destinationOf('https://github.com@evil.example/', origin)).toMatchObject({
      host: 'evil.example',
      tricks: ['name_before_host'],
    })
    expect(destinationOf('https://аррӏе.com/', origin)).toMatchObject({
      host: 'xn--80ak6aa92e.com',
      tricks: ['other_alphabet'],
    })
    expect(destinationOf('https://example.org\\@evil.example/', origin)?.host).toBe('example.org')
  })

  it.each([
    '',
    'x',
    '//evil.example',
    '/settings',
    'javascript:alert(1)',
    'data:text/html,x',
    'file:///etc/passwd',
    'blob:x',
    'ftp://x',
  ])('%j leads nowhere', (address) => {
    expect(destinationOf(address, origin)).toBeNull()
  })

  it('mail goes to a mail program', () => {
    expect(destinationOf('mailto:ann@example.org', origin)).toMatchObject({ kind: 'mail', scheme: 'mailto', host: '' })
  })
})
