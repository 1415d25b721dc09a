import { BlockList, isIP } from 'node:net'
import type { Clock } from '../../lib/clock.ts'
import { createRateLimit } from '../../lib/rate-limit.ts'
import { fail, type Failed } from '../../lib/result.ts'
import type { HttpContext } from './request.ts'

/** Counts failed logins and tokens by address, to slow down guessing. */
export type Attempts = {
  addressOf(context: HttpContext): string
  /** Counts a failure. Returns the refusal if there were too many. */
  failed(address: string): Failed | null
  /** From the same machine, with no proxy in between. */
  isLocal(context: HttpContext): boolean
}

const mostFailures = 20
const perMs = 60_000

export function createAttempts(options: { trustedProxies: readonly string[]; clock: Pick<Clock, 'now'> }): Attempts {
  const limit = createRateLimit({ clock: options.clock, most: mostFailures, perMs, countRefused: true })
  const trusted = proxies(options.trustedProxies)

  function addressOf(context: HttpContext): string {
    if (context.env.listener !== 'tcp') return context.env.listener
    const peer = plain(context.env.incoming.socket.remoteAddress ?? 'unknown')
    if (!trusted(peer)) return peer
    // The last address that is not one of our own proxies.
    const forwarded = (context.req.header('x-forwarded-for') ?? '').split(',').map((part) => plain(part.trim()))
    return forwarded.findLast((address) => isIP(address) !== 0 && !trusted(address)) ?? peer
  }

  return {
    addressOf,
    failed(address) {
      const seconds = address === 'socket' ? null : limit.take(address)
      return seconds === null ? null : tooMany(seconds)
    },
    // No client behind a proxy is local, configured proxy or not.
    isLocal: (context) =>
      /^(127\.|::1$|socket$)/.test(addressOf(context)) &&
      context.req.header('x-forwarded-for') === undefined &&
      context.req.header('forwarded') === undefined,
  }
}

const plain = (address: string): string => address.replace(/^::ffff:/, '')

function proxies(listed: readonly string[]): (address: string) => boolean {
  const list = new BlockList()
  for (const entry of listed) {
    if (entry === 'loopback') {
      list.addSubnet('127.0.0.0', 8, 'ipv4')
      list.addAddress('::1', 'ipv6')
      continue
    }
    const [address = '', bits] = entry.split('/')
    const family = isIP(address) === 6 ? 'ipv6' : 'ipv4'
    if (bits === undefined) list.addAddress(address, family)
    else list.addSubnet(address, Number(bits), family)
  }
  return (address) => isIP(address) !== 0 && list.check(address, isIP(address) === 6 ? 'ipv6' : 'ipv4')
}

const tooMany = (left: number): Failed =>
  fail({
    kind: 'limited',
    code: 'too_many_attempts',
    message: 'Too many failed attempts from this address.',
    hint: `Try again in ${left} seconds.`,
    details: { retryAfter: left },
  })
