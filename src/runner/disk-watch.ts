import { lstat, opendir, stat, statfs } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import type { RunnerSpec } from '../lib/container/spec.ts'
import { deletedFiles } from './deleted-files.ts'

const lookMs = 500
/** Below this much free space, or this many files that the disk can still have, nobody can work any more. */
const lowBytes = 256 * 2 ** 20
const lowFiles = 10_000
/** An empty file takes a place in the disk's table of files, which ends too: it counts as much as one with a letter in it. */
const leastOfFile = 4096
/** Counting takes at most this part of the time. */
const countingShare = 0.1
const mebibyte = 2 ** 20

type Watched = Pick<RunnerSpec, 'watched' | 'limits'> & {
  /** The container's first process; null: unknown. */
  pid(): Promise<number | null>
}

/** Calls back once, when the directories have grown beyond the limit, or have grown and the disk is nearly full. */
export function watchDisk(watched: Watched, signal: AbortSignal, full: (why: string) => void): void {
  void look(watched, signal, full).catch(() => {})
}

async function look({ watched, limits, pid: firstProcess }: Watched, signal: AbortSignal, full: (why: string) => void) {
  const most = limits.diskMb * mebibyte
  // No program has deleted anything yet, and asking the engine now would slow the start down.
  const first = await count(watched, null, signal, Infinity)
  const freeAtFirst = await free(watched)
  let cost = first.ms
  let lastCount = performance.now()
  let pid: number | null = null
  for (;;) {
    await pause(lookMs, null, { signal, ref: false })
    const left = await free(watched)
    const rested = performance.now() - lastCount > cost / countingShare
    // Free space is cheap to ask for. Files are counted when it has shrunk, and now and then.
    const gone = { bytes: freeAtFirst.bytes - left.bytes, files: freeAtFirst.files - left.files }
    const isLow = left.bytes < lowBytes || left.files < lowFiles
    const isSuspect = gone.bytes > most / 2 || gone.files > most / leastOfFile / 2 || isLow
    const isDue = performance.now() - lastCount > 30_000
    if (!rested || !(isSuspect || isDue)) continue
    pid ??= await firstProcess()
    const now = await count(watched, pid, signal, first.bytes + most)
    lastCount = performance.now()
    cost = now.ms
    // A container that hides files is charged for all space that is missing on the disk.
    const unseen = now.hidden > first.hidden ? gone.bytes : 0
    const grown = Math.max(now.bytes - first.bytes, unseen)
    if (grown > most)
      return full(`its workspace and home grew by ${inMebibytes(grown)} MiB, and disk_mb is ${inMebibytes(most)}.`)
    if (isLow && grown > mebibyte)
      return full(
        `the disk is nearly full (${inMebibytes(left.bytes)} MiB left), and it wrote ${inMebibytes(grown)} MiB.`,
      )
  }
}

const inMebibytes = (bytes: number): number => Math.round(bytes / mebibyte)

/** Some file systems make room for files as they come, and name no number. */
async function free(places: readonly string[]): Promise<{ bytes: number; files: number }> {
  const found = await Promise.all(places.map((place) => statfs(place)))
  return {
    bytes: Math.min(...found.map(({ bavail, bsize }) => bavail * bsize)),
    files: Math.min(...found.map(({ files, ffree }) => (files === 0 ? Infinity : ffree))),
  }
}

/** `hidden`: directories that we may not read, and deleted files of unknown size. */
type Count = { readonly bytes: number; readonly hidden: number; readonly ms: number }

/** What the files take on disk, deleted ones that are still open among them. Links are not followed. */
async function count(
  places: readonly string[],
  pid: number | null,
  signal: AbortSignal,
  /** More is not counted. */
  enough: number,
): Promise<Count> {
  const began = performance.now()
  const seen = new Set<string>()
  const devices = new Set((await Promise.all(places.map((place) => stat(place)))).map(({ dev }) => dev))
  let { bytes, unknown: hidden } = pid === null ? { bytes: 0, unknown: 0 } : await deletedFiles(pid, devices)
  const waiting = [...places]
  for (let directory = waiting.pop(); directory !== undefined && bytes <= enough; directory = waiting.pop()) {
    signal.throwIfAborted()
    const entries = await opendir(directory).catch((error: NodeJS.ErrnoException) => error.code)
    if (typeof entries !== 'object') {
      if (entries !== 'ENOENT') hidden += 1
      continue
    }
    for await (const entry of entries) {
      const path = join(directory, entry.name)
      if (entry.isDirectory()) waiting.push(path)
      const found = await lstat(path).catch(() => null)
      if (!found) continue
      const name = `${found.dev}:${found.ino}`
      if (found.nlink > 1 && !entry.isDirectory()) {
        if (seen.has(name)) continue
        seen.add(name)
      }
      bytes += Math.max(found.blocks * 512, leastOfFile)
      if (bytes > enough) break
    }
  }
  return { bytes, hidden, ms: performance.now() - began }
}
