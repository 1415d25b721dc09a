import { execFileSync } from 'node:child_process'
import { existsSync, readFileSync } from 'node:fs'
import { chmod, mkdir, symlink, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { openAgentsHarness, type AgentSession, type AgentsHarness } from '../conformance/agents-harness.ts'

export const git = (cwd: string, ...args: string[]): string =>
  execFileSync('git', ['-c', 'user.name=A', '-c', 'user.email=a@example.org', ...args], {
    cwd,
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'pipe'],
  }).trim()

/** A repo in which an agent has planted a program, and where that program records its runs. */
export type Trapped = {
  readonly path: string
  readonly id: string
  /** Executable, in the repo's own Git directory, which Git can always read. */
  readonly trap: string
  /** What ran, with its arguments; empty if nothing did. */
  sprung(): string
}

let count = 0

export async function trappedRepo(
  harness: AgentsHarness,
  plant: (repo: Trapped) => Promise<unknown>,
): Promise<Trapped> {
  count += 1
  const folder = await harness.workspace()
  const path = join(folder, `repo-${count}`)
  await mkdir(join(path, 'src'), { recursive: true })
  await writeFile(join(path, 'src/a.txt'), 'one\n')
  await writeFile(join(path, 'b.txt'), 'two\n')
  git(path, 'init', '--quiet', '--initial-branch=main')
  const [outside, inside] = [join(folder, 'mark'), join(path, '.git', 'mark')]
  const trap = join(path, '.git', 'trap')
  const leave = (mark: string) => `echo "$(basename "$0") $*" >> ${mark}`
  await writeFile(trap, `#!/bin/sh\n{ ${leave(outside)}; ${leave(inside)}; } 2>/dev/null\ncat 2>/dev/null\nexit 0\n`)
  await chmod(trap, 0o755)
  git(path, 'add', '.')
  git(path, 'commit', '--quiet', '--message=first')
  const { id } = await harness.api.post<{ id: string }>('/api/repos', { path })
  const sprung = () => [outside, inside].map((mark) => (existsSync(mark) ? readFileSync(mark, 'utf8') : '')).join('')
  const repo: Trapped = { path, id, trap, sprung }
  await plant(repo)
  return repo
}

/** Appends text to the repo's configuration. */
export async function configure({ path }: { path: string }, text: string): Promise<void> {
  const file = join(path, '.git', 'config')
  await writeFile(file, `${readFileSync(file, 'utf8')}${text}\n`)
}

/** Commits without running what was planted. */
export function commitAll(path: string): void {
  git(path, '-c', 'core.hooksPath=/dev/null', '-c', 'core.fsmonitor=false', 'add', '.')
  git(path, '-c', 'core.hooksPath=/dev/null', '-c', 'core.fsmonitor=false', 'commit', '--quiet', '--message=planted')
}

/** Every way in which Signalbox works with a repo. Each may be refused; returns the codes. */
export async function useEverything(harness: AgentsHarness, repo: Trapped): Promise<string[]> {
  const codes: string[] = []
  const attempt = async <T>(method: string, path: string, body: unknown = {}): Promise<T | null> => {
    const { status, body: said } = await harness.api.send(method, path, { body })
    if (status < 400) return said as T
    codes.push((said as { error: { code: string } }).error.code)
    return null
  }
  const start = (more: object) =>
    attempt<AgentSession>('POST', '/api/sessions', { agent: 'practice', repoId: repo.id, isolation: 'none', ...more })
  const keepAndRestore = async (session: AgentSession) => {
    const made = await attempt<{ id: string }>('POST', `/api/sessions/${session.id}/checkpoints`)
    await writeFile(join(session.workspaceRoot, 'b.txt'), 'changed\n')
    if (made === null) return
    await attempt('POST', `/api/checkpoints/${made.id}/restore`)
    await attempt('POST', `/api/checkpoints/${made.id}/restore`, { confirm: true })
  }
  const gitLife = async ({ id, workspaceRoot }: AgentSession, text: string) => {
    await writeFile(join(workspaceRoot, 'src/a.txt'), text)
    await harness.api.send('GET', `/api/sessions/${id}/change`)
    await attempt('POST', `/api/sessions/${id}/commit`)
  }
  const merge = ({ id }: AgentSession, how: string) => attempt('POST', `/api/sessions/${id}/merge`, { how })
  const first = await start({ worktree: true })
  if (first !== null) await keepAndRestore(first)
  const second = await start({ worktree: true })
  if (first !== null && second !== null) {
    // Both change the same file, so that Git has to merge its content.
    await gitLife(first, 'one\nof the first\n')
    await gitLife(second, 'of the second\none\n')
    await merge(first, 'merge')
    await merge(second, 'rebase')
    await merge(second, 'merge')
    await attempt('POST', `/api/sessions/${first.id}/worktree/remove`, { confirm: true })
  }
  if (second !== null) await attempt('POST', `/api/sessions/${second.id}/complete`)
  const own = await start({})
  if (own !== null) await attempt('POST', `/api/sessions/${own.id}/checkpoints`)
  // Each is a process with its own memory.
  for (const session of [first, own]) if (session !== null) await attempt('DELETE', `/api/sessions/${session.id}`)
  return codes
}

/** A server with Git but without a sandbox. */
export async function openAgentsHarnessWithoutSandbox(folder: string): Promise<AgentsHarness> {
  await mkdir(folder, { recursive: true })
  for (const name of ['git', 'sh']) {
    const real = execFileSync('/bin/sh', ['-c', `command -v ${name}`], { encoding: 'utf8' }).trim()
    await symlink(real, join(folder, name))
  }
  return openAgentsHarness({ env: { PATH: folder } })
}
