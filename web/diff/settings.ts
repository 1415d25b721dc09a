import type { Shelf } from '../app/shelf.ts'
import type { Layout } from './rows.ts'
import { isRecord, jsonOrNull } from '../../src/lib/parse-json.ts'

/** From this width on, two sides fit beside each other. */
export const wideFrom = 900

export type Room = 'wide' | 'narrow'
export const roomOf = (width: number): Room => (width >= wideFrom ? 'wide' : 'narrow')

/** What someone chose is kept for each room: a phone and a desk want different things. White space is never kept hidden. */
export type Choice = { layout: Layout; wrap: boolean }
type Keeper = Pick<Shelf, 'getItem' | 'setItem'>

const keyOf = (room: Room): string => `signalbox.diff.${room}`
const usual: Readonly<Record<Room, Choice>> = {
  wide: { layout: 'split', wrap: true },
  narrow: { layout: 'unified', wrap: true },
}

export function readChoice(room: Room, keeper: Keeper): Choice {
  const { layout, wrap } = jsonOrNull(keeper.getItem(keyOf(room)) ?? 'null', isRecord) ?? {}
  return {
    layout: layout === 'split' || layout === 'unified' ? layout : usual[room].layout,
    wrap: typeof wrap === 'boolean' ? wrap : usual[room].wrap,
  }
}

export const keepChoice = (room: Room, choice: Choice, keeper: Keeper): void =>
  keeper.setItem(keyOf(room), JSON.stringify(choice))
