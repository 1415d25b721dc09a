import { describe, expect, it } from 'vitest'
import { endpointRefusal, isPrivateAddress, publicLookup } from './private-addresses.ts'

describe('addresses that are refused', () => {
  it.each([
    '127.0.0.1',
    '127.8.9.10',
    '0.0.0.0',
    '10.1.2.3',
    '172.16.0.1',
    '172.31.255.255',
    '192.168.0.1',
    '169.254.169.254',
    '100.64.0.1',
    '224.0.0.1',
    '255.255.255.255',
    '::',
    '::1',
    'fe80::1',
    'fd00::1',
    'ff02::1',
    '::ffff:127.0.0.1',
    '::ffff:7f00:1',
    '64:ff9b::7f00:1',
    '2002:7f00:1::',
    'not an address',
  ])('%s', (address) => {
    expect(isPrivateAddress(address)).toBe(true)
  })

  it.each(['1.1.1.1', '172.32.0.1', '192.169.0.1', '2606:4700::1111', '2a00:1450:4001::200e'])(
    '%s is the internet',
    (address) => {
      expect(isPrivateAddress(address)).toBe(false)
    },
  )

  it.each([
    'https://localhost/push',
    'https://a.localhost/push',
    'https://printer.local/x',
    'https://metadata.google.internal/x',
    'https://127.0.0.1/push',
    'https://2130706433/push',
    'https://0x7f.1/push',
    'https://[::1]/push',
    'https://[::ffff:10.0.0.1]/push',
    'https://user:word@push.example.org/x',
    'https://push.example.org:22/x',
    'https://push.example.org:8443/x',
    'http://push.example.org/x',
    'ftp://push.example.org/x',
  ])('the endpoint %s is refused when it is added', (endpoint) => {
    expect(endpointRefusal(endpoint, false)).not.toBeNull()
  })

  it('an endpoint of a push service is accepted', () => {
    expect(endpointRefusal('https://push.example.org/send/abc', false)).toBeNull()
    expect(endpointRefusal('https://push.example.org:443/send/abc', false)).toBeNull()
  })

  it('private ones are accepted if the configuration says so, but no other schemes', () => {
    expect(endpointRefusal('http://127.0.0.1:9/x', true)).toBeNull()
    expect(endpointRefusal('file:///etc/passwd', true)).not.toBeNull()
  })

  it.each([false, true])('a name that leads to this machine is refused when the connection is made', async (all) => {
    const error = await new Promise((resolve) => {
      publicLookup('localhost', { all }, (refused) => resolve(refused))
    })
    expect(String(error)).toContain('localhost is in a private network')
  })
})
