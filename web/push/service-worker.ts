/// <reference lib="webworker" />
import { createSerialQueue } from '../../src/lib/serial-queue.ts'
import { keyedFetch } from '../api/keyed-fetch.ts'
import { readLoginKey } from '../api/login-key.ts'
import { answerAsk } from './answer-from-notification.ts'
import { browserName } from '../../src/lib/browser-name.ts'
import { createOffline } from './offline.ts'
import { readPayload } from './payload.ts'
import {
  isAnswer,
  resultContent,
  contentOf,
  unknownContent,
  type NotificationData,
  type NotificationContent,
} from './notification-options.ts'

declare const self: ServiceWorkerGlobalScope & typeof globalThis
declare const __BUILD__: string

const passingMs = 5000
const openedMs = 700

/** Chromium loses a notification if getNotifications runs while it is being shown. */
const notifications = createSerialQueue()

const offline = createOffline({ caches: self.caches, fetch: (request) => self.fetch(request), build: __BUILD__ })

self.addEventListener('install', (event) => {
  event.waitUntil(Promise.all([self.skipWaiting(), offline.keepShell()]))
})

self.addEventListener('activate', (event) => {
  event.waitUntil(Promise.all([self.clients.claim(), offline.forgetOthers()]))
})

self.addEventListener('fetch', (event) => {
  const answer = offline.answer(event.request)
  if (answer) event.respondWith(answer)
})

self.addEventListener('push', (event) => {
  event.waitUntil(receive(event.data))
})

async function receive(data: PushMessageData | null): Promise<void> {
  let said: unknown = null
  try {
    said = data?.json()
  } catch {
    // Not ours. Browsers require a notification for each push message.
  }
  const payload = readPayload(said)
  // Do not wait for slow badge updates.
  await Promise.all([show(payload ? contentOf(payload) : unknownContent), payload && setBadge(payload.badge)])
}

async function show({ title, options, passing }: NotificationContent): Promise<void> {
  await notifications.run(() => self.registration.showNotification(title, options))
  if (!passing) return
  await new Promise((resolve) => setTimeout(resolve, passingMs))
  const standing = await notifications.run(() => self.registration.getNotifications({ tag: options.tag }))
  // A newer notification may have replaced it.
  for (const one of standing) if (one.body === options.body) one.close()
}

/** On the icon of the installed app, if the platform supports it. */
async function setBadge(count: number): Promise<void> {
  const { navigator } = self
  if (!('setAppBadge' in navigator)) return
  await (count > 0 ? navigator.setAppBadge(count) : navigator.clearAppBadge()).catch(() => undefined)
}

self.addEventListener('notificationclick', (event) => {
  event.notification.close()
  const carried: NotificationData = event.notification.data ?? unknownContent.options.data
  event.waitUntil(tapped(event.action, carried))
})

async function tapped(action: string, carried: NotificationData): Promise<void> {
  if (!isAnswer(action) || carried.askId === null) return open(carried.url)
  // Signed out or data cleared: the page says so, and continues after the login.
  if ((await readLoginKey()) === null) return open(carried.url)
  const { words, over } = await answerAsk(carried.askId, action, keyedFetch)
  await show(resultContent(carried, words, over))
}

/** In an existing window if there is one. */
async function open(url: string): Promise<void> {
  const windows = await self.clients.matchAll({ type: 'window', includeUncontrolled: true })
  const there = windows.find((one) => new URL(one.url).pathname === url)
  const found = there ?? windows.find((one) => one.focused) ?? windows[0]
  if (!found) return void (await self.clients.openWindow(url))
  const focused = await found.focus().catch(() => found)
  if (there) return
  if (!(await goesThere(focused, url))) await focused.navigate(url).catch(() => self.clients.openWindow(url))
}

function goesThere(client: WindowClient, url: string): Promise<boolean> {
  const { port1, port2 } = new MessageChannel()
  return new Promise((resolve) => {
    port1.addEventListener('message', () => resolve(true))
    port1.start()
    setTimeout(resolve, openedMs, false)
    client.postMessage({ type: 'signalbox:open', url }, [port2])
  })
}

/** Push services change endpoints now and then; messages to the old one are lost. */
self.addEventListener('pushsubscriptionchange', (event) => {
  const change = event as PushSubscriptionChangeEvent
  change.waitUntil(subscribeAgain(change))
})

type PushSubscriptionChangeEvent = ExtendableEvent & {
  readonly oldSubscription?: PushSubscription | null
  readonly newSubscription?: PushSubscription | null
}

async function subscribeAgain({ oldSubscription, newSubscription }: PushSubscriptionChangeEvent): Promise<void> {
  const key = oldSubscription?.options.applicationServerKey
  const made =
    newSubscription ??
    (key ? await self.registration.pushManager.subscribe({ userVisibleOnly: true, applicationServerKey: key }) : null)
  const { endpoint, keys } = made?.toJSON() ?? {}
  if (!endpoint || !keys) return
  const name = browserName(self.navigator.userAgent)
  await keyedFetch('/api/push/devices', {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ endpoint, keys: { p256dh: keys['p256dh'], auth: keys['auth'] }, name }),
  })
}
