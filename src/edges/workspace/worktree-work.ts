import { fail, ok, type Result } from '../../lib/result.ts'
import type { Git } from './git/git.ts'

/** What would be gone with a worktree, in words; null where nothing would be. Ignored files don't count. */
export async function whatWouldBeLost(input: {
  repo: Git
  worktree: Git
  branch: string | null
}): Promise<Result<string | null>> {
  const { repo, worktree, branch } = input
  const index = await worktree('ls-files', '--stage', '-z')
  const head = await worktree('rev-parse', '--verify', '--quiet', 'HEAD^{commit}')
  if (index.code !== 0 || head.code !== 0) return gitUnclear(index.stderr || head.stderr || 'HEAD names no commit.')
  // Looking into a submodule would start Git with the submodule's own configuration.
  if (/(?:^|\0)160000 /.test(index.stdout)) return ok('It has submodules, which may hold work of their own.')

  const status = await worktree('status', '--porcelain', '-z', '--untracked-files=normal', '--ignore-submodules=all')
  if (status.code !== 0) return gitUnclear(status.stderr)
  if (status.stdout !== '') return ok('It has changes that are not committed.')

  // Asked in the repo: in the worktree, `HEAD` and its own branch would count as another place.
  const others = [
    ...(branch?.startsWith('signalbox/') ? [`--exclude=${branch}`] : []),
    '--branches',
    '--tags',
    '--remotes',
  ]
  const only = await repo('rev-list', '--count', head.stdout.trim(), '--not', ...others, '--')
  if (only.code !== 0) return gitUnclear(only.stderr)
  const commits = Number(only.stdout.trim())
  if (commits > 0) return ok(`It has ${commits === 1 ? 'a commit' : `${commits} commits`} that no other branch has.`)
  return ok(null)
}

const gitUnclear = (why: string): Result<never> =>
  fail({
    kind: 'unavailable',
    code: 'git_failed',
    message: `Git can't say what is in the worktree: ${why.trim().split('\n').at(-1) ?? ''}`,
    hint: 'It was not changed. Check it yourself, and remove it with: git worktree remove',
  })
