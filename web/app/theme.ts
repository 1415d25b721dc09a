import { browserStorage } from './browser-storage.ts'

/** Light, dark or system; kept in this browser. */
export const themes = ['system', 'light', 'dark'] as const
export type Theme = (typeof themes)[number]

const place = 'signalbox.theme'

export function chosenTheme(): Theme {
  const kept = browserStorage.getItem(place)
  return themes.find((theme) => theme === kept) ?? 'system'
}

export function applyTheme(theme: Theme): void {
  if (theme === 'system') delete document.documentElement.dataset['theme']
  else document.documentElement.dataset['theme'] = theme
}

export function chooseTheme(theme: Theme): void {
  browserStorage.setItem(place, theme)
  applyTheme(theme)
}
