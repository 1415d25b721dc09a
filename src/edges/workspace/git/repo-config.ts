import { realpath } from 'node:fs/promises'
import { join, resolve, isAbsolute } from 'node:path'
import { homedir } from 'node:os'
import type { Program } from '../../../lib/confined-program.ts'
import { largestConfig, readGitConfig, writeGitConfig, settingsIn, type GitSetting } from '../../../lib/git-config.ts'
import { readPlainFile } from '../../../lib/plain-file.ts'
import type { RepoLayout, OddRepo } from './repo-layout.ts'

export type LocalConfig = {
  /** The configuration that Git sees instead: only how files and objects are stored, nothing that starts a program. */
  readonly shown: string
  /** Settings that override the file, if Git reads it directly. */
  readonly overruled: readonly (readonly [name: string, value: string])[]
  /** Where it is published, for people to agree to: Git itself does not see it. */
  readonly published: Published
}

/** Addresses of remotes by name, and the remotes of branches. */
export type Published = {
  readonly remotes: ReadonlyMap<string, string>
  readonly upstreams: ReadonlyMap<string, string>
}

/** Settings about how files and objects are stored. Everything else is left out. */
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
/** Known but ignored: a second configuration file, and a remote for missing objects. */
const known = new Set([...kept, 'extensions.worktreeconfig', 'extensions.partialclone', 'extensions.noop-v1'])

/** The configuration of a repo, checked before Git reads the repo. */
export async function readLocalConfig(git: Program, layout: RepoLayout): Promise<LocalConfig | OddRepo> {
  const path = join(layout.commonDir, 'config')
  const main = await settingsOf(git, path)
  if (main === null) return { odd: `${path} is missing` }
  if ('odd' in main) return main
  const odd = unknownExtension(path, main) ?? (await elsewhere(layout, path, main))
  if (odd !== null) return { odd }
  const shown = writeGitConfig(main.filter(({ name }) => kept.has(name)))
  // In the sandbox Git sees only `shown`.
  const published = publishedIn(main)
  if (git.confined) return { shown, overruled: [], published }
  const all = [...main]
  for (const directory of new Set([layout.gitDir, layout.commonDir])) {
    const more = await settingsOf(git, join(directory, 'config.worktree'))
    if (more !== null && 'odd' in more) return more
    all.push(...(more ?? []))
  }
  const included = all.find(({ name }) => /^include(?:if)?\./.test(name))
  if (included !== undefined) return { odd: `${path} includes other files (${included.name})` }
  return { shown, overruled: drivers(all), published }
}

function publishedIn(settings: readonly GitSetting[]): Published {
  const named = (pattern: RegExp) =>
    settings.flatMap(({ name, value }): [string, string][] => {
      const found = pattern.exec(name)?.[1]
      return found === undefined ? [] : [[found, value]]
    })
  // An address to push to goes before the other one.
  return {
    remotes: new Map([...named(/^remote\.(.+)\.url$/s), ...named(/^remote\.(.+)\.pushurl$/s)]),
    upstreams: new Map(named(/^branch\.(.+)\.remote$/s)),
  }
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
  return found === undefined ? null : `${path} has the unknown setting ${found.name}`
}

/** Why a repo is refused whose work tree is configured to be elsewhere, or null. */
async function elsewhere(
  { top, gitDir, isSubmodule }: RepoLayout,
  path: string,
  settings: readonly GitSetting[],
): Promise<string | null> {
  const worktree = settings.findLast(({ name }) => name === 'core.worktree')
  if (worktree === undefined) return isSubmodule ? `${path} does not name the location of its files` : null
  const real = await realpath(resolve(gitDir, worktree.value)).catch(() => null)
  return real === top ? null : `${path} sets another location for its files (core.worktree)`
}

/** Turns off filters and merge drivers: each would start a program when a file is read, written or merged. */
function drivers(settings: readonly GitSetting[]): [string, string][] {
  const named = (family: string) =>
    new Set(
      settings.flatMap(
        ({ name }) => new RegExp(`^${family}\\.(?<driver>.*)\\.[^.]+$`, 's').exec(name)?.groups?.['driver'] ?? [],
      ),
    )
  const filters = [...named('filter')].flatMap((driver): [string, string][] => [
    [`filter.${driver}.clean`, ''],
    [`filter.${driver}.smudge`, ''],
    [`filter.${driver}.process`, ''],
    [`filter.${driver}.required`, 'false'],
  ])
  // A driver that fails is a conflict, which people see.
  const merges = [...named('merge')].map((driver): [string, string] => [`merge.${driver}.driver`, 'false'])
  return [...filters, ...merges]
}

/** What is used of the operator's own configuration: global ignore rules and line ends. */
export type OperatorConfig = {
  readonly excludes: { readonly path: string; readonly text: string } | null
  readonly settings: readonly (readonly [name: string, value: string])[]
  /** Whom the operator's own commits are by. */
  readonly author: { readonly name: string; readonly email: string } | null
}

const taken = new Set(['core.autocrlf', 'core.eol', 'core.safecrlf', 'core.ignorecase'])
const largestExcludes = 1024 * 1024
const freshMs = 30_000

function authorIn(settings: readonly GitSetting[]): OperatorConfig['author'] {
  const [name, email] = ['user.name', 'user.email'].map((key) => settings.findLast((one) => one.name === key)?.value)
  return name && email ? { name, email } : null
}

let last: { at: number; loading: Promise<OperatorConfig> } | null = null

export function operatorConfig(git: Program): Promise<OperatorConfig> {
  if (last === null || performance.now() - last.at > freshMs)
    last = { at: performance.now(), loading: readOperatorConfig(git) }
  return last.loading
}

async function readOperatorConfig(git: Program): Promise<OperatorConfig> {
  const { HOME, XDG_CONFIG_HOME, PATH } = process.env
  const own = Object.entries({ HOME, XDG_CONFIG_HOME, PATH }).flatMap(([name, value]) =>
    value === undefined ? [] : [[name, value]],
  )
  // Without a repo, this reads only the system's and the user's files.
  const env = { ...Object.fromEntries(own), LC_ALL: 'C', GIT_DIR: '/nonexistent' }
  const list = ['config', '--includes', '--null', '--list']
  const read = await git.run({ args: list, cwd: '/', env, sees: { everything: true }, timeMs: 10_000 })
  const settings = read.code === 0 ? settingsIn(read.stdout.toString()) : []
  const home = HOME || homedir()
  const named = settings.findLast(({ name }) => name === 'core.excludesfile')?.value
  const path = named?.replace(/^~(?=\/)/, home) ?? join(XDG_CONFIG_HOME || join(home, '.config'), 'git', 'ignore')
  // The user's own file, which is often a link (dotfiles).
  const real = isAbsolute(path) ? await realpath(path).catch(() => null) : null
  const file = real === null ? null : await readPlainFile(real, largestExcludes)
  return {
    excludes: file?.kind === 'file' ? { path, text: file.bytes.toString() } : null,
    settings: settings.filter(({ name }) => taken.has(name)).map(({ name, value }) => [name, value]),
    author: authorIn(settings),
  }
}
