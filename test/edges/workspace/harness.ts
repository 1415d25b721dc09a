import { mkdir, mkdtemp, realpath, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { bestHold, type Hold } from '../../../src/edges/workspace/held-directory.ts'
import { openWorkspace, type WorkspaceFiles } from '../../../src/edges/workspace/workspace-files.ts'

export type TestPlace = AsyncDisposable & {
  /** Real path of the workspace. */
  root: string
  /** A directory next to the workspace, with a file `secret`. */
  outside: string
  files: WorkspaceFiles
  refusals: { path: string; why: string }[]
  open(root: string): WorkspaceFiles
}

export const secret = 'nobody in the workspace may read this\n'

/** If directories can't be held by descriptor, only the other way is tested. */
export const holds: Hold[] = bestHold() === 'descriptor' ? ['descriptor', 'path'] : ['path']

export async function freshPlace(hold: Hold = bestHold()): Promise<TestPlace> {
  const base = await realpath(await mkdtemp(join(tmpdir(), 'sbwf-')))
  const root = join(base, 'ws')
  const outside = join(base, 'outside')
  await mkdir(join(root, 'src'), { recursive: true })
  await mkdir(outside)
  await writeFile(join(outside, 'secret'), secret)
  await writeFile(join(root, 'src', 'a.txt'), 'one\ntwo\nthree\n')
  const refusals: { path: string; why: string }[] = []
  const open = (directory: string) =>
    openWorkspace({
      root: directory,
      hold,
      refused: (path, why) => {
        refusals.push({ path, why })
        return Promise.resolve()
      },
    })
  return {
    root,
    outside,
    refusals,
    open,
    files: open(root),
    [Symbol.asyncDispose]: () => rm(base, { recursive: true, force: true }),
  }
}

export const codeOf = (result: { ok: true } | { ok: false; fault: { code: string } }): string =>
  result.ok ? 'ok' : result.fault.code
