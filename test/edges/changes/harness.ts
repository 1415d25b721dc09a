import { lstatSync, readdirSync, readFileSync, readlinkSync } from 'node:fs'
import { mkdir, mkdtemp, readFile, realpath, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import {
  createFileChanges,
  type FileChanges,
  type FileChangesDeps,
} from '../../../src/edges/workspace/changes/file-changes.ts'
import { createUndoStore, type UndoStore } from '../../../src/edges/workspace/undo-store.ts'
import { systemClock } from '../../../src/lib/clock.ts'
import { newId } from '../../../src/lib/id.ts'
import { silentLogger } from '../../../src/lib/log.ts'
import type { Result } from '../../../src/lib/result.ts'
import { sha256 } from '../../../src/lib/secret.ts'

export type ChangesHarness = AsyncDisposable & {
  /** Real path of the workspace. */
  root: string
  /** A tree next to the workspace that must not change. */
  outside: string
  dataDir: string
  undo: UndoStore
  changes: FileChanges
  refusals: string[]
  /** Checks and applies as the core does, each time under a new id. */
  approve(filePath: string, diff: string, force?: boolean): Promise<Result<{ askId: string; files: string[] }>>
  write(path: string, content: string | Buffer): Promise<void>
  read(path: string): Promise<string>
  /** Everything in the workspace: modes, links, contents. */
  tree(): string[]
}

export const sessionId = '5a1e0000-0000-4000-8000-000000000001'

export async function openChangesHarness(
  options: Partial<FileChangesDeps> & { base?: string } = {},
): Promise<ChangesHarness> {
  const base = await realpath(await mkdtemp(join(options.base ?? tmpdir(), 'sbch-')))
  const [root, outside, dataDir] = [join(base, 'ws'), join(base, 'outside'), join(base, 'data')]
  await mkdir(join(outside, 'deep'), { recursive: true })
  await mkdir(root)
  await mkdir(dataDir)
  for (const name of ['secret', 'a.txt', 'deep/secret']) await writeFile(join(outside, name), 'outside\n')
  const refusals: string[] = []
  const undo = createUndoStore({ directory: join(dataDir, 'undo') })
  const refused = (path: string): Promise<void> => {
    refusals.push(path)
    return Promise.resolve()
  }
  const changes = createFileChanges({ dataDir, clock: systemClock, log: silentLogger, refused, undo, ...options })
  return {
    root,
    outside,
    dataDir,
    undo,
    changes,
    refusals,
    async approve(filePath, diff, force = false) {
      const looked = await changes.look({ root, filePath, diff })
      if (!looked.ok) return looked
      const askId = newId<string>()
      const { files } = looked.value
      const applied = await changes.apply({ askId, sessionId, root, filePath, diff, files, force })
      if (!applied.ok) return applied
      await changes.settle(askId)
      return { ok: true, value: { askId, files: applied.value.filesWritten.map(({ path }) => path) } }
    },
    async write(path, content) {
      await mkdir(dirname(join(root, path)), { recursive: true })
      await writeFile(join(root, path), content)
    },
    read: (path) => readFile(join(root, path), 'latin1'),
    tree: () => treeOf(root),
    [Symbol.asyncDispose]: () => rm(base, { recursive: true, force: true }),
  }
}

/** One line per entry, without following links, to compare two trees. */
export function treeOf(directory: string, inside = ''): string[] {
  const lines: string[] = []
  for (const entry of readdirSync(join(directory, inside), { withFileTypes: true })) {
    if (entry.name === '.git') continue
    const name = join(inside, entry.name)
    const path = join(directory, name)
    const what = entry.isSymbolicLink() ? readlinkSync(path) : entry.isFile() ? sha256(readFileSync(path)) : 'other'
    lines.push(`${name} ${(lstatSync(path).mode & 0o7777).toString(8)} ${what}`)
    if (entry.isDirectory()) lines.push(...treeOf(directory, name))
  }
  return lines.toSorted()
}

export const codeOf = (result: Result<unknown>): string => (result.ok ? 'ok' : result.fault.code)
