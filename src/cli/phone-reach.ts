import { isLoopback } from '../config/index.ts'

/** Whether a phone gets to an address, and whether its browser then shows notifications. */
export type Reach = 'yes' | 'without_notifications' | 'no'

export function reachFromPhone(address: string): Reach {
  const { protocol, hostname } = new URL(address)
  const host = hostname.replace(/^\[|\]$/g, '')
  if (isLoopback(host) || host.endsWith('.localhost')) return 'no'
  // Browsers give service workers, and with them notifications, to pages over TLS only.
  return protocol === 'https:' ? 'yes' : 'without_notifications'
}

export const reachWords: Readonly<Record<Exclude<Reach, 'yes'>, string>> = {
  no: "This address works only on this machine: a phone can't reach it.",
  without_notifications: 'This address is without TLS: a phone shows the pages, but its browser refuses notifications.',
}

export const reachHint =
  'Put a TLS proxy or tunnel in front of it, and set its address as public_url under [http]: see docs/phone.md.'
