import { describe, expect, it } from 'vitest'
import { isPrivateAddress } from '../lib/relay/own-addresses.ts'
import { isAllowedHost, leadsUp } from './gate.ts'

describe('hosts that a container reaches', () => {
  it('are those of the list, and names below a star', () => {
    const allowed = ['example.org', '*.example.net']
    for (const host of ['example.org', 'EXAMPLE.org', 'a.example.net', 'a.b.example.net'])
      expect(isAllowedHost(host, allowed)).toBe(true)
    for (const host of ['example.net', 'evilexample.net', 'example.org.evil.test', 'sub.example.org', ''])
      expect(isAllowedHost(host, allowed)).toBe(false)
  })

  it('are never in a private network', () => {
    for (const address of ['10.1.2.3', '172.20.0.1', '192.168.1.1', '100.64.0.1', 'fd00::1', '::ffff:10.0.0.1', 'x'])
      expect(isPrivateAddress(address)).toBe(true)
    for (const address of ['1.1.1.1', '172.32.0.1', '2606:4700::1111']) expect(isPrivateAddress(address)).toBe(false)
  })
})

it('a path never leads out of the one that the operator gave, however it is written', () => {
  for (const rest of [
    '/../x',
    '/..',
    '/a/%2e%2E/b',
    '/a\\..\\b',
    '/x/.%2e;v=1/y',
    '/x%2f..%2fadmin',
    '/x%5C..',
    '/x%252f%252e%252e/y',
  ])
    expect([rest, leadsUp.test(rest)]).toEqual([rest, true])
  for (const rest of [
    '',
    '/v1/messages',
    '/v1/models/gpt-4..5',
    '/@scope%2fname',
    '/v1?to=/../x',
    '/a...b',
    '/50%25.1',
  ])
    expect([rest, leadsUp.test(rest)]).toEqual([rest, false])
})
