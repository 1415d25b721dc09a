import { lstat, opendir, statfs } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import type { RunnerSpec } from '../lib/container/spec.ts'

const lookMs = 500
/** Below this much free space nobody can work any more. */
const lowBytes = 256 * 2 ** 20
/** Counting takes at most this part of the time. */
const countingShare = 0.1
const mebibyte = 2 ** 20

/** Calls back once, when the directories have grown beyond the limit, or have grown and the disk is nearly full. */
export function watchDisk(
  { watched, limits }: Pick<RunnerSpec, 'watched' | 'limits'>,
  signal: AbortSignal,
  full: (why: string) => void,
): void {
  void look(watched, limits.diskMb * mebibyte, signal, full).catch(() => {})
}

async function look(
  watched: readonly string[],
  most: number,
  signal: AbortSignal,
  full: (why: string) => void,
): Promise<void> {
  const first = await count(watched, signal)
  const freeAtFirst = await free(watched)
  let cost = first.ms
  let lastCount = performance.now()
  for (;;) {
    await pause(lookMs, null, { signal, ref: false })
    const left = await free(watched)
    const rested = performance.now() - lastCount > cost / countingShare
    // Free space is cheap to ask for. Files are counted when it has shrunk, and now and then.
    const isSuspect = freeAtFirst - left > most / 2 || left < lowBytes
    const isDue = performance.now() - lastCount > 30_000
    if (!rested || !(isSuspect || isDue)) continue
    const now = await count(watched, signal)
    lastCount = performance.now()
    cost = now.ms
    const grown = now.bytes - first.bytes
    if (grown > most)
      return full(`its workspace and home grew by ${inMebibytes(grown)} MiB, and disk_mb is ${inMebibytes(most)}.`)
    if (left < lowBytes && grown > mebibyte)
      return full(`the disk is nearly full (${inMebibytes(left)} MiB left), and it wrote ${inMebibytes(grown)} MiB.`)
  }
}

const inMebibytes = (bytes: number): number => Math.round(bytes / mebibyte)

async function free(places: readonly string[]): Promise<number> {
  const found = await Promise.all(places.map((place) => statfs(place)))
  return Math.min(...found.map(({ bavail, bsize }) => bavail * bsize))
}

/** What the files take on disk. Links are not followed. */
async function count(places: readonly string[], signal: AbortSignal): Promise<{ bytes: number; ms: number }> {
  const began = performance.now()
  const seen = new Set<string>()
  let bytes = 0
  const waiting = [...places]
  for (let directory = waiting.pop(); directory !== undefined; directory = waiting.pop()) {
    signal.throwIfAborted()
    const entries = await opendir(directory).catch(() => null)
    if (!entries) continue
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
      bytes += found.blocks * 512
    }
  }
  return { bytes, ms: performance.now() - began }
}
