import ignore, { type Ignore } from 'ignore'
import { openRepo } from '../git/git.ts'

/** Which paths of a directory and below are not for checkpoints. */
export type Ignored = {
  has(path: string, isDirectory: boolean): boolean
}

/** A pipe in the place of an ignore file would have Git wait for ever. */
const longestMs = 10_000

/**
 * Git's own word on what is ignored in a work tree; null where it is none, is itself ignored by one around it, or is one
 * that Git is not let near.
 */
export async function ignoredByGit(root: string, hidden: readonly string[] = []): Promise<Ignored | null> {
  const repo = await openRepo(root)
  if (!repo.ok || repo.value === null) return null
  const { top, gitDir } = repo.value.layout
  const workTree = { gitDir, path: top }
  const git = repo.value.with({ cwd: root, workTree, read: [top], hidden, timeMs: longestMs })
  // Tracked files are never in this list, whatever the ignore files say.
  const list = await git('ls-files', '-z', '--others', '--ignored', '--exclude-standard', '--directory')
  if (list.code !== 0) return null
  const paths = new Set(list.stdout.split('\0'))
  paths.delete('')
  if (paths.has('./')) return null
  return { has: (path, isDirectory) => paths.has(isDirectory ? `${path}/` : path) }
}

type ScopedRules = { base: string; rules: Ignore }

/** The rules of `.gitignore` files, for places where Git can't be asked. The innermost file that says something decides. */
export type IgnoreRules = Ignored & { with(base: string, text: string): IgnoreRules }

export function ignoreRules(scopes: readonly ScopedRules[] = []): IgnoreRules {
  return {
    has(path, isDirectory) {
      for (const { base, rules } of scopes) {
        const within = base === '' ? path : path.slice(base.length + 1)
        const { ignored, unignored } = rules.test(isDirectory ? `${within}/` : within)
        if (ignored || unignored) return ignored
      }
      return false
    },
    with: (base, text) => ignoreRules([{ base, rules: ignore({ allowRelativePaths: true }).add(text) }, ...scopes]),
  }
}
