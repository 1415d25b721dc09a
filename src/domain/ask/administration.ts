import { iso } from '../../lib/clock.ts'
import { canonicalJson, type Json } from '../../lib/json.ts'
import { fail, ok, type Result } from '../../lib/result.ts'
import {
  AptPackage,
  GroupMcpServer,
  HostName,
  McpServerName,
  NpmPackage,
  serverNamed,
} from '../agent-group/container-config.ts'
import type { ContainerConfig } from '../agent-group/container-config.ts'
import type { AgentGroup } from '../agent-group/schema.ts'
import { clash } from '../credential/clash.ts'
import type { SessionId } from '../session/id.ts'
import type { AgentGroupId, UserId } from '../user/id.ts'
import { misfitCommand, notForAgents } from './admin-command.ts'
import { circles, type Circle } from './schema.ts'
import { mostPackages, type GroupSubject } from './subject.ts'

/** Who may answer an ask about an agent group, by circle, each person once. */
export type Circles = Readonly<Record<Circle, readonly UserId[]>>

/** The agent group that a session belongs to, when one of its asks is opened. */
export type AdministrativeFacts = {
  readonly sessionId: SessionId
  readonly group: AgentGroup
  readonly config: ContainerConfig
  readonly requester: UserId | null
  readonly circles: Circles
  /** Names of all agent groups. */
  readonly names: readonly string[]
  /** Administrative asks of this session that are open. */
  readonly open: number
  /** What the group has, without the values. */
  readonly credentials: readonly { readonly host: string; readonly name: string }[]
  /** What an `admin_command` changes, as it is now. */
  readonly before: Json
}

/** Whom an ask about an agent group goes to. */
export type Approvers = {
  readonly agentGroupId: AgentGroupId
  readonly requester: UserId | null
  readonly circle: Circle
  readonly escalatesAt: string | null
}

const mostOpen = 10

/** The people up to a circle. With `separate`, the person who wants it does not count. */
export function peopleUpTo(all: Circles, circle: Circle, requester: UserId | null, separate: boolean): UserId[] {
  const people = circles.slice(0, circles.indexOf(circle) + 1).flatMap((one) => all[one])
  return [...new Set(people)].filter((id) => !separate || id !== requester)
}

/** The nearest circle, from `from` on, in which enough people can answer; the widest with anyone if none has enough. */
export function circleFor(
  all: Circles,
  { from, needed, requester, separate }: { from: Circle; needed: number; requester: UserId | null; separate: boolean },
): Circle | null {
  const rest = circles.slice(circles.indexOf(from))
  const count = (circle: Circle) => peopleUpTo(all, circle, requester, separate).length
  const enough = rest.find((circle) => count(circle) >= needed)
  if (enough !== undefined) return enough
  return rest.findLast((circle) => count(circle) > 0) ?? null
}

/** The next circle that adds someone; null if everyone has been asked. */
export function nextCircle(all: Circles, circle: Circle, requester: UserId | null, separate: boolean): Circle | null {
  const known = peopleUpTo(all, circle, requester, separate).length
  return (
    circles
      .slice(circles.indexOf(circle) + 1)
      .find((one) => peopleUpTo(all, one, requester, separate).length > known) ?? null
  )
}

export const escalationTime = (now: number, seconds: number): string | null =>
  seconds === 0 ? null : iso(now + seconds * 1000)

/** What exactly an approval does: the agent's wish, checked, with its result for the group as it is now. */
export function completed(subject: GroupSubject, about: AdministrativeFacts): Result<GroupSubject> {
  const { group, config } = about
  if (about.open >= mostOpen)
    return fail({
      kind: 'conflict',
      code: 'too_many_asks',
      message: `This session has ${about.open} open asks for administrators.`,
      hint: 'Wait until they are answered.',
    })
  const asked = {
    agentGroupId: group.id as string,
    requestedBy: { sessionId: about.sessionId as string, userId: about.requester },
  }
  switch (subject.kind) {
    case 'packages': {
      const wrong = misfitPackages(subject)
      if (wrong !== null) return refused('invalid_package', wrong)
      const [apt, npm] = [distinct(subject.apt), distinct(subject.npm)]
      const after = {
        apt: withNewer(config.packagesApt, apt, nameOfApt),
        npm: withNewer(config.packagesNpm, npm, nameOfNpm),
      }
      return ok({ kind: 'packages', apt, npm, reason: subject.reason, ...asked, after })
    }
    case 'mcp_server': {
      const { name, reason } = subject
      if (!McpServerName.safeParse(name).success)
        return refused('invalid_server', 'The name of a server has letters, digits, - and _ only, at most 64.')
      if (name.toLowerCase() === 'signalbox')
        return refused('invalid_server', "The name signalbox is taken by Signalbox's own tools.")
      const server = GroupMcpServer.safeParse(subject.server)
      if (!server.success) return refused('invalid_server', `Invalid server: ${issuesOf(server.error)}.`)
      const replaces = serverNamed(config.mcpServers, name)
      return ok({ kind: 'mcp_server', name, server: server.data, reason, ...asked, replaces })
    }
    case 'create_agent': {
      const name = subject.name.trim()
      if (name === '' || name.length > 200) return refused('invalid_name', 'The name has 1 to 200 characters.')
      if (isTaken(name, about.names)) return refused('name_taken', `Another agent group is called ${name}.`)
      const { instructions, reason } = subject
      return ok({ kind: 'create_agent', name, instructions, reason, ...asked, ...inherited(group, config) })
    }
    case 'credential': {
      const { name, reason } = subject
      const host = subject.host.trim().toLowerCase()
      if (!HostName.safeParse(host).success || host.startsWith('*'))
        return refused('invalid_host', `${subject.host} is not a host.`, 'Use an exact name, such as api.example.com.')
      if (!/^[A-Za-z0-9][A-Za-z0-9 ._-]{0,99}$/.test(name))
        return refused('invalid_name', 'The name has letters, digits, spaces, dots and dashes only, at most 100.')
      return clash(about.credentials, { name, host }) ?? ok({ kind: 'credential', name, host, reason, ...asked })
    }
    case 'admin_command': {
      const wrong = misfitCommand(subject.command, group.id)
      if (!wrong.ok) return wrong
      // A wiring of another group, or none.
      if (wrong.value.type === 'wiring.update' && about.before === null) return notForAgents
      const { reason } = subject
      return ok({
        kind: 'admin_command',
        command: wrong.value as unknown as Json,
        before: about.before,
        reason,
        ...asked,
      })
    }
    default:
      return subject satisfies never
  }
}

export const isTaken = (name: string, names: readonly string[]): boolean =>
  names.some((one) => one.trim().toLowerCase() === name.toLowerCase())

/** What a group that an agent creates gets: what its own group has, without its MCP servers. */
export const inherited = (group: AgentGroup, config: ContainerConfig): { group: Json; config: Json } => ({
  group: {
    agentProvider: group.agentProvider,
    repoId: group.repoId,
    workspaceRoot: group.workspaceRoot,
    agent: group.agent,
    model: group.model,
  },
  config: {
    provider: config.provider,
    model: config.model,
    effort: config.effort,
    imageTag: config.imageTag,
    skills: config.skills,
    packagesApt: config.packagesApt,
    packagesNpm: config.packagesNpm,
    additionalMounts: config.additionalMounts,
    cliScope: config.cliScope,
    isolation: config.isolation,
    limits: config.limits,
    networkHosts: config.networkHosts,
    providers: config.providers,
    budget: config.budget,
  },
})

/** Why carrying it out now would not do what was shown; null if it would. */
export function changedSince(
  subject: GroupSubject,
  now: Pick<AdministrativeFacts, 'group' | 'config' | 'names' | 'before'>,
): string | null {
  const same = (a: unknown, b: unknown) => canonicalJson(a) === canonicalJson(b)
  const { group, config, names } = now
  if (group.removedAt !== null) return 'The agent group was removed.'
  switch (subject.kind) {
    case 'packages': {
      const after = {
        apt: withNewer(config.packagesApt, subject.apt, nameOfApt),
        npm: withNewer(config.packagesNpm, subject.npm, nameOfNpm),
      }
      return same(after, subject.after) ? null : 'The packages of the agent group have changed since this was asked.'
    }
    case 'mcp_server':
      return same(serverNamed(config.mcpServers, subject.name), subject.replaces ?? null)
        ? null
        : `The MCP server ${subject.name} has changed since this was asked.`
    case 'create_agent':
      if (isTaken(subject.name, names)) return `Another agent group is called ${subject.name} now.`
      return same(inherited(group, config), { group: subject.group, config: subject.config })
        ? null
        : 'The settings of the agent group that asked have changed since.'
    case 'credential':
      return null
    case 'admin_command':
      return same(now.before, subject.before) ? null : 'What it changes has changed since this was asked.'
    default:
      return subject satisfies never
  }
}

function misfitPackages({ apt, npm }: { apt: readonly string[]; npm: readonly string[] }): string | null {
  const count = apt.length + npm.length
  if (count === 0) return 'Name at least one package.'
  if (count > mostPackages) return `At most ${mostPackages} packages can be installed at a time.`
  const strange = [
    ...apt.filter((name) => !AptPackage.safeParse(name).success),
    ...npm.filter((name) => !NpmPackage.safeParse(name).success),
  ]
  return strange.length === 0 ? null : `Not the name of a package: ${strange.join(', ')}.`
}

const distinct = (names: readonly string[]): string[] => [...new Set(names)]
const nameOfApt = (name: string): string => name.split('=')[0] ?? name
const nameOfNpm = (name: string): string => name.replace(/(?!^)@.*$/, '')

/** One entry per package: a new version takes the place of the old one. */
function withNewer(before: readonly string[], added: readonly string[], nameOf: (name: string) => string): string[] {
  const names = new Set(added.map(nameOf))
  return [...before.filter((one) => !names.has(nameOf(one))), ...added]
}

const issuesOf = (error: { issues: readonly { path: readonly PropertyKey[]; message: string }[] }): string =>
  error.issues
    .map(({ path, message }) => (path.length === 0 ? message : `${path.map(String).join('.')}: ${message}`))
    .join('; ')

const refused = (code: string, message: string, hint?: string) =>
  fail({ kind: 'invalid', code, message, ...(hint !== undefined && { hint }) })
