import { randomUUID } from 'node:crypto'
import { execFileSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { chmodSync, lstatSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, readlinkSync } from 'node:fs'
import { realpathSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { silentLogger } from '../../src/lib/log.ts'
import type { Result } from '../../src/lib/result.ts'
import { createCheckpointStore } from '../../src/edges/workspace/checkpoint/store.ts'

/** A workspace on the disk and what is stored of it. */
export type CheckpointHarness = ReturnType<typeof openCheckpointHarness>

export function openCheckpointHarness() {
  const base = realpathSync(mkdtempSync(join(tmpdir(), 'signalbox-checkpoint-')))
  const root = join(base, 'workspace')
  mkdirSync(root)
  const store = createCheckpointStore({ directory: join(base, 'data', 'checkpoints'), log: silentLogger })
  const git = (...args: string[]): string =>
    execFileSync('git', args, {
      cwd: root,
      encoding: 'utf8',
      env: { ...process.env, GIT_CONFIG_GLOBAL: '/dev/null', GIT_CONFIG_NOSYSTEM: '1' },
    })
  return {
    base,
    root,
    store,
    git,
    initGit() {
      git('init', '--quiet', '--initial-branch=main')
      git('config', 'user.email', 'somebody@example.org')
      git('config', 'user.name', 'Somebody')
    },
    write(path: string, content: string | Uint8Array = path, mode?: number): void {
      mkdirSync(dirname(join(root, path)), { recursive: true })
      writeFileSync(join(root, path), content)
      if (mode !== undefined) chmodSync(join(root, path), mode)
    },
    read: (path: string) => readFileSync(join(root, path), 'utf8'),
    picture: () => picture(root),
    take: async (checkpointId = 'c1') => valueOf(await store.take({ checkpointId, root })),
    compare: async (tree: string) => valueOf(await store.compare({ root, tree })),
    restore: async (taken: { tree: string; restorePoint: string }, removeNew: { path: string; hash: string }[] = []) =>
      valueOf(
        await store.restore({
          root,
          tree: taken.tree,
          restorePoint: taken.restorePoint,
          removeNew,
          checkpointId: 'none',
          before: randomUUID(),
        }),
      ),
    /** The directory with everything stored of this workspace. */
    kept(): string {
      const directory = join(base, 'data', 'checkpoints')
      return join(directory, readdirSync(directory)[0] ?? '')
    },
    remove: () => rmSync(base, { recursive: true, force: true }),
  }
}

export function valueOf<T>(result: Result<T>): T {
  if (!result.ok) throw new Error(`${result.fault.code}: ${result.fault.message}`)
  return result.value
}

/** Every file and link below a directory, except `.git`: its type, mode and bytes. */
function picture(directory: string, at = ''): Map<string, string> {
  const found = new Map<string, string>()
  for (const name of readdirSync(join(directory, at)).sort()) {
    const path = join(at, name)
    const status = lstatSync(join(directory, path))
    if (name === '.git') continue
    if (status.isDirectory()) for (const [inner, what] of picture(directory, path)) found.set(inner, what)
    else if (status.isSymbolicLink()) found.set(path, `link ${readlinkSync(join(directory, path))}`)
    else {
      const hash = createHash('sha256')
        .update(readFileSync(join(directory, path)))
        .digest('hex')
      found.set(path, `file ${(status.mode & 0o777).toString(8)} ${hash}`)
    }
  }
  return found
}
