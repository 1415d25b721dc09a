import { execFileSync } from 'node:child_process'
import { chmodSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { say } from './say.mjs'
import { depot, signals, tickets } from './screenshots-project.ts'

/** The folder of the repos; screenshots show its path. */
export type ScreenshotRepos = Disposable & {
  readonly path: string
  at(repo: 'depot' | 'signals' | 'tickets'): string
  /** What an agent would change in `depot`, as Git prints it. */
  readonly diff: string
}

export function makeScreenshotRepos(): ScreenshotRepos {
  const path = makeFolder()
  const remove = () => rmSync(path, { recursive: true, force: true })
  // Must not be left behind for the next run.
  process.once('exit', remove)
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => process.exit(130))
  const at = (repo: string) => join(path, repo)
  for (const [name, files] of Object.entries({ depot: depot.before, signals, tickets })) {
    write(at(name), files)
    git(at(name), 'init', '-q')
    git(at(name), 'add', '.')
    git(at(name), 'commit', '-qm', 'First')
  }
  chmodSync(join(at('tickets'), 'migrate'), 0o755)
  write(at('depot'), depot.after)
  git(at('depot'), 'add', '--intent-to-add', '.')
  // In reading order, not alphabetical.
  const diff = Object.keys(depot.after)
    .map((name) => git(at('depot'), 'diff', '--', name))
    .join('')
  git(at('depot'), 'reset', '-q', '--hard')
  git(at('depot'), 'clean', '-qfd')
  return { path, at, diff, [Symbol.dispose]: remove }
}

/** A short path if possible, which does not reveal who made the screenshots. */
function makeFolder(): string {
  const wanted = '/srv/code'
  try {
    mkdirSync(wanted)
    return wanted
  } catch {
    const path = mkdtempSync(join(tmpdir(), 'code-'))
    say(`${wanted} can't be created, so the screenshots show ${path}: don't keep them.`)
    return path
  }
}

function write(folder: string, files: Readonly<Record<string, string>>): void {
  for (const [name, text] of Object.entries(files)) {
    mkdirSync(dirname(join(folder, name)), { recursive: true })
    writeFileSync(join(folder, name), text)
  }
}

const git = (cwd: string, ...args: string[]): string =>
  execFileSync('git', ['-c', 'user.name=Depot', '-c', 'user.email=depot@example.org', ...args], {
    cwd,
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'ignore'],
  })
