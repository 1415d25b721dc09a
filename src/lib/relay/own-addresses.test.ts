import type { NetworkInterfaceInfo } from 'node:os'
import { describe, expect, it } from 'vitest'
import { isOwnName, ownAddresses } from './own-addresses.ts'

const at = (address: string, cidr: string, family: 'IPv4' | 'IPv6' = 'IPv4'): NetworkInterfaceInfo => ({
  address,
  cidr,
  netmask: '',
  mac: '',
  internal: false,
  ...(family === 'IPv4' ? { family } : { family, scopeid: 0 }),
})
const interfaces = {
  lo: [at('127.0.0.1', '127.0.0.1/8')],
  eth0: [at('203.0.113.5', '203.0.113.5/24'), at('2001:db8::5', '2001:db8::5/64', 'IPv6')],
  docker0: [at('172.17.0.1', '172.17.0.1/16')],
}
const isOwn = ownAddresses(interfaces, (name) => name === 'docker0')

describe('addresses', () => {
  it('of this machine are recognised in every form', () => {
    const four = '127.0.0.1 127.255.0.3 0.0.0.0 0.1.2.3 169.254.169.254 224.0.0.1 255.255.255.255 203.0.113.5'
    const mapped = '::ffff:203.0.113.5 ::ffff:cb00:7105 64:ff9b::203.0.113.5 64:ff9b::7f00:1 ::ffff:127.0.0.1'
    const six = ':: ::1 ::127.0.0.1 fe80::1 fe80::1%eth0 ff02::1 2002:7f00:1:: 2001:db8::5 2001:0db8:0:0::0005'
    const own = `${four} ${mapped} ${six}`.split(' ')
    expect(own.filter((address) => !isOwn(address))).toEqual([])
  })

  it('of its containers and virtual machines too', () => {
    expect(['172.17.0.1', '172.17.9.9', '::ffff:172.17.0.2'].every(isOwn)).toBe(true)
  })

  it('of others are not, even in the same network', () => {
    const others = [
      '203.0.113.6',
      '8.8.8.8',
      '10.0.0.1',
      '192.168.1.7',
      '2001:db8::6',
      '64:ff9b::8.8.8.8',
      '172.18.0.1',
    ]
    expect(others.filter(isOwn)).toEqual([])
  })

  it('that are malformed are refused', () => {
    expect(['', 'localhost', '1.2.3', '1.2.3.4.5'].every(isOwn)).toBe(true)
  })
})

describe('names', () => {
  it('of this machine are recognised without a lookup', () => {
    const own = ['localhost', 'LocalHost.', 'x.localhost', 'localhost..', 'ip6-loopback', 'Box', 'box.', '', '.']
    expect(own.filter((name) => !isOwnName(name, 'box'))).toEqual([])
    expect(
      ['example.org', 'localhost.example.org', 'mylocalhost', 'box.example'].filter((name) => isOwnName(name, 'box')),
    ).toEqual([])
  })
})
