import {
  type ContainerConfig,
  type ContainerConfigFields,
  GroupMcpServer,
  serverNamed,
} from '../domain/agent-group/container-config.ts'
import { AdminCommand } from '../domain/ask/admin-command.ts'
import type { AskSubject } from '../domain/ask/subject.ts'
import type { WiringId } from '../domain/chat/id.ts'
import { isAdmin, mayUseMachine } from '../domain/user/actor.ts'
import type { AgentGroupId } from '../domain/user/id.ts'
import { canonicalJson } from '../lib/json.ts'
import { isRecord } from '../lib/parse-json.ts'
import { notFound, type Failed } from '../lib/result.ts'
import type { CommandOf } from './command.ts'
import { needsMachine } from './rules-machine.ts'
import { admins, allow, forbid, groupAdmins, people, rule, type Grounds } from './rules.ts'

/** What touches the machine, what a group costs, and what it can reach. */
const reserved = {
  isolation: 'isolation',
  additionalMounts: 'mounts',
  limits: 'limits',
  networkHosts: 'hosts',
  providers: 'providers',
  imageTag: 'the image',
  budget: 'the budget',
} satisfies Partial<Record<keyof ContainerConfigFields, string>>

type Change = { readonly [F in keyof ContainerConfigFields]?: ContainerConfigFields[F] | undefined }

const same = (one: unknown, other: unknown): boolean => canonicalJson(one) === canonicalJson(other)

/** A program, where it would run as the server's user. */
function addsPrograms({ mcpServers }: Change, now: ContainerConfig | undefined): boolean {
  if (mcpServers === undefined || now?.isolation === 'sandbox' || now?.isolation === 'container') return false
  const isProgram = (server: GroupMcpServer) => 'command' in server
  return Object.entries(mcpServers).some(
    ([name, server]) => isProgram(server) && !same(server, serverNamed(now?.mcpServers ?? {}, name)),
  )
}

/** The parts of a change that the group's own admins may not make, as words. */
function reservedIn(change: Change, now: ContainerConfig | undefined): string[] {
  const fields = Object.entries(reserved).flatMap(([field, words]) => {
    const wanted = change[field as keyof typeof reserved]
    return wanted === undefined || same(wanted, now?.[field as keyof typeof reserved] ?? null) ? [] : [words]
  })
  return [
    ...fields,
    ...(change.cliScope === 'global' && now?.cliScope !== 'global' ? ['the CLI scope global'] : []),
    ...(addsPrograms(change, now) ? ['MCP servers that are programs, unless isolation is sandbox or container'] : []),
  ]
}

export const mayConfigure = rule<CommandOf<'agent_group.configure'>>(
  `${groupAdmins.who}; only admins and owners: isolation, mounts, limits, hosts, providers, image, budget, the CLI scope global, and programs as MCP servers unless isolation is sandbox or container. Isolation none and mounts also need the machine right`,
  (grounds, { type: _type, id, ...change }) => {
    const refused = groupAdmins(grounds, { agentGroupId: id })
    if (refused) return refused
    const held = reservedIn(change, grounds.config)
    if (held.length > 0 && !isAdmin(grounds.standing))
      return forbid(
        'needs_role',
        `Only admins and owners of the server can change this: ${held.join(', ')}.`,
        'Ask one of them. Admins of the group can change the rest.',
      )
    return mayUnconfine(grounds, change)
  },
)

/** S1: what gives a group's agents the machine itself. */
function mayUnconfine({ standing, config }: Grounds, change: Change): Failed | null {
  const frees = change.isolation === 'none' && config?.isolation !== 'none'
  const mounts = (change.additionalMounts ?? []).length > 0 && !same(change.additionalMounts, config?.additionalMounts)
  if ((!frees && !mounts) || mayUseMachine(standing)) return allow
  return needsMachine('Isolation none and mounts need the machine right.')
}

/** A new agent gets a budget like that of the group that asks for it, in addition; only admins of the server set budgets. */
export const addsBudget = (subject: AskSubject): boolean =>
  subject.kind === 'create_agent' && isRecord(subject.config) && (subject.config['budget'] ?? null) !== null

/** The settings of its agent group that an ask would change; null if none. */
export function settingsIn(subject: AskSubject, now: ContainerConfig | undefined): Change | null {
  if (subject.kind === 'mcp_server') {
    const server = GroupMcpServer.safeParse(subject.server)
    return server.success ? { mcpServers: { ...now?.mcpServers, [subject.name]: server.data } } : null
  }
  if (subject.kind !== 'admin_command') return null
  const command = AdminCommand.safeParse(subject.command)
  if (!command.success || command.data.type !== 'agent_group.configure') return null
  const { type: _type, id: _id, ...change } = command.data
  return change
}

export const adminsOfGroup = rule<CommandOf<'agent_group.update' | 'agent_group.instruct'>>(
  groupAdmins.who,
  (grounds, { id }) => groupAdmins(grounds, { agentGroupId: id }),
)

export const mayCreateGroup = rule<CommandOf<'agent_group.create'>>(
  admins.who,
  (grounds, command) => admins(grounds, command) ?? mayUnconfine(grounds, command.config ?? {}),
)

/** Others do not learn that the wiring exists. */
export const adminsOfWiring = rule<{ id: WiringId }>(groupAdmins.who, (grounds, { id }) => {
  const refused = grounds.wiring ? groupAdmins(grounds, grounds.wiring) : people(grounds, undefined)
  return refused?.fault.code === 'needs_role' ? notFound('wiring', id) : refused
})

/** A link out of the group needs the other side's admin too. Others do not learn that it exists. */
const reaching = <C extends { agentGroupId: AgentGroupId }>(
  beyond: string,
  other: (grounds: Grounds, command: C) => { readonly what: 'chat' | 'agent_group'; readonly id: string } | null,
) =>
  rule<C>(`${groupAdmins.who}; ${beyond}`, (grounds, command) => {
    const refused = groupAdmins(grounds, command)
    if (refused || isAdmin(grounds.standing)) return refused
    const hidden = other(grounds, command)
    return hidden ? notFound(hidden.what, hidden.id) : allow
  })

export const administersOne = (grounds: Grounds, groups: readonly AgentGroupId[]): boolean =>
  groups.some((agentGroupId) => groupAdmins(grounds, { agentGroupId }) === allow)

export const mayWire = reaching<CommandOf<'wiring.add'>>(
  'in a chat where others listen, only if one of them is theirs too',
  (grounds, { chatId }) => {
    const { listeners = [] } = grounds
    return listeners.length === 0 || administersOne(grounds, listeners) ? null : { what: 'chat', id: chatId }
  },
)

export const mayAddDestination = reaching<CommandOf<'destination.add'>>(
  'to chats in which a group of theirs listens, and to groups of theirs',
  (grounds, { targetType, targetId }) => {
    if (targetType === 'channel')
      return administersOne(grounds, grounds.listeners ?? []) ? null : { what: 'chat', id: targetId }
    return administersOne(grounds, [targetId as AgentGroupId]) ? null : { what: 'agent_group', id: targetId }
  },
)
