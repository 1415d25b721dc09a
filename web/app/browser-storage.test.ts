import { afterEach, describe, expect, it, vi } from 'vitest'
import { clearPersonalData, guardedStorage, browserStorage, tabStorage } from './browser-storage.ts'
import { chosenTheme } from './theme.ts'

/** A storage as browsers have it. */
function storage(first: Record<string, string> = {}): Storage {
  const kept = new Map(Object.entries(first))
  return {
    get length() {
      return kept.size
    },
    key: (index) => [...kept.keys()][index] ?? null,
    getItem: (name) => kept.get(name) ?? null,
    setItem: (name, value) => void kept.set(name, value),
    removeItem: (name) => void kept.delete(name),
    clear: () => kept.clear(),
  }
}

const refuse = () => {
  throw new Error('The operation is insecure.')
}

afterEach(() => {
  vi.unstubAllGlobals()
})

describe('browser storage', () => {
  it('is read back, and cleared by prefix', () => {
    const kept = guardedStorage(() => own)
    const own = storage({ 'a.1': 'x', 'a.2': 'y', b: 'z' })
    kept.setItem('a.3', 'w')
    expect(kept.getItem('a.3')).toBe('w')
    kept.clear('a.')
    expect([own.length, kept.getItem('b')]).toEqual([1, 'z'])
  })

  it('is empty if access throws', () => {
    const closed = guardedStorage(refuse)
    expect(closed.getItem('a')).toBeNull()
    expect(() => [closed.setItem('a', 'b'), closed.removeItem('a'), closed.clear('a')]).not.toThrow()
  })

  it('does not prevent the default theme', () => {
    vi.stubGlobal('localStorage', { getItem: refuse, setItem: refuse })
    expect(chosenTheme()).toBe('system')
  })
})

describe('signing out', () => {
  it('removes drafts and choices of the person; browser settings stay', () => {
    vi.stubGlobal('localStorage', storage({ 'signalbox.start': '{"path":"/srv"}', 'signalbox.theme': 'dark' }))
    vi.stubGlobal('sessionStorage', storage({ 'signalbox.draft.s1': 'half a thought', other: 'x' }))
    clearPersonalData()
    expect(browserStorage.getItem('signalbox.start')).toBeNull()
    expect(tabStorage.getItem('signalbox.draft.s1')).toBeNull()
    expect([browserStorage.getItem('signalbox.theme'), tabStorage.getItem('other')]).toEqual(['dark', 'x'])
  })
})
