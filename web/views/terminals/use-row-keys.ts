import { useRef, type RefObject } from 'react'
import { useShortcuts } from '../../app/shortcuts.ts'

/** `j` and `k` move between focusable elements with `data-row`. */
export function useRowKeys<T extends HTMLElement>(): RefObject<T | null> {
  const list = useRef<T>(null)
  const move = (by: number) => () => {
    const rows = [...(list.current?.querySelectorAll<HTMLElement>('[data-row]') ?? [])]
    const at = rows.findIndex((row) => row === document.activeElement)
    const next = at === -1 ? (by > 0 ? 0 : rows.length - 1) : Math.min(rows.length - 1, Math.max(0, at + by))
    rows[next]?.focus()
  }
  useShortcuts({ j: move(1), k: move(-1) })
  return list
}
