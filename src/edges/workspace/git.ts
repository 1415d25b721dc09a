import { execFile } from 'node:child_process'
import { devNull } from 'node:os'
import { fail, ok, type Result } from '../../lib/result.ts'

export type GitOutput = { code: number; stdout: string; stderr: string }
export type Git = (...args: string[]) => Promise<GitOutput>

const minute = 60_000
const mostOutput = 64 * 1024 * 1024

/**
 * Git outside the sandbox, in a repo that agents write to: nothing the repo's own configuration names as a program is
 * started (hooks, monitors, filters), and no remote is asked. Filters of the user's own configuration still run.
 * `gitDir` and `workTree` say what Git would otherwise read from a `.git` file that may have been tampered with.
 */
export async function openGit(
  directory: string,
  at?: { gitDir: string; workTree: string },
  longestMs = 10 * minute,
): Promise<Result<Git>> {
  const place = at === undefined ? {} : { GIT_DIR: at.gitDir, GIT_WORK_TREE: at.workTree }
  const plain = (settings: readonly Setting[]) => (args: readonly string[]) =>
    run(directory, args, { ...cleanEnvironment(), ...place, ...asEnvironment(settings) }, longestMs)
  const fixed: Setting[] = [
    ['core.hooksPath', devNull],
    ['core.fsmonitor', 'false'],
  ]
  const config = await plain(fixed)(['config', '--includes', '--show-scope', '--null', '--list'])
  if (config.code === missing)
    return fail({
      kind: 'unavailable',
      code: 'git_missing',
      message: 'Git is not installed, or not on the PATH of the server.',
      hint: 'Install Git and try again.',
    })
  const safe = plain([...fixed, ...withoutFilters(config.stdout)])
  return ok((...args) => safe(args))
}

type Setting = readonly [name: string, value: string]

const missing = 127

function withoutFilters(list: string): Setting[] {
  const own = new Set<string>()
  // Scope and setting take turns; a setting is its name, a line feed and the value.
  const fields = list.split('\0')
  for (let index = 0; index + 1 < fields.length; index += 2) {
    const name = fields[index + 1]?.split('\n')[0] ?? ''
    const filter = /^filter\.(?<driver>.+)\.[^.]+$/.exec(name)?.groups?.['driver']
    if (filter !== undefined && (fields[index] === 'local' || fields[index] === 'worktree')) own.add(filter)
  }
  return [...own].flatMap((driver): Setting[] => [
    [`filter.${driver}.clean`, ''],
    [`filter.${driver}.smudge`, ''],
    [`filter.${driver}.process`, ''],
    [`filter.${driver}.required`, 'false'],
  ])
}

const asEnvironment = (settings: readonly Setting[]): Record<string, string> =>
  Object.fromEntries([
    ['GIT_CONFIG_COUNT', String(settings.length)],
    ...settings.flatMap(([name, value], index) => [
      [`GIT_CONFIG_KEY_${index}`, name],
      [`GIT_CONFIG_VALUE_${index}`, value],
    ]),
  ])

/** Nothing of the server's own Git variables: they would point at another repo. */
const cleanEnvironment = (): NodeJS.ProcessEnv => ({
  ...Object.fromEntries(Object.entries(process.env).filter(([name]) => !name.startsWith('GIT_'))),
  LC_ALL: 'C',
  GIT_TERMINAL_PROMPT: '0',
  GIT_OPTIONAL_LOCKS: '0',
  GIT_ALLOW_PROTOCOL: 'none',
})

const run = (cwd: string, args: readonly string[], env: NodeJS.ProcessEnv, longestMs: number): Promise<GitOutput> =>
  new Promise((resolve) => {
    // Not asked to end but ended: one that waits for a pipe in the workspace hears nothing.
    const options = { cwd, env, timeout: longestMs, killSignal: 'SIGKILL' as const, maxBuffer: mostOutput }
    execFile('git', args, options, (error, stdout, stderr) => {
      if (error === null) resolve({ code: 0, stdout, stderr })
      else if (error.code === 'ENOENT') resolve({ code: missing, stdout, stderr: error.message })
      else resolve({ code: typeof error.code === 'number' ? error.code : 1, stdout, stderr: stderr || error.message })
    })
  })
