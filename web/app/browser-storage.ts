/** Browser storage. A browser that refuses to store data breaks nothing. */
export type BrowserStorage = {
  getItem(name: string): string | null
  setItem(name: string, value: string): void
  removeItem(name: string): void
  /** Removes all entries with this prefix. */
  clear(prefix: string): void
}

/** Even access may throw, so the storage is opened on each call. */
export function guardedStorage(open: () => Storage): BrowserStorage {
  function attempt<T>(act: (storage: Storage) => T, otherwise: T): T {
    try {
      return act(open())
    } catch {
      return otherwise
    }
  }
  return {
    getItem: (name) => attempt((storage) => storage.getItem(name), null),
    setItem: (name, value) => attempt((storage) => storage.setItem(name, value), undefined),
    removeItem: (name) => attempt((storage) => storage.removeItem(name), undefined),
    clear: (prefix) =>
      attempt((storage) => {
        const names = Array.from({ length: storage.length }, (_, index) => storage.key(index))
        for (const name of names) if (name?.startsWith(prefix)) storage.removeItem(name)
      }, undefined),
  }
}

/** Kept across tabs and restarts. */
export const browserStorage = guardedStorage(() => localStorage)
/** Kept while the tab is open. */
export const tabStorage = guardedStorage(() => sessionStorage)

export const draftPrefix = 'signalbox.draft.'
/** Comments on changes before they are sent, and files ticked as viewed. */
export const reviewsName = 'signalbox.reviews'
export const startName = 'signalbox.start'
export const returnAddressName = 'signalbox.wanted'

/** Drafts and choices are personal: removed at sign-out. */
export function clearPersonalData(): void {
  tabStorage.clear(draftPrefix)
  browserStorage.removeItem(startName)
  browserStorage.removeItem(reviewsName)
  browserStorage.removeItem(returnAddressName)
}
