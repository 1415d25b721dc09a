import { useCallback, useRef, useState, type RefObject } from 'react'
import type { DiffFile } from './diff-model.ts'

/** File headers cost too: this many are rendered first, more on request. */
const filesAtFirst = 60

export type Files = {
  shown: number
  showMore: () => void
  folded: ReadonlySet<DiffFile>
  toggle: (file: DiffFile) => void
  /** Scrolls to a file and focuses its header. */
  go: (index: number) => void
  move: (by: 1 | -1) => void
}

/** `foldedAtFirst`: files that are folded at first. */
export function useFiles(
  root: RefObject<HTMLElement | null>,
  count: number,
  foldedAtFirst: () => readonly DiffFile[] = () => [],
): Files {
  const [shown, setShown] = useState(filesAtFirst)
  const [folded, setFolded] = useState<ReadonlySet<DiffFile>>(() => new Set(foldedAtFirst()))
  const at = useRef<number | null>(null)

  const toggle = useCallback((file: DiffFile) => {
    setFolded((before) => {
      const after = new Set(before)
      if (!after.delete(file)) after.add(file)
      return after
    })
  }, [])
  const go = useCallback(
    (index: number) => {
      at.current = index
      setShown((before) => Math.max(before, index + 20))
      const find = () => root.current?.querySelectorAll<HTMLElement>('.diff-file')[index]
      const reach = () => find()?.scrollIntoView({ block: 'start' })
      requestAnimationFrame(() => {
        reach()
        find()?.querySelector<HTMLElement>('.diff-fold')?.focus({ preventScroll: true })
        // Files rendered on the way may be taller than estimated.
        requestAnimationFrame(() => requestAnimationFrame(reach))
      })
    },
    [root],
  )
  const move = useCallback(
    (by: 1 | -1) => {
      const here = currentFile(root.current)
      const next = here === null ? 0 : here + by
      if (next >= 0 && next < count) go(next)
    },
    [root, count, go],
  )
  return { shown, showMore: () => setShown((before) => before + filesAtFirst), folded, toggle, go, move }
}

/** The focused file, else the last one that starts above the middle of the screen; null: before all files. */
function currentFile(root: HTMLElement | null): number | null {
  const files = Array.from(root?.querySelectorAll('.diff-file') ?? [])
  const focused = files.findIndex((file) => file.contains(document.activeElement))
  if (focused !== -1) return focused
  const line = window.innerHeight / 3
  const above = files.findLastIndex((file) => file.getBoundingClientRect().top <= line)
  return above === -1 ? null : above
}
