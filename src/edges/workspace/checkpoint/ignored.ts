import ignore, { type Ignore } from 'ignore'
import { openRepo } from '../git/git.ts'

/** Paths that checkpoints leave out. */
type IgnoredPaths = {
  has(path: string, isDirectory: boolean): boolean
}

/** What Git ignores: all of it as a list, directories with a slash at their end. */
export type Ignored = IgnoredPaths & { readonly paths: ReadonlySet<string> }

/** A pipe in place of an ignore file would make Git wait forever. */
const longestMs = 10_000

/**
 * What Git ignores in a work tree. Null if it is not a work tree, if a repo around it ignores it, or if Git is not run
 * there.
 */
export async function ignoredByGit(root: string, hidden: readonly string[] = []): Promise<Ignored | null> {
  const repo = await openRepo(root)
  if (!repo.ok || repo.value === null) return null
  const { top, gitDir } = repo.value.layout
  const workTree = { gitDir, path: top }
  const git = repo.value.with({ cwd: root, workTree, read: [top], hidden, timeMs: longestMs })
  // Tracked files are never in this list.
  const list = await git('ls-files', '-z', '--others', '--ignored', '--exclude-standard', '--directory')
  if (list.code !== 0) return null
  const paths = new Set(list.stdout.split('\0'))
  paths.delete('')
  if (paths.has('./')) return null
  return { paths, has: (path, isDirectory) => paths.has(isDirectory ? `${path}/` : path) }
}

type ScopedRules = { base: string; rules: Ignore }

/** The rules of `.gitignore` files, if Git can't be used. The innermost file with a matching rule decides. */
export type IgnoreRules = IgnoredPaths & { with(base: string, text: string): IgnoreRules }

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
