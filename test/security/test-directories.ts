import { execFile } from 'node:child_process'
import { mkdir, mkdtemp, realpath, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import type { Api } from '../support/api.ts'

export type Repo = {
  id: string
  name: string
  path: string
  access: { everyone: boolean; users: string[]; agentGroups: string[] } | null
}

/** Directories of a test, outside the data directory. */
export type TestDirectories = AsyncDisposable & {
  readonly path: string
  directory(name: string): Promise<string>
  /** A Git repository that is registered by its owner. */
  repo(owner: Api, name: string): Promise<Repo>
}

export async function openTestDirectories(): Promise<TestDirectories> {
  const path = await realpath(await mkdtemp(join(tmpdir(), 'sbg-')))
  const directory = async (name: string) => {
    const made = join(path, name)
    await mkdir(made, { recursive: true })
    return made
  }
  return {
    path,
    directory,
    async repo(owner, name) {
      const place = await directory(name)
      await promisify(execFile)('git', ['init', '-q', place])
      return owner.post<Repo>('/api/repos', { path: place, name })
    },
    [Symbol.asyncDispose]: () => rm(path, { recursive: true, force: true, maxRetries: 5 }),
  }
}
