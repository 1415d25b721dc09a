/** Where an agent's link leads, judged by the address. */
export type LinkDestination = {
  /** As the browser would open it. */
  readonly href: string
  readonly scheme: string
  /** With port, in ASCII form, so that look-alike letters show. */
  readonly host: string
  readonly kind: LinkKind
  readonly port: string
  /** Why an address may be misleading. */
  readonly tricks: readonly Trick[]
}

type LinkKind =
  | 'mail'
  /** It would sign this browser in as the person who made the link. */
  | 'login'
  /** A page of Signalbox. */
  | 'own'
  /** Another program where Signalbox runs, or where the browser does. */
  | 'this_computer'
  /** Only reachable from near by. */
  | 'near'
  | 'elsewhere'
type Trick = 'name_before_host' | 'other_alphabet'

export function destinationOf(address: string, origin: string): LinkDestination | null {
  const url = URL.parse(address)
  if (!url || !/^(?:https?|mailto):$/.test(url.protocol)) return null
  const { href, protocol, host } = url
  const scheme = protocol.slice(0, -1)
  if (scheme === 'mailto') return { href, scheme, host: '', kind: 'mail', port: '', tricks: [] }
  const tricks: Trick[] = []
  if (url.username !== '' || url.password !== '') tricks.push('name_before_host')
  if (/(?:^|\.)xn--/.test(host)) tricks.push('other_alphabet')
  return { href, scheme, host, kind: kindOf(url, new URL(origin)), port: portOf(url), tricks }
}

const portOf = ({ port, protocol }: URL): string => port || (protocol === 'https:' ? '443' : '80')

function kindOf(url: URL, here: URL): LinkKind {
  const [name, own] = [bareName(url), bareName(here)]
  const isHere = isLoopback(name) || name === own
  // Another name of this machine is still the same program.
  const isOurs = url.origin === here.origin || (isLoopback(name) && isLoopback(own) && portOf(url) === portOf(here))
  if (isOurs) return /^\/login\/*$/.test(url.pathname) ? 'login' : 'own'
  if (isHere) return 'this_computer'
  return isNear(name) ? 'near' : 'elsewhere'
}

const bareName = ({ hostname }: URL): string => hostname.replace(/\.$/, '')

// The browser has already normalized IPv4 notations: hex, octal, one number, wide digits.
const isLoopback = (name: string): boolean => {
  if (/(?:^|\.)localhost$/.test(name)) return true
  const [first, ...rest] = numbersOf(name) ?? []
  if (rest.length === 3) return first === 127 || first === 0
  return /^\[::1?\]$/.test(name)
}

const isNear = (name: string): boolean => {
  const [first = -1, second = -1, ...rest] = numbersOf(name) ?? []
  if (rest.length === 2)
    return (
      first === 10 ||
      (first === 172 && second >= 16 && second < 32) ||
      (first === 192 && second === 168) ||
      (first === 169 && second === 254) ||
      (first === 100 && second >= 64 && second < 128)
    )
  if (name.startsWith('[')) return /^\[(?:f[cd]|fe[89ab])/.test(name)
  return !name.includes('.') || /\.(?:local|lan|internal|intranet|home|home\.arpa)$/.test(name)
}

/** The four numbers of an IPv4 address, also one inside an IPv6 address. */
function numbersOf(name: string): number[] | null {
  if (/^\d+(?:\.\d+){3}$/.test(name)) return name.split('.').map(Number)
  const [, high, low] = /^\[(?:::|::ffff:|::ffff:0:|64:ff9b::)([\da-f]{1,4}):([\da-f]{1,4})\]$/.exec(name) ?? []
  if (high === undefined || low === undefined) return null
  const [left, right] = [Number.parseInt(high, 16), Number.parseInt(low, 16)]
  return [left >> 8, left & 255, right >> 8, right & 255]
}
