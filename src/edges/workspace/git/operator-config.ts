import { realpath } from 'node:fs/promises'
import { homedir } from 'node:os'
import { isAbsolute, join } from 'node:path'
import type { Program } from '../../../lib/confined-program.ts'
import { settingsIn } from '../../../lib/git-config.ts'
import { readPlainFile } from '../../../lib/plain-file.ts'

/** What is used of the operator's own configuration: global ignore rules and line ends. */
export type OperatorConfig = {
  readonly excludes: { readonly path: string; readonly text: string } | null
  readonly settings: readonly (readonly [name: string, value: string])[]
}

const taken = new Set(['core.autocrlf', 'core.eol', 'core.safecrlf', 'core.ignorecase'])
const largestExcludes = 1024 * 1024
const freshMs = 30_000

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
  }
}
