import { rm, stat } from 'node:fs/promises'
import { indexPath, listSegments, type Segment } from './segment.ts'

/** A file takes at least a block of the disk, however short it is. */
const least = 4096

export type Kept = {
  /** The first offset that is still there. */
  readonly from: number
  grew(segment: Segment, bytes: number): void
  /** Removes the oldest segments until the rest is within the limit; never the newest. */
  trim(): Promise<void>
}

export async function keepWithin(directory: string, mostBytes: number): Promise<Kept> {
  const sizes = new Map<number, { segment: Segment; bytes: number }>()
  for (const segment of await listSegments(directory)) {
    const found = await stat(segment.path).catch(() => null)
    if (found) sizes.set(segment.start, { segment, bytes: found.size })
  }
  const total = () => sizes.values().reduce((sum, { bytes }) => sum + Math.max(bytes, least), 0)

  return {
    get from() {
      return sizes.keys().next().value ?? 0
    },
    grew(segment, bytes) {
      sizes.set(segment.start, { segment, bytes })
    },
    async trim() {
      let over = total() - mostBytes
      while (over > 0 && sizes.size > 1) {
        const [oldest] = sizes.values()
        if (!oldest) return
        await rm(oldest.segment.path, { force: true })
        await rm(indexPath(oldest.segment), { force: true })
        sizes.delete(oldest.segment.start)
        over -= Math.max(oldest.bytes, least)
      }
    },
  }
}
