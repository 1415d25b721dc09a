/**
 * The key of this browser's login. Cookies are sent to every port of a host; this key stays in the origin's storage,
 * where the service worker reads it too.
 */
export type LoginKey = { readonly key: string; readonly userId: string }

const database = 'signalbox'
const store = 'login'
const place = 'key'
const channel = 'signalbox.login'

function open(): Promise<IDBDatabase> {
  return new Promise((resolve, reject) => {
    const asked = indexedDB.open(database, 1)
    asked.addEventListener('upgradeneeded', () => asked.result.createObjectStore(store))
    asked.addEventListener('success', () => resolve(asked.result))
    asked.addEventListener('error', () => reject(asked.error ?? new Error('storage refused')))
  })
}

/** Settles when the key is stored. */
async function within<T>(mode: IDBTransactionMode, act: (rows: IDBObjectStore) => IDBRequest<T>): Promise<T> {
  const db = await open()
  try {
    return await new Promise((resolve, reject) => {
      const transaction = db.transaction(store, mode, { durability: 'strict' })
      const asked = act(transaction.objectStore(store))
      transaction.addEventListener('complete', () => resolve(asked.result))
      transaction.addEventListener('abort', () => reject(transaction.error ?? new Error('storage refused')))
    })
  } finally {
    db.close()
  }
}

/** Null if there is none, or if the browser stores nothing. */
export async function readLoginKey(): Promise<LoginKey | null> {
  try {
    const found = await within<unknown>('readonly', (rows) => rows.get(place))
    return isLoginKey(found) ? found : null
  } catch {
    return null
  }
}

const isLoginKey = (value: unknown): value is LoginKey =>
  typeof value === 'object' &&
  value !== null &&
  'key' in value &&
  typeof value.key === 'string' &&
  'userId' in value &&
  typeof value.userId === 'string'

/** Whether the browser stores data for us. Checked before a one-time link is used. */
export async function canKeepKey(): Promise<boolean> {
  try {
    await within('readwrite', (rows) => rows.put(true, 'probe'))
    return true
  } catch {
    return false
  }
}

export async function keepLoginKey(login: LoginKey): Promise<void> {
  await within('readwrite', (rows) => rows.put(login, place))
  tell()
}

export async function forgetLoginKey(): Promise<void> {
  await within('readwrite', (rows) => rows.delete(place)).catch(() => undefined)
  tell()
}

function tell(): void {
  const others = new BroadcastChannel(channel)
  others.postMessage('changed')
  others.close()
}

/** Called when another tab signs in or out. */
export function onLoginChange(changed: () => Promise<void>): void {
  new BroadcastChannel(channel).addEventListener('message', () => void changed())
}
