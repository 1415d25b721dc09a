import { ApiError, type Client } from '../../src/client/calls.ts'
import { browserStorage } from '../app/browser-storage.ts'
import { browserName } from '../../src/lib/browser-name.ts'

/** Notification state of this browser, or why it has none. */
export type PushState =
  /** Permission can be requested. */
  | 'ask'
  | 'subscribed'
  /** It was allowed, and is not subscribed. */
  | 'allowed'
  /** The person, or who administers the browser, said no: only its own settings change that. */
  | 'denied'
  /** The page came without TLS. */
  | 'insecure'
  /** On iPhones and iPads only apps on the Home Screen may. */
  | 'add_to_home_screen'
  | 'unsupported'

type BrowserFacts = {
  isSecureContext: boolean
  userAgent: string
  maxTouchPoints: number
  /** Opened from the Home Screen, or as an installed app. */
  standalone: boolean
  hasPush: boolean
  permission: NotificationPermission | null
}

/** What prevents notifications, apart from not being subscribed. */
export function pushStateOf(at: BrowserFacts): Exclude<PushState, 'subscribed'> {
  if (!at.isSecureContext) return 'insecure'
  // iPads identify as Macs, which have no touch screen.
  const apple =
    /\b(?:iPhone|iPad|iPod)\b/.test(at.userAgent) || (/\bMacintosh\b/.test(at.userAgent) && at.maxTouchPoints > 1)
  if (apple && !at.standalone) return 'add_to_home_screen'
  if (!at.hasPush || at.permission === null) return 'unsupported'
  return at.permission === 'granted' ? 'allowed' : at.permission === 'denied' ? 'denied' : 'ask'
}

export const stateText: Readonly<Record<PushState, string>> = {
  ask: 'This browser does not get notifications yet.',
  allowed: 'This browser can get notifications, but they are off.',
  subscribed: 'This browser gets notifications.',
  denied: 'This browser blocks notifications from this page. Allow them in its settings, then reload.',
  insecure: 'Notifications need TLS: open this page at an https address.',
  add_to_home_screen:
    'On iPhone or iPad, first add this page to the Home Screen (Share, then “Add to Home Screen”), and open it from there.',
  unsupported: 'This browser does not support notifications. Try another, or keep this page open.',
}

const surroundings = (): BrowserFacts => ({
  isSecureContext: window.isSecureContext,
  userAgent: navigator.userAgent,
  maxTouchPoints: navigator.maxTouchPoints,
  standalone:
    window.matchMedia('(display-mode: standalone)').matches ||
    ('standalone' in navigator && navigator.standalone === true),
  hasPush: 'serviceWorker' in navigator && 'PushManager' in window,
  permission: 'Notification' in window ? Notification.permission : null,
})

const registration = (): Promise<ServiceWorkerRegistration> =>
  navigator.serviceWorker.register('/service-worker.js', { scope: '/' })

const ownSubscription = async (): Promise<PushSubscription | null> =>
  (await navigator.serviceWorker.getRegistration('/'))?.pushManager.getSubscription() ?? null

const deviceKey = 'signalbox.push-device'

/** Which of the person's devices this browser is, if known. */
export const ownDevice = (): string | null => browserStorage.getItem(deviceKey)

/** The current state of this browser; `devices` is the server's list for this person. */
export async function pushState(devices: readonly { id: string }[]): Promise<PushState> {
  const judged = pushStateOf(surroundings())
  if (judged !== 'allowed') return judged
  const known = devices.some(({ id }) => id === ownDevice())
  return known && (await ownSubscription()) !== null ? 'subscribed' : 'allowed'
}

/** Registers the service worker for offline use and later notifications. Never asks for permission. */
export async function registerWorker(): Promise<void> {
  if (window.isSecureContext && 'serviceWorker' in navigator) await registration().catch(() => undefined)
}

/** Must run in a tap handler: browsers only then ask for permission. Returns the new state. */
export async function subscribe(
  client: Pick<Client, 'pushKey' | 'addPushDevice'>,
  name = browserName(navigator.userAgent),
): Promise<PushState> {
  const before = pushStateOf(surroundings())
  if (before !== 'ask' && before !== 'allowed') return before
  if ((await Notification.requestPermission()) !== 'granted') return pushStateOf(surroundings())
  const { publicKey } = await client.pushKey({})
  await registration()
  const { pushManager } = await navigator.serviceWorker.ready
  const applicationServerKey = bytesOf(publicKey)
  const current = await pushManager.getSubscription()
  // The push service refuses a subscription made with the key of an earlier server.
  if (current && !sameBytes(current.options.applicationServerKey, applicationServerKey)) await current.unsubscribe()
  const made = await pushManager.subscribe({ userVisibleOnly: true, applicationServerKey })
  const { endpoint, keys } = made.toJSON()
  const { p256dh, auth } = keys ?? {}
  if (!endpoint || !p256dh || !auth)
    throw new Error('This browser returned no keys for notifications. Try another browser.')
  const { id } = await client.addPushDevice({ body: { endpoint, keys: { p256dh, auth }, name } })
  browserStorage.setItem(deviceKey, id)
  return 'subscribed'
}

/** The server first, so that it sends nothing to a dead subscription. */
export async function unsubscribe(client: Pick<Client, 'removePushDevice'>): Promise<void> {
  const id = ownDevice()
  if (id !== null) await client.removePushDevice({ params: { id } }).catch(ignoreMissing)
  browserStorage.removeItem(deviceKey)
  await (await ownSubscription())?.unsubscribe()
}

/** Already removed elsewhere. */
function ignoreMissing(error: unknown): void {
  if (!(error instanceof ApiError) || error.status !== 404) throw error
}

/** Opens notifications in this window without a reload. */
export function onOpen(go: (url: string) => void): () => void {
  if (!('serviceWorker' in navigator)) return () => undefined
  const heard = ({ data, ports }: MessageEvent) => {
    if (data?.type !== 'signalbox:open' || typeof data.url !== 'string') return
    ports[0]?.postMessage('here')
    go(data.url)
  }
  navigator.serviceWorker.addEventListener('message', heard)
  return () => navigator.serviceWorker.removeEventListener('message', heard)
}

/** The badge on the app icon, if supported. */
export function setBadge(count: number): void {
  if (!('setAppBadge' in navigator)) return
  void (count > 0 ? navigator.setAppBadge(count) : navigator.clearAppBadge()).catch(() => undefined)
}

export function bytesOf(base64url: string): Uint8Array<ArrayBuffer> {
  const text = atob(base64url.replaceAll('-', '+').replaceAll('_', '/'))
  return Uint8Array.from(text, (char) => char.charCodeAt(0))
}

const sameBytes = (a: ArrayBuffer | null, b: Uint8Array): boolean =>
  a !== null && a.byteLength === b.length && new Uint8Array(a).every((byte, index) => byte === b[index])
