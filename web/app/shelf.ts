/** What this browser keeps for us. One that refuses to keep anything is asked again each time, and breaks nothing. */
export type Shelf = {
  getItem(name: string): string | null
  setItem(name: string, value: string): void
  removeItem(name: string): void
  /** Everything whose name begins so. */
  clear(prefix: string): void
}

/** Even to look at it may be refused, so it is looked at anew each time. */
export function guardedShelf(open: () => Storage): Shelf {
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

/** For as long as the browser likes. */
export const shelf = guardedShelf(() => localStorage)
/** For as long as the tab is open. */
export const tabShelf = guardedShelf(() => sessionStorage)

export const draftPrefix = 'signalbox.draft.'
export const startName = 'signalbox.start'
export const wantedName = 'signalbox.wanted'

/** What somebody wrote or chose here is nobody else's: gone when they sign out. */
export function forgetPerson(): void {
  tabShelf.clear(draftPrefix)
  shelf.removeItem(startName)
  shelf.removeItem(wantedName)
}
