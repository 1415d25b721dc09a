import { readdir, rm, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { listSegments } from './segment.ts'

/** Removes a whole recording. */
export const removeRecording = (directory: string): Promise<void> => rm(directory, { recursive: true, force: true })

/** The directories of recordings below `root` that did not grow since `time`. */
export async function recordingsOlderThan(root: string, time: number): Promise<string[]> {
  const entries = await readdir(root, { withFileTypes: true }).catch(() => [])
  const old: string[] = []
  for (const entry of entries) {
    if (!entry.isDirectory()) continue
    const directory = join(root, entry.name)
    const newest = (await listSegments(directory)).at(-1)
    // A log that never grew has only its mark.
    const found = await stat(newest?.path ?? directory).catch(() => null)
    if (found && found.mtimeMs < time) old.push(directory)
  }
  return old
}
