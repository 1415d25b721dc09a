import { lstat, realpath } from 'node:fs/promises'
import { devNull } from 'node:os'
import { join } from 'node:path'
import { confinedProgram, type Program, type Sight } from '../../../lib/confined-program.ts'
import { asVariables, gitWithoutOthers } from '../../../lib/git-config.ts'
import { fail, ok, type Failed, type Result } from '../../../lib/result.ts'
import {
  readLocalConfig,
  operatorConfig,
  type LocalConfig,
  type OperatorConfig,
  type Published,
} from './repo-config.ts'
import { findLayout, oddPart, type RepoLayout } from './repo-layout.ts'

export type GitOutput = { code: number; stdout: string; stderr: string }
export type Git = (...args: string[]) => Promise<GitOutput>

/** A repo that agents write to. Git runs there only in a sandbox, and without the repo's own configuration. */
export type GitRepo = {
  readonly layout: RepoLayout
  /** Whom the operator's own commits are by. */
  readonly operator: OperatorConfig['author']
  readonly published: Published
  /** Runs in the repo's Git directory, without access to its files. */
  readonly git: Git
  /** The same, with access to other paths. */
  with(input: GitScope): Git
}

export type GitScope = {
  /** Where it runs; the shared Git directory by default. */
  readonly cwd?: string
  /** The work tree, if Git needs one. */
  readonly workTree?: { readonly gitDir: string; readonly path: string }
  readonly read?: readonly string[]
  readonly write?: readonly string[]
  readonly hidden?: readonly string[]
  readonly timeMs?: number
  /** More variables, such as another index. */
  readonly env?: Readonly<Record<string, string>>
  /** Files that appear empty inside. */
  readonly emptied?: readonly string[]
  readonly input?: string
}

const second = 1000
/** Enough for a repo of any size. Ends a Git that waits on a pipe. */
const usualMs = 60 * second

type GitSettingPair = readonly [name: string, value: string]

/** Whatever a repo configures: Git starts no program, asks nobody and fetches nothing. */
const fixed: readonly GitSettingPair[] = [
  ['core.hooksPath', devNull],
  ['core.fsmonitor', 'false'],
  ['core.untrackedCache', 'false'],
  ['core.attributesFile', devNull],
  ['core.sshCommand', 'false'],
  ['core.askPass', 'false'],
  ['core.editor', 'false'],
  ['core.pager', 'cat'],
  ['core.alternateRefsCommand', 'false'],
  ['credential.helper', ''],
  ['protocol.allow', 'never'],
  ['submodule.recurse', 'false'],
  ['status.submoduleSummary', 'false'],
  ['diff.ignoreSubmodules', 'all'],
  ['gpg.program', 'false'],
  ['gpg.ssh.program', 'false'],
  ['gpg.x509.program', 'false'],
  ['commit.gpgSign', 'false'],
  ['log.showSignature', 'false'],
  ['gc.auto', '0'],
  ['maintenance.auto', 'false'],
  ['safe.directory', '*'],
  ['user.name', 'Signalbox'],
  ['user.email', 'signalbox@localhost'],
]

/** Path of the operator's ignore file in the sandbox. */
const excludesInside = '/run/signalbox-excludes'

/** The repo at a directory or around it; null if there is none. A suspicious one is refused. */
export async function openRepo(directory: string): Promise<Result<GitRepo | null>> {
  const real = await realpath(directory).catch(() => null)
  const layout = real === null ? null : await findLayout(real)
  if (layout === null) return ok(null)
  if ('odd' in layout) return refused(directory, layout.odd)
  const odd = await oddPart(layout)
  if (odd !== null) return refused(directory, odd)
  const program = await confinedProgram('git')
  if (program === null) return fail(gitMissing)
  const [config, operator] = await Promise.all([readLocalConfig(program, layout), operatorConfig(program)])
  if ('odd' in config) return refused(directory, config.odd)
  const at = (place: GitScope) => gitIn(program, layout, { config, operator }, place)
  return ok({
    layout,
    operator: operator.author,
    published: config.published,
    git: at({ write: [layout.commonDir] }),
    with: at,
  })
}

/** Git in a directory of our own that is not a repo yet. */
export async function openGitFor(directory: string): Promise<Result<Git>> {
  const program = await confinedProgram('git')
  if (program === null) return fail(gitMissing)
  const env = { ...gitWithoutOthers, ...asVariables(fixed), GIT_CEILING_DIRECTORIES: directory }
  return ok((...args) => run(program, args, { cwd: directory, env, sees: { write: [directory] }, timeMs: usualMs }))
}

function gitIn(
  program: Program,
  layout: RepoLayout,
  { config, operator }: { config: LocalConfig; operator: OperatorConfig },
  place: GitScope,
): Git {
  const { workTree, cwd = layout.commonDir, timeMs = usualMs } = place
  const { excludes } = operator
  const excludesFile = excludes === null ? devNull : program.confined ? excludesInside : excludes.path
  const settings: GitSettingPair[] = [
    ...operator.settings.filter(([name]) => !config.shown.includes(`\t${name.slice('core.'.length)} = `)),
    ...fixed,
    ['core.excludesFile', excludesFile],
    ...config.overruled,
  ]
  const env = {
    ...gitWithoutOthers,
    ...(program.confined ? {} : outside()),
    ...asVariables(settings),
    GIT_DIR: workTree?.gitDir ?? layout.gitDir,
    ...(workTree && { GIT_WORK_TREE: workTree.path }),
    ...place.env,
  }
  const replaced = [
    { path: join(layout.commonDir, 'config'), text: config.shown },
    ...(excludes === null ? [] : [{ path: excludesInside, text: excludes.text }]),
    ...(place.emptied ?? []).map((path) => ({ path, text: '' })),
  ]
  return async (...args) => {
    const hooks = join(layout.commonDir, 'hooks')
    const sees: Sight = {
      // Hooks stay read-only: a person's own Git would run them.
      read: [layout.commonDir, ...(place.read ?? []), ...((await isDirectory(hooks)) ? [hooks] : [])].filter(
        (path) => !place.write?.includes(path),
      ),
      write: place.write ?? [],
      hidden: place.hidden ?? [],
      replaced,
    }
    return run(program, args, { cwd, env, sees, timeMs }, place.input)
  }
}

async function run(
  program: Program,
  args: readonly string[],
  spec: Omit<Parameters<Program['run']>[0], 'args'>,
  input?: string,
) {
  const { code, stdout, stderr, timedOut, tooLong } = await program.run(
    { ...spec, args },
    input === undefined ? {} : { input },
  )
  const words = timedOut
    ? `git ${args[0]} took longer than ${spec.timeMs / second} s and was stopped`
    : tooLong
      ? `git ${args[0]} printed too much output`
      : stderr
  return { code: code ?? 1, stdout: stdout.toString(), stderr: words }
}

/** Without a sandbox Git needs these variables to find itself and its tools. */
const outside = (): Record<string, string> =>
  Object.fromEntries(
    ['PATH', 'TMPDIR', 'DEVELOPER_DIR'].flatMap((name) =>
      process.env[name] === undefined ? [] : [[name, process.env[name]]],
    ),
  )

const isDirectory = (path: string): Promise<boolean> =>
  lstat(path).then(
    (found) => found.isDirectory(),
    () => false,
  )

const gitMissing = {
  kind: 'unavailable' as const,
  code: 'git_missing',
  message: 'git: command not found on the PATH of the server.',
  hint: 'Install Git and try again.',
}

const refused = (directory: string, why: string): Failed =>
  fail({
    kind: 'invalid',
    code: 'repo_refused',
    message: `Signalbox does not run Git in ${directory}: ${why}.`,
    hint: 'Check it yourself. If you did not set it up this way, something in the workspace may have changed it.',
  })
