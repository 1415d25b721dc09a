import { browserStorage, returnAddressName } from './browser-storage.ts'

const keptMs = 15 * 60_000

/** One of our own views, else the inbox. Never an outside address. */
export const ownPath = (path: string): string =>
  /^\/[\w-]+(?:\/[\w-]+)*$/.test(path) && !/^\/(?:login|leaving|api)(?:\/|$)/.test(path) ? path : '/'

/** Remembers where a notification leads, through the login. Unlike a cookie, other ports of the host can't read it. */
export function rememberReturnAddress(path: string, now = Date.now()): void {
  const own = ownPath(path)
  if (own !== '/') browserStorage.setItem(returnAddressName, `${now} ${own}`)
}

export function takeReturnAddress(now = Date.now()): string {
  const [at = '', path = ''] = (browserStorage.getItem(returnAddressName) ?? '').split(' ')
  browserStorage.removeItem(returnAddressName)
  return Number(at) > now - keptMs ? ownPath(path) : '/'
}
