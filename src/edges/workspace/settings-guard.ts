import { watch } from 'node:fs'
import { lstat, mkdir, readdir, readFile, realpath, rm, rmdir, unlink, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { createInLine } from '../../lib/in-line.ts'
import { findSettings } from './settings-files.ts'

/** Directories that tools obey as soon as they are there. An empty one means nothing to them, nor to Git. */
const reserved = '.signalbox .monocoque .claude .codex .agents .gemini .cursor .vscode'.split(' ')
const lookAfterMs = 100

type Claim = { readonly workspace: string; readonly names: readonly string[] }
type Watching = { look(): Promise<void>; stop(): void }

/** Keeps settings in the workspaces of confined agents as they are. */
export type SettingsGuard = {
  /**
   * What is to be read-only for the agent of a session. Directories that are missing are made, empty, for as long as it
   * runs: one that is not there could be made by the agent.
   */
  close(sessionId: string, workspace: string): Promise<string[]>
  /** Tells of settings that appear while it runs: a file that is missing can't be kept from being made. */
  watch(sessionId: string, workspace: string): Promise<void>
  isWatching(sessionId: string): boolean
  /** Its agent is gone. What was made for it goes too, unless another works there or somebody uses it. */
  open(sessionId: string): Promise<void>
  /** After a crash: for sessions whose agent is gone. */
  sweep(isGone: (sessionId: string) => Promise<boolean>): Promise<void>
}

export function createSettingsGuard(deps: {
  /** Where it is kept what was made, for the next server. */
  directory: string
  isSetting(path: string): boolean
  /** Whether a person let it be written. */
  isApproved(sessionId: string, path: string): Promise<boolean>
  tell(sessionId: string, text: string): Promise<void>
}): SettingsGuard {
  const inLine = createInLine()
  const watching = new Map<string, Watching>()
  const isSetting = (path: string) => reserved.includes(path) || deps.isSetting(path)
  const fileOf = (sessionId: string) => join(deps.directory, `${sessionId}.json`)

  async function claims(): Promise<Map<string, Claim>> {
    const names = await readdir(deps.directory).catch(() => [])
    const found = new Map<string, Claim>()
    for (const name of names) {
      const claim = await readFile(join(deps.directory, name), 'utf8')
        .then(JSON.parse)
        .catch(() => null)
      if (name.endsWith('.json') && claim !== null) found.set(name.slice(0, -'.json'.length), claim as Claim)
    }
    return found
  }

  async function reserve(sessionId: string, workspace: string): Promise<void> {
    const others = [...(await claims()).entries()].filter(
      ([id, claim]) => id !== sessionId && claim.workspace === workspace,
    )
    const names = new Set(others.flatMap(([, claim]) => claim.names))
    const before = (await claims()).get(sessionId)
    for (const name of before?.workspace === workspace ? before.names : []) names.add(name)
    const missing: string[] = []
    for (const name of reserved) if ((await lstat(join(workspace, name)).catch(() => null)) === null) missing.push(name)
    // Written down before they are made, so that a crash leaves none behind.
    await mkdir(deps.directory, { recursive: true, mode: 0o700 })
    const claim: Claim = { workspace, names: [...names, ...missing] }
    await writeFile(fileOf(sessionId), JSON.stringify(claim), { mode: 0o600 })
    for (const name of missing) await mkdir(join(workspace, name)).catch(() => undefined)
  }

  async function release(sessionId: string): Promise<void> {
    const all = await claims()
    const own = all.get(sessionId)
    if (own === undefined) return
    const others = [...all].flatMap(([id, { workspace, names }]) =>
      id !== sessionId && workspace === own.workspace ? names : [],
    )
    // One that is not empty stays.
    for (const name of own.names)
      if (!others.includes(name)) await rmdir(join(own.workspace, name)).catch(() => undefined)
    await rm(fileOf(sessionId), { force: true })
    await rmdir(deps.directory).catch(() => undefined)
  }

  async function startWatching(sessionId: string, workspace: string): Promise<Watching> {
    const known = new Set((await findSettings(workspace, isSetting)).map(nameOf))
    const git = await gitDirectory(workspace)
    const look = async (): Promise<void> => {
      if (git !== null && (await removeCommonDir(git)))
        await deps.tell(
          sessionId,
          '.git/commondir was made. Git would take its settings from where it points to: it was removed.',
        )
      for (const file of await findSettings(workspace, isSetting)) {
        // An empty directory means nothing yet: some agents make them for sandboxes of their own.
        if (known.has(nameOf(file)) || (await isEmpty(join(workspace, file.path)))) continue
        known.add(nameOf(file))
        if (await deps.isApproved(sessionId, file.path)) continue
        await deps.tell(
          sessionId,
          `${file.path} appeared while the agent was at work, and nobody approved it here. Tools and other agents obey it: look at it before you use them there.`,
        )
      }
    }
    let timer: NodeJS.Timeout | undefined
    const soon = (_: string, name: string | null): void => {
      if (name !== null && name !== 'commondir' && !isSetting(name)) return
      clearTimeout(timer)
      timer = setTimeout(() => void inLine(sessionId, look).catch(() => undefined), lookAfterMs)
    }
    const watchers = [workspace, ...(git === null ? [] : [git])].flatMap((directory) => {
      try {
        return [watch(directory, { persistent: false }, soon).on('error', () => undefined)]
      } catch {
        // No more watches to be had: it is looked at the end.
        return []
      }
    })
    return {
      look,
      stop() {
        clearTimeout(timer)
        for (const one of watchers) one.close()
      },
    }
  }

  return {
    async close(sessionId, workspace) {
      await inLine(workspace, () => reserve(sessionId, workspace))
      await letOpenCodeStart(workspace)
      return (await findSettings(workspace, isSetting)).map(({ path }) => join(workspace, path))
    },
    async watch(sessionId, workspace) {
      if (watching.has(sessionId) || !(await claims()).has(sessionId)) return
      watching.set(sessionId, await startWatching(sessionId, workspace))
    },
    isWatching: (sessionId) => watching.has(sessionId),
    async open(sessionId) {
      const watched = watching.get(sessionId)
      watching.delete(sessionId)
      watched?.stop()
      await inLine(sessionId, async () => watched?.look())
      const claim = (await claims()).get(sessionId)
      if (claim !== undefined) await inLine(claim.workspace, () => release(sessionId))
    },
    async sweep(isGone) {
      for (const [sessionId, { workspace }] of await claims())
        if (await isGone(sessionId)) await inLine(workspace, () => release(sessionId))
    },
  }
}

const nameOf = ({ path, link }: { path: string; link: string | null }): string => JSON.stringify([path, link])

/** OpenCode does not start if it finds its directory without this file and can't write it. */
async function letOpenCodeStart(workspace: string): Promise<void> {
  const content = 'node_modules\npackage.json\npackage-lock.json\nbun.lock\n.gitignore'
  await writeFile(join(workspace, '.opencode', '.gitignore'), content, { flag: 'wx' }).catch(() => undefined)
}

const isEmpty = async (directory: string): Promise<boolean> =>
  (await readdir(directory).catch(() => null))?.length === 0

async function gitDirectory(workspace: string): Promise<string | null> {
  const git = await realpath(join(workspace, '.git')).catch(() => null)
  return git !== null && dirname(git) === workspace && (await lstat(git)).isDirectory() ? git : null
}

/** Git itself makes none in the directory of a repository: only in those of worktrees. */
async function removeCommonDir(git: string): Promise<boolean> {
  return unlink(join(git, 'commondir')).then(
    () => true,
    () => false,
  )
}
