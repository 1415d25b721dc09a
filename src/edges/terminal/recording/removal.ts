import { readdir, rm, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { listSegments } from './segment.ts'

/** Removes a recording, all of it. */
export const removeRecording = (directory: string): Promise<void> => rm(directory, { recursive: true, force: true })

/** The recordings below `root` to which nothing was added since `time`, by their directory. */
export async function recordingsOlderThan(root: string, time: number): Promise<string[]> {
  const entries = await readdir(root, { withFileTypes: true }).catch(() => [])
  const old: string[] = []
  for (const entry of entries) {
    if (!entry.isDirectory()) continue
    const directory = join(root, entry.name)
    const newest = (await listSegments(directory)).at(-1)
    // Of a log that never grew there is no more than what it is known by.
    const found = await stat(newest?.path ?? directory).catch(() => null)
    if (found && found.mtimeMs < time) old.push(directory)
  }
  return old
}
