import type { Shelf } from '../app/shelf.ts'
import type { Layout } from './rows.ts'

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
  try {
    const kept: unknown = JSON.parse(keeper.getItem(keyOf(room)) ?? 'null')
    if (typeof kept !== 'object' || kept === null) return usual[room]
    const layout = 'layout' in kept && (kept.layout === 'split' || kept.layout === 'unified') ? kept.layout : null
    const wrap = 'wrap' in kept && typeof kept.wrap === 'boolean' ? kept.wrap : null
    return { layout: layout ?? usual[room].layout, wrap: wrap ?? usual[room].wrap }
  } catch {
    return usual[room]
  }
}

export const keepChoice = (room: Room, choice: Choice, keeper: Keeper): void =>
  keeper.setItem(keyOf(room), JSON.stringify(choice))
