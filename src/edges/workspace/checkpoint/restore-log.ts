import { closeSync, fsyncSync, mkdirSync, openSync, readFileSync, writeSync } from 'node:fs'
import { join } from 'node:path'
import * as z from 'zod'
import { jsonOrNull } from '../../../lib/parse-json.ts'
import { errnoOf } from '../errno.ts'
import type { TreeLeaf } from './tree.ts'

/** What must still be there for a file or link to count as unchanged. */
const KnownLeaf = z.object({ hash: z.string(), mode: z.int().optional(), target: z.string().optional() })
export type KnownLeaf = z.infer<typeof KnownLeaf>

export const knownLeaf = (leaf: TreeLeaf): KnownLeaf =>
  leaf.kind === 'link' ? { hash: leaf.hash, target: leaf.target } : { hash: leaf.hash, mode: leaf.mode }

/**
 * A step of a restore that the checkpoint of the state before can't tell: a file that was not there, an entry moved aside, an
 * empty directory made or removed.
 */
const RestoreStep = z.discriminatedUnion('kind', [
  z.object({ kind: z.literal('made'), path: z.string(), leaf: KnownLeaf }),
  z.object({ kind: z.literal('moved'), path: z.string(), to: z.string() }),
  z.object({ kind: z.literal('mkdir'), path: z.string() }),
  z.object({ kind: z.literal('rmdir'), path: z.string(), mode: z.int() }),
])
export type RestoreStep = z.infer<typeof RestoreStep>

const fileOf = (directory: string, before: string) => join(directory, 'restores', `${before}.jsonl`)

/** Notes the steps of a restore, each before it is done, for the checkpoint that undoes it. */
export function openRestoreLog(directory: string, before: string): Disposable & { note(step: RestoreStep): void } {
  mkdirSync(join(directory, 'restores'), { recursive: true, mode: 0o700 })
  const fd = openSync(fileOf(directory, before), 'a', 0o600)
  return {
    note: (step) => void writeSync(fd, `${JSON.stringify(step)}\n`),
    [Symbol.dispose]() {
      fsyncSync(fd)
      closeSync(fd)
    },
  }
}

/** The steps of the restore before which this checkpoint was made. A line that was cut off is left out. */
export function readRestoreLog(directory: string, before: string): RestoreStep[] {
  try {
    const lines = readFileSync(fileOf(directory, before), 'utf8').split('\n')
    return lines.flatMap((line) => jsonOrNull(line, RestoreStep) ?? [])
  } catch (error) {
    if (errnoOf(error) === 'ENOENT') return []
    throw error
  }
}
