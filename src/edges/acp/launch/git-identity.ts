import { join } from 'node:path'
import { confinedProgram } from '../../../lib/confined-program.ts'
import { asVariables, largestConfig, readGitConfig, settingsIn, writeGitConfig } from '../../../lib/git-config.ts'
import { readPlainFile } from '../../../lib/plain-file.ts'
import { realOrNull } from './paths.ts'

const wanted = new Set(['user.name', 'user.email', 'safe.directory'])

/**
 * The operator's Git configuration is hidden in the sandbox, because it may hold tokens. User name, email and trusted
 * directories are passed as variables. The operator's files are read as if in the repository, since conditional includes
 * may depend on it. From the repository's own file only name and email are taken, and no includes.
 */
export async function gitIdentity(
  workspace: string,
  env: Readonly<Record<string, string>>,
  /** The Git directory that a worktree shares with its repository. */
  commonDir: string | null,
): Promise<Record<string, string>> {
  const git = await confinedProgram('git')
  const gitDir = commonDir ?? (await realOrNull(join(workspace, '.git')))
  if (git === null) return {}
  const config = gitDir === null ? null : join(gitDir, 'config')
  const file = config === null ? null : await readPlainFile(config, largestConfig)
  const local = file?.kind === 'file' ? await readGitConfig(git, file.bytes) : null
  const own = (local ?? []).filter(({ name }) => name === 'user.name' || name === 'user.email')
  // With a commondir, Git would read another repository's file.
  const isWhole = gitDir !== null && (await realOrNull(join(gitDir, 'commondir'))) === null
  const inRepo = local !== null && isWhole && config !== null && git.confined
  const replaced = inRepo ? [{ path: config, text: writeGitConfig(own) }] : []
  const read = await git.run({
    args: ['config', '--includes', '--null', '--list'],
    cwd: '/',
    env: { ...env, GIT_DIR: inRepo ? gitDir : '/nonexistent' },
    sees: { everything: true, replaced },
    timeMs: 5000,
  })
  const settings = settingsIn(read.stdout.toString()).filter(({ name }) => wanted.has(name))
  const all = inRepo ? settings : [...settings, ...own]
  return all.length === 0 ? {} : asVariables(all.map(({ name, value }) => [name, value]))
}
