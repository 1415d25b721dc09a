import { mkdir, mkdtemp, rm } from 'node:fs/promises'
import { join } from 'node:path'
import * as z from 'zod'
import { findProgram } from '../../../lib/absolute-program.ts'
import { asVariables } from '../../../lib/git-config.ts'
import { jsonOrNull } from '../../../lib/parse-json.ts'
import { fail, ok, type Failed, type Result } from '../../../lib/result.ts'
import { runCommand, type CommandResult } from '../run-command.ts'
import { findArgs, isAt, linkIn, openArgs, signedInArgs, toolOf, type Forge, type FoundPullRequest } from './forge.ts'
import type { PullRequestWords } from './forge.ts'

const looksForMs = 60_000
const pushesForMs = 600_000
const mostOutput = 1024 * 1024
const mostWords = 500

/** What the operator's own tools need. Nothing of it comes from a workspace. */
const passedOn =
  /^(?:PATH|HOME|USER|LOGNAME|SHELL|LANG|LC_\w+|TZ|TMPDIR|XDG_\w+|SSH_AUTH_SOCK|SSL_CERT_\w+|(?:https?|no|all)_proxy|GH_\w+|GITHUB_\w+|GITLAB_\w+|GLAB_\w+|GIT_CONFIG_GLOBAL|GIT_SSL_\w+)$/i

const toolEnv = (): Record<string, string> => ({
  ...Object.fromEntries(
    Object.entries(process.env).flatMap(([name, value]) =>
      passedOn.test(name) && value !== undefined ? [[name, value]] : [],
    ),
  ),
  NO_COLOR: '1',
  GH_PROMPT_DISABLED: '1',
  GH_NO_UPDATE_NOTIFIER: '1',
  NO_PROMPT: '1',
  GIT_TERMINAL_PROMPT: '0',
})

/**
 * Runs in an empty directory of ours: the operator's tools never see the workspace, so it can't configure them (S2). They
 * have the operator's credentials, which is why callers need the machine right.
 */
export type Publisher = AsyncDisposable & {
  signedIn(forge: Forge): Promise<Failed | null>
  find(forge: Forge, branch: string): Promise<Result<FoundPullRequest | null>>
  /** The commit that a branch has there now; null if it has none. */
  remoteCommit(address: string, branch: string): Promise<Result<string | null>>
  push(input: PushInput): Promise<Failed | null>
  open(forge: Forge, words: PullRequestWords): Promise<Result<string>>
}

export type PushInput = {
  readonly address: string
  readonly commit: string
  readonly branch: string
  /** Where the objects are; a repo with objects elsewhere was refused before. */
  readonly objects: string
}

/** What is run to push, as people see it. */
export const pushArgs = ({ address, commit, branch }: Omit<PushInput, 'objects'>): [string, ...string[]] => [
  'git',
  'push',
  address,
  `${commit}:refs/heads/${branch}`,
]

export async function openPublisher(scratch: string, forge: Forge): Promise<Result<Publisher>> {
  const path = process.env['PATH'] ?? ''
  const tool = toolOf[forge.kind]
  const [file, git] = await Promise.all([findProgram(tool, path), findProgram('git', path)])
  if (file === null) return missing(forge)
  if (git === null) return fail({ kind: 'unavailable', code: 'git_missing', message: 'git: command not found' })
  await mkdir(scratch, { recursive: true, mode: 0o700 })
  const folder = await mkdtemp(join(scratch, 'publish-'))
  const env = toolEnv()
  const settings = pushSettings(forge)
  const repo = join(folder, 'repo')
  const gitEnv = {
    ...env,
    ...asVariables(settings),
    GIT_SSH_COMMAND: 'ssh -oBatchMode=yes',
    // No repo around our folder counts, and no object is fetched from elsewhere.
    GIT_CEILING_DIRECTORIES: scratch,
    GIT_NO_LAZY_FETCH: '1',
  }

  const run = (program: string, args: readonly string[], timeMs: number, more: Record<string, string> = env) =>
    runCommand({ argv: [program, ...args] }, folder, { env: more, timeMs, bytes: mostOutput })
  const ask = async ([, ...args]: readonly [string, ...string[]], timeMs = looksForMs) => run(file, args, timeMs)

  return ok({
    async signedIn(at) {
      const done = await ask(signedInArgs(at))
      if (!done.ok) return done
      return done.value.exitCode === 0 ? null : notSignedIn(at)
    },

    async find(at, branch) {
      const done = await ask(findArgs(at, branch))
      if (!done.ok) return done
      if (done.value.exitCode !== 0) return toolFailed(tool, done.value)
      const found = requestsIn(done.value.stdout, at)
      if (found === null) return toolFailed(tool, { ...done.value, stderr: 'it printed something unexpected' })
      return ok(found.find(({ state }) => state === 'open') ?? found[0] ?? null)
    },

    async remoteCommit(address, branch) {
      const done = await run(git, ['ls-remote', '--', address, `refs/heads/${branch}`], looksForMs, gitEnv)
      if (!done.ok) return done
      if (done.value.exitCode !== 0) return pushFailed(done.value)
      return ok(/^([0-9a-f]{40,64})\t/.exec(done.value.stdout)?.[1] ?? null)
    },

    async push({ objects, ...what }) {
      const made = await run(git, ['init', '--quiet', '--bare', repo], looksForMs, gitEnv)
      if (!made.ok) return made
      if (made.value.exitCode !== 0) return pushFailed(made.value)
      const [, ...args] = pushArgs(what)
      const pushed = await run(git, args, pushesForMs, {
        ...gitEnv,
        GIT_DIR: repo,
        GIT_ALTERNATE_OBJECT_DIRECTORIES: quoted(objects),
      })
      if (!pushed.ok) return pushed
      return pushed.value.exitCode === 0 ? null : pushFailed(pushed.value)
    },

    async open(at, words) {
      const done = await ask(openArgs(at, words), looksForMs * 2)
      if (!done.ok) return done
      if (done.value.exitCode !== 0) return toolFailed(tool, done.value)
      const link = linkIn(done.value.stdout, at)
      return link === null ? toolFailed(tool, { ...done.value, stderr: 'it printed no link' }) : ok(link)
    },

    async [Symbol.asyncDispose]() {
      await rm(folder, { recursive: true, force: true, maxRetries: 3 })
    },
  })
}

/** A path in a list of paths. */
const quoted = (path: string): string => `"${path.replaceAll(/[\\"]/g, '\\$&')}"`

/** No hook runs, no program named in an address, and the tool's own sign-in is used where there is no other. */
function pushSettings({ kind, host }: Forge): [string, string][] {
  const helper = `!${toolOf[kind]} auth git-credential`
  return [
    ['core.hooksPath', '/dev/null'],
    ['core.fsmonitor', 'false'],
    ['core.askPass', 'false'],
    ['core.alternateRefsCommand', 'false'],
    ['protocol.allow', 'never'],
    ['protocol.https.allow', 'always'],
    ['protocol.ssh.allow', 'always'],
    // Only the operator's own settings can lead there: addresses of remotes that are paths are refused.
    ['protocol.file.allow', 'always'],
    ['push.followTags', 'false'],
    ['push.recurseSubmodules', 'no'],
    ['push.gpgSign', 'false'],
    [`credential.https://${host}.helper`, helper],
    ['gc.auto', '0'],
    ['safe.directory', '*'],
  ]
}

const text = z.string().max(10_000)
const GitHubRequest = z.object({ number: z.int(), url: text, title: text, state: text })
const GitLabRequest = z.object({ iid: z.int(), web_url: text, title: text, state: text })

function requestsIn(output: string, forge: Forge): FoundPullRequest[] | null {
  const trimmed = output.trim()
  const raw =
    forge.kind === 'github'
      ? jsonOrNull(trimmed, z.array(GitHubRequest).max(1000))
      : jsonOrNull(trimmed === '' ? '[]' : trimmed, z.array(GitLabRequest).max(1000))?.map((one) => ({
          number: one.iid,
          url: one.web_url,
          title: one.title,
          state: one.state,
        }))
  if (!raw) return null
  return raw
    .filter(({ url }) => isAt(url, forge))
    .map(({ number, url, title, state }) => ({ number, url, title: title.slice(0, 300), state: stateOf(state) }))
}

function stateOf(word: string): FoundPullRequest['state'] {
  const lower = word.toLowerCase()
  if (lower === 'merged') return 'merged'
  return lower === 'closed' || lower === 'locked' ? 'closed' : 'open'
}

const lastWords = ({ stderr, stdout }: Pick<CommandResult, 'stderr' | 'stdout'>): string =>
  (stderr.trim() || stdout.trim()).slice(-mostWords)

const names = { github: 'GitHub', gitlab: 'GitLab' } as const
const pages = { github: 'https://cli.github.com', gitlab: 'https://gitlab.com/gitlab-org/cli' } as const

const missing = ({ kind }: Forge): Failed =>
  fail({
    kind: 'unavailable',
    code: 'forge_tool_missing',
    message: `${toolOf[kind]}: command not found. It opens pull requests at ${names[kind]}.`,
    hint: `Install it for the server's user: ${pages[kind]}`,
  })

const notSignedIn = ({ kind, host }: Forge): Failed =>
  fail({
    kind: 'unavailable',
    code: 'forge_not_signed_in',
    message: `${toolOf[kind]} is not signed in to ${host}.`,
    hint: `As the server's user: ${toolOf[kind]} auth login --hostname ${host}`,
  })

const toolFailed = (tool: string, output: Pick<CommandResult, 'stderr' | 'stdout' | 'timedOut'>): Failed =>
  fail({
    kind: 'unavailable',
    code: 'forge_tool_failed',
    message: `${tool} failed: ${output.timedOut ? 'it took too long and was stopped' : lastWords(output)}`,
  })

function pushFailed(output: Pick<CommandResult, 'stderr' | 'stdout' | 'timedOut'>): Failed {
  const words = output.timedOut ? 'it took too long and was stopped' : lastWords(output)
  const isBehind = /\(non-fast-forward\)|\(fetch first\)|\(stale info\)/.test(words)
  return fail({
    kind: isBehind ? 'conflict' : 'unavailable',
    code: isBehind ? 'push_rejected' : 'push_failed',
    message: `The branch was not pushed: ${words}`,
    hint: isBehind ? 'The branch there has other commits. Signalbox does not overwrite them.' : undefined,
  })
}
