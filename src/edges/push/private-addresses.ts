import { lookup, type LookupAddress } from 'node:dns'
import { BlockList, isIP, type LookupFunction } from 'node:net'

/** Networks that are not public: no push service is there, and requests to them could reach internal services. */
const networks4 = [
  '0.0.0.0/8',
  '10.0.0.0/8',
  '100.64.0.0/10',
  '127.0.0.0/8',
  '169.254.0.0/16',
  '172.16.0.0/12',
  '192.0.0.0/24',
  '192.0.2.0/24',
  '192.88.99.0/24',
  '192.168.0.0/16',
  '198.18.0.0/15',
  '198.51.100.0/24',
  '203.0.113.0/24',
  '224.0.0.0/4',
  '240.0.0.0/4',
]
/** Ranges within the global unicast range of IPv6 that are not public. */
const networks6 = ['2001::/23', '2001:db8::/32', '2002::/16', '3fff::/20']

function blockList(networks: readonly string[], family: 'ipv4' | 'ipv6'): BlockList {
  const list = new BlockList()
  for (const network of networks) {
    const [address = '', prefix = ''] = network.split('/')
    list.addSubnet(address, Number(prefix), family)
  }
  return list
}
const closed4 = blockList(networks4, 'ipv4')
const closed6 = blockList(networks6, 'ipv6')
const global6 = blockList(['2000::/3'], 'ipv6')

export function isPrivateAddress(address: string): boolean {
  switch (isIP(address)) {
    case 4:
      return closed4.check(address, 'ipv4')
    case 6:
      return !global6.check(address, 'ipv6') || closed6.check(address, 'ipv6')
    default:
      return true
  }
}

/** A host name without the brackets of IPv6. */
const bareHost = (hostname: string): string => hostname.replace(/^\[|\]$/g, '')

/** Why this endpoint is refused, as far as is known without a DNS lookup; null if it is allowed. */
export function endpointRefusal(endpoint: string, allowPrivate: boolean): string | null {
  const { protocol, hostname, port, username, password } = new URL(endpoint)
  if (username !== '' || password !== '')
    return 'The endpoint contains a user name or password, which no push service uses.'
  if (protocol !== 'https:' && !(allowPrivate && protocol === 'http:')) return 'The endpoint must begin with https://.'
  if (allowPrivate) return null
  if (port !== '') return 'The endpoint names a port, which no push service does.'
  const host = bareHost(hostname)
  const named = isIP(host) === 0
  const local = named ? /(^|\.)(localhost|local|internal)\.?$/i.test(host) : isPrivateAddress(host)
  return local ? 'The endpoint is on this machine or in a private network. No push service is there.' : null
}

export class PrivateAddress extends Error {
  constructor(host: string) {
    super(`${host} is in a private network`)
  }
}

/** Checks addresses when the connection is made: a name may resolve differently each time. */
export const publicLookup: LookupFunction = (hostname, options, callback) => {
  lookup(hostname, { ...options, all: true }, (error, found) => {
    const addresses = found as LookupAddress[] | undefined
    if (error || !addresses) return callback(error ?? new Error(`${hostname} has no address`), '', 0)
    const open = addresses.filter(({ address }) => !isPrivateAddress(address))
    const [first] = open
    if (!first) return callback(new PrivateAddress(hostname), '', 0)
    if (options.all) return callback(null, open)
    callback(null, first.address, first.family)
  })
}
