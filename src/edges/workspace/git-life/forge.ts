import { fail, ok, type Result } from '../../../lib/result.ts'

export type ForgeKind = 'github' | 'gitlab'

/** Where a repo is published. */
export type Forge = {
  readonly kind: ForgeKind
  readonly host: string
  /** `owner/name`; GitLab has groups within groups. */
  readonly path: string
}

/** What a pull request is made from. Exactly this is shown, and exactly this is run. */
export type PullRequestWords = {
  readonly branch: string
  /** Null: the default branch of the repo there. */
  readonly into: string | null
  readonly title: string
  readonly body: string
  readonly draft: boolean
}

export type FoundPullRequest = {
  readonly number: number
  readonly url: string
  readonly title: string
  readonly state: 'open' | 'merged' | 'closed'
}

export const toolOf = { github: 'gh', gitlab: 'glab' } as const satisfies Record<ForgeKind, string>

/** No user information, no port and nothing but letters that hosts and paths of repos have. */
const host = '[a-z0-9](?:[a-z0-9.-]{0,251}[a-z0-9])?'
const path = String.raw`[A-Za-z0-9_][\w.-]{0,99}(?:/[A-Za-z0-9_][\w.-]{0,99}){1,9}`
const forms = [
  new RegExp(String.raw`^https://(?:[^@/\s]*@)?(${host})/(${path})/?$`, 'i'),
  new RegExp(String.raw`^ssh://(?:[\w.-]+@)?(${host})/(${path})/?$`, 'i'),
  new RegExp(String.raw`^(?:[\w.-]+@)(${host}):(${path})/?$`, 'i'),
]

/** The forge that the address of a remote leads to. Other addresses, such as paths and programs, are not used. */
export function forgeOf(url: string, hosts: Readonly<Record<string, ForgeKind>>): Result<Forge> {
  for (const form of forms) {
    const [, named, where] = form.exec(url) ?? []
    if (named === undefined || where === undefined) continue
    const name = named.toLowerCase()
    const kind = hosts[name] ?? usual(name)
    return kind === null ? unknownHost(name) : ok({ kind, host: name, path: where.replace(/\.git$/, '') })
  }
  return fail({
    kind: 'invalid',
    code: 'no_forge',
    message: `The remote is not an address of a repository at GitHub or GitLab: ${withoutUser(url)}.`,
    hint: 'Addresses look like https://github.com/OWNER/NAME or git@gitlab.com:GROUP/NAME.git.',
  })
}

function usual(name: string): ForgeKind | null {
  if (name === 'github.com' || name.endsWith('.github.com') || name.startsWith('github.')) return 'github'
  return name === 'gitlab.com' || name.startsWith('gitlab.') ? 'gitlab' : null
}

const unknownHost = (name: string) =>
  fail({
    kind: 'invalid',
    code: 'unknown_forge',
    message: `Whether ${name} is GitHub or GitLab is unknown.`,
    hint: `Say so in config.toml: [pull_requests] gitlab_hosts = ["${name}"], or github_hosts.`,
  })

/** Addresses can contain a password. */
export const withoutUser = (url: string): string => url.replace(/^([a-z+]+:\/\/)[^@/]*@/i, '$1').slice(0, 500)

/** The address that is pushed to: the one of the remote, without a password that somebody may have put there. */
export const pushAddress = (url: string): string => (/^https:/i.test(url) ? withoutUser(url) : url)

export function signedInArgs({ kind, host: name }: Forge): [string, ...string[]] {
  return [toolOf[kind], 'auth', 'status', '--hostname', name]
}

export function findArgs(forge: Forge, branch: string): [string, ...string[]] {
  if (forge.kind === 'gitlab')
    return ['glab', 'mr', 'list', '--repo', repoOf(forge), `--source-branch=${branch}`, '--all', '--output', 'json']
  const fields = 'number,url,title,state'
  return ['gh', 'pr', 'list', '--repo', repoOf(forge), `--head=${branch}`, '--state', 'all', '--json', fields]
}

export function openArgs(forge: Forge, words: PullRequestWords): [string, ...string[]] {
  const { branch, into, title, body, draft } = words
  // With an equals sign, words that begin with a dash are no flags.
  const draftFlag = draft ? ['--draft'] : []
  if (forge.kind === 'gitlab')
    return [
      'glab',
      'mr',
      'create',
      '--repo',
      repoOf(forge),
      `--source-branch=${branch}`,
      ...(into === null ? [] : [`--target-branch=${into}`]),
      `--title=${title}`,
      `--description=${body}`,
      ...draftFlag,
      '--yes',
    ]
  return [
    'gh',
    'pr',
    'create',
    '--repo',
    repoOf(forge),
    `--head=${branch}`,
    ...(into === null ? [] : [`--base=${into}`]),
    `--title=${title}`,
    `--body=${body}`,
    ...draftFlag,
  ]
}

/** gh takes HOST/OWNER/NAME, glab a whole address. */
const repoOf = ({ kind, host: name, path: where }: Forge): string =>
  kind === 'gitlab' ? `https://${name}/${where}` : `${name}/${where}`

/** A link that a tool printed, if it leads to the forge. */
export function linkIn(output: string, forge: Forge): string | null {
  const links = output.match(/https:\/\/[^\s"'<>]{1,500}/g) ?? []
  return links.findLast((link) => isAt(link, forge)) ?? null
}

export function isAt(link: string, { host: name }: Forge): boolean {
  const url = URL.canParse(link) ? new URL(link) : null
  return url?.protocol === 'https:' && url.hostname === name && url.username === ''
}
