import { existsSync, readdirSync } from 'node:fs'
import { BlockList, isIP } from 'node:net'
import { hostname, networkInterfaces, type NetworkInterfaceInfo } from 'node:os'

/** Always refused: this machine, its link, multicast and broadcast. */
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
  // 6to4: IPv4 addresses inside IPv6, obsolete.
  ['2002::', 16],
]
/** NAT64: the prefix of IPv4 addresses behind a gateway. */
const translated = '64:ff9b::'

type Interfaces = Readonly<Record<string, readonly NetworkInterfaceInfo[] | undefined>>

/** Whether an address belongs to this machine, its containers or its virtual machines. */
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
    // Text that is not an address is refused.
    return version === 0 || list.check(plain, version === 6 ? 'ipv6' : 'ipv4')
  }
}

/** A bridge without a hardware device leads only to containers or virtual machines of this machine. */
function isInternalBridge(name: string): boolean {
  try {
    const members = readdirSync(`/sys/class/net/${name}/brif`)
    return members.every((member) => !existsSync(`/sys/class/net/${member}/device`))
  } catch {
    return false
  }
}

const privateNetworks: readonly (readonly [string, number])[] = [
  ['10.0.0.0', 8],
  ['100.64.0.0', 10],
  ['172.16.0.0', 12],
  ['192.168.0.0', 16],
]

/** Whether an address is in a private network, in any spelling. */
export function isPrivateAddress(address: string): boolean {
  const list = new BlockList()
  for (const [network, bits] of privateNetworks) {
    list.addSubnet(network, bits, 'ipv4')
    list.addSubnet(`${translated}${network}`, 96 + bits, 'ipv6')
  }
  list.addSubnet('fc00::', 7, 'ipv6')
  const [plain = ''] = address.split('%')
  const version = isIP(plain)
  return version === 0 || list.check(plain, version === 6 ? 'ipv6' : 'ipv4')
}

/** Names that mean this machine without a lookup. */
export function isOwnName(host: string, own = hostname()): boolean {
  const name = host.toLowerCase().replace(/\.+$/, '')
  if (/(^|\.)localhost$|^localhost\.localdomain$|^ip6-(localhost|loopback)$/.test(name)) return true
  return name === '' || name === own.toLowerCase()
}
