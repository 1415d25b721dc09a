import { shelf } from './shelf.ts'

/** Light, dark, or as the system has it; kept in this browser alone. */
export const themes = ['system', 'light', 'dark'] as const
export type Theme = (typeof themes)[number]

const place = 'signalbox.theme'

export function chosenTheme(): Theme {
  const kept = shelf.getItem(place)
  return themes.find((theme) => theme === kept) ?? 'system'
}

export function applyTheme(theme: Theme): void {
  if (theme === 'system') delete document.documentElement.dataset['theme']
  else document.documentElement.dataset['theme'] = theme
}

export function chooseTheme(theme: Theme): void {
  shelf.setItem(place, theme)
  applyTheme(theme)
}
