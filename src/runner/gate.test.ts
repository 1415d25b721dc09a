import { describe, expect, it } from 'vitest'
import { isPrivateAddress } from '../lib/relay/own-addresses.ts'
import { isAllowedHost } from './gate.ts'

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
