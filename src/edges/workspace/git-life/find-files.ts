import type { Clock } from '../../../lib/clock.ts'
import { ok, type Result } from '../../../lib/result.ts'
import { gitFailed, openSessionRepo } from './session-repo.ts'

/** Names of files are read again after this time: people type faster than they make files. */
const keptMs = 5000
const mostKept = 50
const mostFiles = 200_000

/** Files of a workspace for whoever types the beginning of a name: those that Git tracks or does not ignore. */
export function createFileFinder(clock: Clock): (root: string, q: string, most: number) => Promise<Result<string[]>> {
  const known = new Map<string, { at: number; files: Promise<Result<string[]>> }>()

  return async (root, q, most) => {
    const kept = known.get(root)
    const entry = kept && clock.now() - kept.at < keptMs ? kept : { at: clock.now(), files: listFiles(root) }
    known.delete(root)
    known.set(root, entry)
    for (const old of known.keys()) if (known.size > mostKept) known.delete(old)
    const files = await entry.files
    return files.ok ? ok(bestMatches(files.value, q, most)) : files
  }
}

async function listFiles(root: string): Promise<Result<string[]>> {
  const opened = await openSessionRepo(root)
  // Without Git nobody says which files are the person's own.
  if (!opened.ok) return opened.fault.code === 'not_a_repo' ? ok([]) : opened
  const { repo, top, gitDir, root: real } = opened.value
  const git = repo.with({ cwd: real, workTree: { gitDir, path: top }, read: [real, gitDir], timeMs: 10_000 })
  const listed = await git('ls-files', '-z', '--cached', '--others', '--exclude-standard', '--', '.')
  if (listed.code !== 0) return gitFailed("The files can't be listed", listed.stderr)
  const files = new Set(listed.stdout.split('\0').filter((path) => path !== '' && !path.startsWith('../')))
  return ok([...files].slice(0, mostFiles))
}

/** The best first: the name begins with it, the path contains it, its letters occur in this order. */
export function bestMatches(files: readonly string[], q: string, most: number): string[] {
  const wanted = q.toLowerCase()
  const ranks: string[][] = [[], [], [], []]
  for (const file of files) {
    const rank = rankOf(file.toLowerCase(), wanted)
    if (rank !== null && (ranks[rank]?.length ?? most) < most) ranks[rank]?.push(file)
  }
  return ranks.flat().slice(0, most)
}

function rankOf(file: string, wanted: string): number | null {
  const name = file.slice(file.lastIndexOf('/') + 1)
  if (name.startsWith(wanted)) return 0
  if (file.startsWith(wanted)) return 1
  if (file.includes(wanted)) return 2
  let at = 0
  for (const letter of wanted) {
    at = file.indexOf(letter, at) + 1
    if (at === 0) return null
  }
  return 3
}
