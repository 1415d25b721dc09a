import { BlockList, isIP } from 'node:net'
import { fail, type Failed } from '../../lib/result.ts'
import type { createLimiter } from './limiter.ts'
import type { HttpContext } from './request.ts'

/** Counts failed logins and tokens by address, and makes guessing slow. */
export type Attempts = {
  addressOf(context: HttpContext): string
  refusal(address: string): Failed | null
  failed(address: string): Promise<void>
  /** Nearer than any network: the same machine, with no proxy in between. */
  isLocal(context: HttpContext): boolean
}

const points = 20
const seconds = 60

export function createAttempts(options: { trustedProxies: readonly string[] }): Attempts {
  let loading: Promise<ReturnType<typeof createLimiter>> | null = null
  const load = () =>
    (loading ??= import('./limiter.ts').then((loaded) => loaded.createLimiter({ points, duration: seconds })))
  const blocked = new Map<string, number>()
  const trusted = proxies(options.trustedProxies)

  function addressOf(context: HttpContext): string {
    if (context.env.door !== 'tcp') return context.env.door
    const peer = plain(context.env.incoming.socket.remoteAddress ?? 'unknown')
    if (!trusted(peer)) return peer
    // The last address a proxy of ours did not add itself.
    const forwarded = (context.req.header('x-forwarded-for') ?? '').split(',').map((part) => plain(part.trim()))
    return forwarded.findLast((address) => isIP(address) !== 0 && !trusted(address)) ?? peer
  }

  return {
    addressOf,
    refusal(address) {
      const until = blocked.get(address)
      if (until === undefined || address === 'socket') return null
      const left = Math.ceil((until - Date.now()) / 1000)
      if (left > 0) return tooMany(left)
      blocked.delete(address)
      return null
    },
    async failed(address) {
      const limiter = await load()
      try {
        await limiter.consume(address)
      } catch {
        if (blocked.size > 10_000) blocked.clear()
        blocked.set(address, Date.now() + seconds * 1000)
      }
    },
    // Behind a proxy nobody is local, whether we were told of the proxy or not.
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
