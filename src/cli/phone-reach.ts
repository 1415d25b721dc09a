import { isLoopback } from '../config/index.ts'

/** Whether a phone can reach an address, and whether its browser can show notifications. */
export type Reach = 'yes' | 'without_notifications' | 'no'

export function reachFromPhone(address: string): Reach {
  const { protocol, hostname } = new URL(address)
  const host = hostname.replace(/^\[|\]$/g, '')
  if (isLoopback(host) || host.endsWith('.localhost')) return 'no'
  // Browsers allow service workers, and so notifications, only over TLS.
  return protocol === 'https:' ? 'yes' : 'without_notifications'
}

export const reachText: Readonly<Record<Exclude<Reach, 'yes'>, string>> = {
  no: "This address works only on this machine: a phone can't reach it.",
  without_notifications: 'This address has no TLS: a phone shows the pages, but no notifications.',
}

export const reachHint =
  'Put a TLS proxy or tunnel in front of it, and set its address as public_url under [http]: see docs/phone.md.'
