import { whyAlone } from '../asks/grave.ts'
import type { AskItem } from '../asks/use-inbox-item.ts'
import type { Row } from './rows.ts'
import { useKept } from './use-kept.ts'

export type Chosen = {
  /** Whether several are being chosen at all. */
  choosing: boolean
  setChoosing(choosing: boolean): void
  items: AskItem[]
  has(key: string): boolean
  toggle(key: string): void
  all(): void
  clear(): void
}

export const mayChoose = ({ item, gone }: Row): boolean =>
  !gone && item.kind === 'ask' && whyAlone(item.ask, item) === null

/** Several asks, to be answered together. What can't be answered together is never among them. */
export function useChosen(rows: readonly Row[]): Chosen {
  const [choosing, setChoosing] = useKept('inbox-choosing', false)
  const [keys, setKeys] = useKept<readonly string[]>('inbox-chosen', [])
  const open = rows.filter(mayChoose).flatMap(({ item }) => (item.kind === 'ask' ? [item] : []))
  const items = open.filter(({ key }) => keys.includes(key))
  const has = (key: string) => items.some((item) => item.key === key)
  return {
    choosing,
    setChoosing(next) {
      setChoosing(next)
      if (!next) setKeys([])
    },
    items,
    has,
    toggle(key) {
      if (!open.some((item) => item.key === key)) return
      setChoosing(true)
      setKeys(has(key) ? keys.filter((one) => one !== key) : [...items.map((item) => item.key), key])
    },
    all: () => setKeys(open.map(({ key }) => key)),
    clear: () => setKeys([]),
  }
}
