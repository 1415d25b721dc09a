import { existsSync, readdirSync } from 'node:fs'
import { BlockList, isIP } from 'node:net'
import { hostname, networkInterfaces, type NetworkInterfaceInfo } from 'node:os'

/** By whatever address: this machine, the link it is on, everybody. */
const always: readonly (readonly [string, number])[] = [
  ['0.0.0.0', 8],
  ['127.0.0.0', 8],
  ['169.254.0.0', 16],
  ['224.0.0.0', 3],
]
const alwaysSix: readonly (readonly [string, number])[] = [
  ['::', 96],
  ['fe80::', 10],
  ['fec0::', 10],
  ['ff00::', 8],
  // IPv4 in other clothes that nobody needs any more.
  ['2002::', 16],
]
/** Where a gateway between IPv6 and IPv4 has the addresses of IPv4. */
const translated = '64:ff9b::'

type Interfaces = Readonly<Record<string, readonly NetworkInterfaceInfo[] | undefined>>

/** Tells the addresses of this machine, of its containers and virtual machines, from those of others. */
export function ownAddresses(
  interfaces: Interfaces = networkInterfaces(),
  isInternal: (name: string) => boolean = isInternalBridge,
): (address: string) => boolean {
  const list = new BlockList()
  const add = (address: string, bits: number, family: 'ipv4' | 'ipv6') => {
    list.addSubnet(address, bits, family)
    if (family === 'ipv4') list.addSubnet(`${translated}${address}`, 96 + bits, 'ipv6')
  }
  for (const [address, bits] of always) add(address, bits, 'ipv4')
  for (const [address, bits] of alwaysSix) add(address, bits, 'ipv6')
  for (const [name, addresses = []] of Object.entries(interfaces)) {
    const whole = isInternal(name)
    for (const { address, cidr, family } of addresses) {
      const kind = family === 'IPv4' ? 'ipv4' : 'ipv6'
      const bits = whole && cidr !== null ? Number(cidr.split('/')[1]) : kind === 'ipv4' ? 32 : 128
      add(address, bits, kind)
    }
  }
  return (address) => {
    const [plain = ''] = address.split('%')
    const version = isIP(plain)
    // What is not an address is nobody's: better refused.
    return version === 0 || list.check(plain, version === 6 ? 'ipv6' : 'ipv4')
  }
}

/** A bridge without a card of its own leads to containers or virtual machines of this machine only. */
function isInternalBridge(name: string): boolean {
  try {
    const members = readdirSync(`/sys/class/net/${name}/brif`)
    return members.every((member) => !existsSync(`/sys/class/net/${member}/device`))
  } catch {
    return false
  }
}

/** Names that mean this machine without being looked up. */
export function isOwnName(host: string, own = hostname()): boolean {
  const name = host.toLowerCase().replace(/\.+$/, '')
  if (/(^|\.)localhost$|^localhost\.localdomain$|^ip6-(localhost|loopback)$/.test(name)) return true
  return name === '' || name === own.toLowerCase()
}
