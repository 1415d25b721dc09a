import { shelf, wantedName } from './shelf.ts'

const keptMs = 15 * 60_000

/** One of our own views; anything else is the inbox: no address of somebody else's is ever gone to. */
export const ownPath = (path: string): string =>
  /^\/[\w-]+(?:\/[\w-]+)*$/.test(path) && !/^\/(?:login|leaving|api)(?:\/|$)/.test(path) ? path : '/'

/** A tap on a notification leads to its ask, also by way of the login. Kept by this origin alone, unlike a cookie. */
export function rememberWanted(path: string, now = Date.now()): void {
  const own = ownPath(path)
  if (own !== '/') shelf.setItem(wantedName, `${now} ${own}`)
}

export function takeWanted(now = Date.now()): string {
  const [at = '', path = ''] = (shelf.getItem(wantedName) ?? '').split(' ')
  shelf.removeItem(wantedName)
  return Number(at) > now - keptMs ? ownPath(path) : '/'
}
