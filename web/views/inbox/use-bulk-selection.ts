import { whySeparate } from '../asks/bulk-answer.ts'
import type { AskItem } from '../asks/use-inbox-item.ts'
import type { ListedItem } from './rows.ts'
import { useKeptState } from './use-kept-state.ts'

export type BulkSelection = {
  /** Whether selection mode is on. */
  selecting: boolean
  setSelecting(selecting: boolean): void
  items: AskItem[]
  has(key: string): boolean
  toggle(key: string): void
  all(): void
  clear(): void
}

export const canSelect = ({ item, gone }: ListedItem): boolean =>
  !gone && item.kind === 'ask' && whySeparate(item.ask, item) === null

/** Asks selected for a bulk answer. Those that need a separate answer are never included. */
export function useBulkSelection(rows: readonly ListedItem[]): BulkSelection {
  const [selecting, setSelecting] = useKeptState('inbox-choosing', false)
  const [keys, setKeys] = useKeptState<readonly string[]>('inbox-chosen', [])
  const open = rows.filter(canSelect).flatMap(({ item }) => (item.kind === 'ask' ? [item] : []))
  const items = open.filter(({ key }) => keys.includes(key))
  const has = (key: string) => items.some((item) => item.key === key)
  return {
    selecting,
    setSelecting(next) {
      setSelecting(next)
      if (!next) setKeys([])
    },
    items,
    has,
    toggle(key) {
      if (!open.some((item) => item.key === key)) return
      setSelecting(true)
      setKeys(has(key) ? keys.filter((one) => one !== key) : [...items.map((item) => item.key), key])
    },
    all: () => setKeys(open.map(({ key }) => key)),
    clear: () => setKeys([]),
  }
}
