import type { BrowserStorage } from '../app/browser-storage.ts'
import type { Layout } from './rows.ts'
import { isRecord, jsonOrNull } from '../../src/lib/parse-json.ts'

/** Minimum width for the split view. */
export const wideFrom = 900

/** Two sides have no room below this width: a line would have less than 30 characters. */
export const narrowBelow = 600

export type WidthClass = 'wide' | 'narrow'
export const widthClassOf = (width: number): WidthClass => (width >= wideFrom ? 'wide' : 'narrow')

/** Choices are kept per width: phones and desktops differ. "Ignore white space" is never kept. */
export type ViewChoice = { layout: Layout; wrap: boolean }
type ChoiceStorage = Pick<BrowserStorage, 'getItem' | 'setItem'>

const keyOf = (room: WidthClass): string => `signalbox.diff.${room}`
const usual: Readonly<Record<WidthClass, ViewChoice>> = {
  wide: { layout: 'split', wrap: true },
  narrow: { layout: 'unified', wrap: true },
}

export function readChoice(room: WidthClass, keeper: ChoiceStorage): ViewChoice {
  const { layout, wrap } = jsonOrNull(keeper.getItem(keyOf(room)) ?? 'null', isRecord) ?? {}
  return {
    layout: layout === 'split' || layout === 'unified' ? layout : usual[room].layout,
    wrap: typeof wrap === 'boolean' ? wrap : usual[room].wrap,
  }
}

export const keepChoice = (room: WidthClass, choice: ViewChoice, keeper: ChoiceStorage): void =>
  keeper.setItem(keyOf(room), JSON.stringify(choice))
