import { fail, type Failed } from '../../lib/result.ts'

export type GuardConfig = {
  /** The address we listen on, the public one, and those of the configuration. */
  allowedHosts: ReadonlySet<string>
  publicOrigin: string | null
}

const loopbackNames = ['localhost', '127.0.0.1', '[::1]']

export function guardConfig(options: {
  host: string
  publicUrl: string | null
  allowedHosts: readonly string[]
}): GuardConfig {
  const names = [...loopbackNames, ...options.allowedHosts.map((name) => name.toLowerCase())]
  if (options.host !== '0.0.0.0' && options.host !== '::') names.push(bracketed(options.host))
  const publicOrigin = options.publicUrl === null ? null : new URL(options.publicUrl)
  if (publicOrigin) names.push(publicOrigin.hostname)
  return { allowedHosts: new Set(names), publicOrigin: publicOrigin?.origin ?? null }
}

const bracketed = (host: string): string => (host.includes(':') ? `[${host}]` : host)

/** The name in a Host header, without its port. */
const nameOf = (host: string): string => host.toLowerCase().replace(/:\d+$/, '')

/** Against DNS rebinding: a page whose own name points here still sends that name. */
export function checkHost(config: GuardConfig, host: string | undefined): Failed | null {
  if (host !== undefined && config.allowedHosts.has(nameOf(host))) return null
  return fail({
    kind: 'forbidden',
    code: 'host_not_allowed',
    message: `This server is not configured for the host name ${JSON.stringify((host ?? '').slice(0, 100))}.`,
    hint: 'Use the address it printed when it started, or add the name to allowed_hosts under [http] in config.toml.',
  })
}

/** Pages of other origins may not read or change anything. */
export function checkOrigin(config: GuardConfig, host: string | undefined, origin: string | undefined): Failed | null {
  if (origin === undefined || origin === config.publicOrigin) return null
  if (host !== undefined && (origin === `http://${host}` || origin === `https://${host}`)) return null
  return fail({
    kind: 'forbidden',
    code: 'origin_not_allowed',
    message: `Pages of ${JSON.stringify(origin.slice(0, 100))} may not use this server.`,
    hint: 'If this is its own address behind a proxy, set public_url under [http] in config.toml.',
  })
}

/** A change with a cookie must come from our own page, as the browser reports. */
export function checkOwnPage(origin: string | undefined, fetchSite: string | undefined): Failed | null {
  if (origin !== undefined || fetchSite === 'same-origin') return null
  return fail({
    kind: 'forbidden',
    code: 'own_page_only',
    message: 'Changes with a login cookie must come from this server’s own pages.',
    hint: 'Programs use a token: Authorization: Bearer …',
  })
}
