import { realpath } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import type { Program } from '../../../lib/confined-program.ts'
import { largestConfig, readGitConfig, writeGitConfig, type GitSetting } from '../../../lib/git-config.ts'
import { readPlainFile } from '../../../lib/plain-file.ts'
import type { RepoLayout, OddRepo } from './repo-layout.ts'

export type LocalConfig = {
  /** What Git is shown in its place: only how files and objects are kept, nothing that starts a program. */
  readonly shown: string
  /** Settings that overrule what the file says, if Git reads the file itself. */
  readonly overruled: readonly (readonly [name: string, value: string])[]
}

/** The settings of a repo that say how its files and objects are kept. Everything else is left out. */
const kept = new Set([
  ...'repositoryformatversion filemode bare ignorecase precomposeunicode symlinks autocrlf eol safecrlf'
    .split(' ')
    .map((name) => `core.${name}`),
  ...'sharedrepository sparsecheckout sparsecheckoutcone logallrefupdates longpaths protecthfs protectntfs'
    .split(' ')
    .map((name) => `core.${name}`),
  ...'objectformat refstorage compatobjectformat relativeworktrees noop preciousobjects'
    .split(' ')
    .map((name) => `extensions.${name}`),
])
/** Known, and of no use to us: a second file of settings, and a remote to fetch missing objects from. */
const known = new Set([...kept, 'extensions.worktreeconfig', 'extensions.partialclone', 'extensions.noop-v1'])

/** What the configuration of a repo says, judged before Git looks at the repo. */
export async function readLocalConfig(git: Program, layout: RepoLayout): Promise<LocalConfig | OddRepo> {
  const path = join(layout.commonDir, 'config')
  const main = await settingsOf(git, path)
  if (main === null) return { odd: `${path} is missing` }
  if ('odd' in main) return main
  const odd = unknownExtension(path, main) ?? (await elsewhere(layout, path, main))
  if (odd !== null) return { odd }
  const shown = writeGitConfig(main.filter(({ name }) => kept.has(name)))
  // In the sandbox Git sees `shown` in its place, and no other file.
  if (git.confined) return { shown, overruled: [] }
  const all = [...main]
  for (const directory of new Set([layout.gitDir, layout.commonDir])) {
    const more = await settingsOf(git, join(directory, 'config.worktree'))
    if (more !== null && 'odd' in more) return more
    all.push(...(more ?? []))
  }
  const included = all.find(({ name }) => /^include(?:if)?\./.test(name))
  if (included !== undefined) return { odd: `${path} includes other files (${included.name})` }
  return { shown, overruled: drivers(all) }
}

/** Null if there is no such file. */
async function settingsOf(git: Program, path: string): Promise<GitSetting[] | OddRepo | null> {
  const file = await readPlainFile(path, largestConfig)
  if (file.kind === 'missing') return null
  if (file.kind === 'odd') return { odd: `${path} ${file.why}` }
  const settings = file.bytes.includes(0) ? null : await readGitConfig(git, file.bytes)
  return settings ?? { odd: `${path} can't be read as a Git configuration` }
}

function unknownExtension(path: string, settings: readonly GitSetting[]): string | null {
  const found = settings.find(({ name }) => name.startsWith('extensions.') && !known.has(name))
  return found === undefined ? null : `${path} has ${found.name}, which is not known here`
}

/** A repo whose files are said to be elsewhere. */
async function elsewhere(
  { top, gitDir, isSubmodule }: RepoLayout,
  path: string,
  settings: readonly GitSetting[],
): Promise<string | null> {
  const worktree = settings.findLast(({ name }) => name === 'core.worktree')
  if (worktree === undefined) return isSubmodule ? `${path} does not say where its files are` : null
  const real = await realpath(resolve(gitDir, worktree.value)).catch(() => null)
  return real === top ? null : `${path} says that its files are elsewhere (core.worktree)`
}

/** Each of them would start a program as a file is read or written. */
function drivers(settings: readonly GitSetting[]): [string, string][] {
  const names = new Set(
    settings.flatMap(({ name }) => /^filter\.(?<driver>.*)\.[^.]+$/s.exec(name)?.groups?.['driver'] ?? []),
  )
  return [...names].flatMap((driver): [string, string][] => [
    [`filter.${driver}.clean`, ''],
    [`filter.${driver}.smudge`, ''],
    [`filter.${driver}.process`, ''],
    [`filter.${driver}.required`, 'false'],
  ])
}
