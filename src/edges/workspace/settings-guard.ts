import { watch, type Dirent } from 'node:fs'
import { lstat, mkdir, readdir, readFile, realpath, rm, rmdir, unlink, writeFile, readlink } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { createKeyedQueue } from '../../lib/serial-queue.ts'
import { readPlainFile } from '../../lib/plain-file.ts'
import { heldFiles, heldFolders, heldForHooks } from '../../lib/protected-files.ts'
import { bestHold, openDirectory } from './held-directory.ts'
import { isTaggedBy, jsonOrNull } from '../../lib/parse-json.ts'

const lookAfterMs = 100
/** Warnings per file: a person who saves often should not be warned each time. */
const mostWarnings = 2

type SettingsClaim = {
  readonly workspace: string
  readonly names: readonly string[]
  /** The last seen state of its settings, so that changes while no server was running are noticed. */
  readonly known?: Readonly<Record<string, string>> | undefined
}
type SettingsWatch = { look(): Promise<void>; stop(): void }

/** Protects settings in the workspaces of confined agents. */
export type SettingsGuard = {
  /**
   * The paths to make read-only for the agent of a session. The agent could create missing ones, so an empty directory
   * holds each name while it runs, even names of files: tools ignore it, Git does not see it, and removing an empty
   * directory can't destroy anything.
   */
  close(sessionId: string, workspace: string): Promise<string[]>
  /** Warns of settings that appear or change while it runs: deeper in the workspace they are not held. */
  watch(sessionId: string, workspace: string): Promise<void>
  isWatching(sessionId: string): boolean
  /** Its agent has ended. Removes its empty directories, unless another session needs them or they are in use. */
  open(sessionId: string): Promise<void>
  /** After a crash: for sessions whose agent is gone. */
  sweep(isGone: (sessionId: string) => Promise<boolean>): Promise<void>
}

export function createSettingsGuard(deps: {
  /** Where claims are stored, for the next server process. */
  directory: string
  isSetting(path: string): boolean
  /** Whether a person approved the write. */
  isApproved(sessionId: string, path: string): Promise<boolean>
  warn(sessionId: string, text: string): Promise<void>
}): SettingsGuard {
  const queue = createKeyedQueue()
  const watching = new Map<string, SettingsWatch>()
  const isSetting = (path: string) => heldFolders.includes(path) || deps.isSetting(path)
  const fileOf = (sessionId: string) => join(deps.directory, `${sessionId}.json`)

  async function claims(): Promise<Map<string, SettingsClaim>> {
    const names = await readdir(deps.directory).catch(() => [])
    const found = new Map<string, SettingsClaim>()
    for (const name of names) {
      if (!name.endsWith('.json')) continue
      const text = await readFile(join(deps.directory, name), 'utf8').catch(() => '')
      const claim = jsonOrNull(text, isTaggedBy<SettingsClaim>('workspace'))
      if (claim) found.set(name.slice(0, -'.json'.length), claim)
    }
    return found
  }

  const keep = (sessionId: string, claim: SettingsClaim): Promise<void> =>
    writeFile(fileOf(sessionId), JSON.stringify(claim), { mode: 0o600 })

  async function reserve(sessionId: string, workspace: string): Promise<void> {
    const others = [...(await claims()).entries()].filter(
      ([id, claim]) => id !== sessionId && claim.workspace === workspace,
    )
    const names = new Set(others.flatMap(([, claim]) => claim.names))
    const before = (await claims()).get(sessionId)
    for (const name of before?.workspace === workspace ? before.names : []) names.add(name)
    const missing: string[] = []
    for (const name of await heldIn(workspace))
      if ((await lstat(join(workspace, name)).catch(() => null)) === null) missing.push(name)
    // Recorded before they are created, so that a crash leaves none behind.
    await mkdir(deps.directory, { recursive: true, mode: 0o700 })
    const known = before?.workspace === workspace ? before.known : undefined
    await keep(sessionId, { workspace, names: [...names, ...missing], known })
    for (const name of missing) await mkdir(join(workspace, name)).catch(() => undefined)
  }

  async function release(sessionId: string): Promise<void> {
    const all = await claims()
    const own = all.get(sessionId)
    if (own === undefined) return
    const others = [...all].flatMap(([id, { workspace, names }]) =>
      id !== sessionId && workspace === own.workspace ? names : [],
    )
    // A directory that is not empty stays.
    for (const name of own.names)
      if (!others.includes(name)) await rmdir(join(own.workspace, name)).catch(() => undefined)
    await rm(fileOf(sessionId), { force: true })
    await rmdir(deps.directory).catch(() => undefined)
  }

  /** The state that an earlier server recorded, or the current one. */
  async function firstSight(sessionId: string, workspace: string): Promise<Map<string, string>> {
    const claim = (await claims()).get(sessionId)
    if (claim?.known !== undefined) return new Map(Object.entries(claim.known))
    const known = new Map<string, string>()
    for (const file of await findSettings(workspace, isSetting)) known.set(nameOf(file), await stateOf(workspace, file))
    if (claim !== undefined) await keep(sessionId, { ...claim, known: Object.fromEntries(known) })
    return known
  }

  async function startWatching(sessionId: string, workspace: string): Promise<SettingsWatch> {
    const known = await firstSight(sessionId, workspace)
    const warnings = new Map<string, number>()
    const git = await gitDirectory(workspace)
    const look = async (): Promise<void> => {
      if (git !== null && (await removeCommonDir(git)))
        await deps.warn(
          sessionId,
          '.git/commondir was created, which makes Git read its settings from elsewhere. It was removed.',
        )
      for (const file of await findSettings(workspace, isSetting)) {
        // Empty directories are harmless: some agents make them for their own sandboxes.
        if (await isEmpty(join(workspace, file.path))) continue
        const [before, now] = [known.get(nameOf(file)), await stateOf(workspace, file)]
        if (before === now) continue
        known.set(nameOf(file), now)
        const claim = (await claims()).get(sessionId)
        if (claim !== undefined) await keep(sessionId, { ...claim, known: Object.fromEntries(known) })
        const times = warnings.get(file.path) ?? 0
        if (times >= mostWarnings || (await deps.isApproved(sessionId, file.path))) continue
        warnings.set(file.path, times + 1)
        await deps.warn(sessionId, warningFor(file.path, before))
      }
    }
    let timer: NodeJS.Timeout | undefined
    const soon = (_: string, name: string | null): void => {
      if (name !== null && name !== 'commondir' && !isSetting(name)) return
      clearTimeout(timer)
      timer = setTimeout(() => void queue.run(sessionId, look).catch(() => undefined), lookAfterMs)
    }
    const watchers = [workspace, ...(git === null ? [] : [git])].flatMap((directory) => {
      try {
        return [watch(directory, { persistent: false }, soon).on('error', () => undefined)]
      } catch {
        // No more watches available: checked at the end only.
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
      await queue.run(workspace, () => reserve(sessionId, workspace))
      await letOpenCodeStart(workspace)
      return (await findSettings(workspace, isSetting)).map(({ path }) => join(workspace, path))
    },
    async watch(sessionId, workspace) {
      const claim = watching.has(sessionId) ? undefined : (await claims()).get(sessionId)
      if (claim === undefined) return
      const started = await queue.run(workspace, () => startWatching(sessionId, workspace))
      watching.set(sessionId, started)
      // Changes while no server was running.
      if (claim.known !== undefined) await queue.run(sessionId, started.look)
    },
    isWatching: (sessionId) => watching.has(sessionId),
    async open(sessionId) {
      const watched = watching.get(sessionId)
      watching.delete(sessionId)
      watched?.stop()
      await queue.run(sessionId, async () => watched?.look())
      const claim = (await claims()).get(sessionId)
      if (claim !== undefined) await queue.run(claim.workspace, () => release(sessionId))
    },
    async sweep(isGone) {
      for (const [sessionId, { workspace }] of await claims())
        if (await isGone(sessionId)) await queue.run(workspace, () => release(sessionId))
    },
  }
}

const nameOf = ({ path, link }: SettingsFile): string => JSON.stringify([path, link])

const isDirectory = 'directory'

/** Changes when a file is written or replaced. Directories are mounted read-only, so they need no state. */
async function stateOf(workspace: string, { path }: SettingsFile): Promise<string> {
  const found = await lstat(join(workspace, path), { bigint: true }).catch(() => null)
  if (found === null) return 'gone'
  return found.isDirectory() ? isDirectory : `${found.ino} ${found.mtimeNs} ${found.ctimeNs}`
}

function warningFor(path: string, before: string | undefined): string {
  if (before === undefined)
    return `${path} appeared while the agent was working, without approval. Tools and other agents follow this file: check it before you use them there.`
  // The agent can't remove the directory that holds the name, so someone outside did.
  const how = before === isDirectory ? 'was made from outside the sandbox' : 'was changed'
  return `${path} ${how} while the agent was working, without approval. If it was replaced, the agent can write it until its session ends: check it before you use tools and other agents there.`
}

/** The names to hold in a workspace. */
async function heldIn(workspace: string): Promise<readonly string[]> {
  return [...heldFolders, ...heldFiles, ...((await hasHooks(workspace)) ? heldForHooks : [])]
}

/** Whether Git runs hooks there, its own or those of a hook manager. In doubt, yes. */
async function hasHooks(workspace: string): Promise<boolean> {
  const dot = await lstat(join(workspace, '.git')).catch(() => null)
  if (dot === null) return false
  if (!dot.isDirectory()) return true
  const hooks = await readdir(join(workspace, '.git', 'hooks')).catch(() => [])
  const config = await readPlainFile(join(workspace, '.git', 'config'), 1_000_000)
  const elsewhere = config.kind === 'file' && /hookspath|include/i.test(config.bytes.toString())
  return elsewhere || hooks.some((name) => !name.endsWith('.sample'))
}

/** OpenCode does not start if it finds its directory without this file and can't write it. */
async function letOpenCodeStart(workspace: string): Promise<void> {
  const content = 'node_modules\npackage.json\npackage-lock.json\nbun.lock\n.gitignore'
  // Held, so that a link in its place is not followed.
  const folder = await openDirectory(bestHold(), join(workspace, '.opencode')).catch(() => null)
  if (folder === null) return
  await writeFile(folder.entry('.gitignore'), content, { flag: 'wx' }).catch(() => undefined)
  await folder.close()
}

const isEmpty = async (directory: string): Promise<boolean> =>
  (await readdir(directory).catch(() => null))?.length === 0

async function gitDirectory(workspace: string): Promise<string | null> {
  const git = await realpath(join(workspace, '.git')).catch(() => null)
  return git !== null && dirname(git) === workspace && (await lstat(git)).isDirectory() ? git : null
}

/** Git itself creates this file only in the Git directories of worktrees. */
async function removeCommonDir(git: string): Promise<boolean> {
  return unlink(join(git, 'commondir')).then(
    () => true,
    () => false,
  )
}

const deepest = 5
const mostEntries = 20_000
const mostFound = 200
/** Large directories without settings. */
const skippedNames = new Set(['.git', 'node_modules', '.hg', '.svn', '.jj'])

/** A file or directory that tools obey, by its path in the workspace. `link`: its target, if it is a link. */
type SettingsFile = { readonly path: string; readonly link: string | null }

/**
 * Settings of policies, agents, editors and hooks in a workspace: all at the top, and those below that a short walk finds,
 * nearest first. A directory includes everything in it.
 */
async function findSettings(root: string, isSetting: (path: string) => boolean): Promise<SettingsFile[]> {
  const found: SettingsFile[] = []
  let entries = 0
  let level = ['']
  for (let depth = 0; depth < deepest && level.length > 0; depth += 1) {
    const next: string[] = []
    for (const directory of level) {
      const listed = await readdir(join(root, directory), { withFileTypes: true }).catch((): Dirent[] => [])
      for (const entry of listed) {
        entries += 1
        if (depth > 0 && (entries > mostEntries || found.length >= mostFound)) return found
        const path = join(directory, entry.name)
        if (skippedNames.has(entry.name)) continue
        if (isSetting(path)) found.push({ path, link: await linkAt(root, path, entry) })
        else if (entry.isDirectory()) next.push(path)
      }
    }
    level = next
  }
  return found
}

const linkAt = (root: string, path: string, entry: Dirent): Promise<string | null> | null =>
  entry.isSymbolicLink() ? readlink(join(root, path)).catch(() => null) : null
