import type { Page } from 'playwright-core'
import type { PushPayload } from './push-service.ts'
import { until } from './until.ts'

export type ShownNotification = {
  title: string
  body: string
  tag: string
  silent: boolean | null
  requireInteraction: boolean
  actions: { action: string; title: string }[]
}

/** The service worker of the dashboard, with the actions of a push service and a person. */
export type PushedPage = {
  /** As a push service would deliver it. */
  deliver(payload: PushPayload): Promise<void>
  shown(): Promise<ShownNotification[]>
  /** The one with this tag, once it has this text. */
  says(tag: string, words: string): Promise<ShownNotification>
  noneOf(tag: string): Promise<void>
  /** On the notification itself, or on one of its buttons. */
  tap(tag: string, action?: string): Promise<void>
  /** The last badge number; null if never set. */
  badge(): Promise<number | null>
}

/** The page's browser must let it notify: `grantPermissions(['notifications'])`. */
export async function openPushedPage(page: Page, origin: string): Promise<PushedPage> {
  const cdp = await page.context().newCDPSession(page)
  const registered = new Promise<string>((resolve) => {
    cdp.on('ServiceWorker.workerRegistrationUpdated', ({ registrations }) => {
      const found = registrations.find(({ scopeURL, isDeleted }) => scopeURL === `${origin}/` && !isDeleted)
      if (found) resolve(found.registrationId)
    })
  })
  await cdp.send('ServiceWorker.enable')
  await page.evaluate('navigator.serviceWorker.ready.then(() => undefined)')
  const registrationId = await registered
  const worker = await until(() => page.context().serviceWorkers()[0], { what: 'the service worker' })
  // A headless browser has no icon, so badge calls are recorded. A browser that is asked what it shows while it is
  // about to show something forgets it, so queries wait until it is shown.
  await worker.evaluate(`
    self.badge = null
    navigator.setAppBadge = async (count) => { self.badge = count }
    navigator.clearAppBadge = async () => { self.badge = 0 }
    let last = Promise.resolve()
    for (const name of ['showNotification', 'getNotifications']) {
      const act = registration[name].bind(registration)
      registration[name] = (...given) => {
        const done = last.then(() => act(...given))
        last = done.catch(() => undefined)
        return done
      }
    }`)
  const shown = () =>
    worker.evaluate<ShownNotification[]>(`registration.getNotifications()
      .then((all) => all.map(({ title, body, tag, silent, requireInteraction, actions }) =>
        ({ title, body, tag, silent, requireInteraction,
          actions: actions.map(({ action, title }) => ({ action, title })) })))`)
  return {
    shown,
    async deliver(payload) {
      const data = JSON.stringify(payload)
      await cdp.send('ServiceWorker.deliverPushMessage', { origin, registrationId, data })
    },
    says: (tag, words) =>
      until(async () => (await shown()).find((one) => one.tag === tag && `${one.title}\n${one.body}`.includes(words)), {
        what: `a notification ${tag} that says ${words}`,
      }),
    async noneOf(tag) {
      await until(async () => (await shown()).every((one) => one.tag !== tag), { what: `no notification ${tag}` })
    },
    async tap(tag, action = '') {
      const made = JSON.stringify({ tag, action })
      await worker.evaluate(`(async ({ tag, action }) => {
        const [notification] = await registration.getNotifications({ tag })
        dispatchEvent(new NotificationEvent('notificationclick', { notification, action }))
      })(${made})`)
    },
    badge: () => worker.evaluate<number | null>('self.badge'),
  }
}
