import { fail, notFound, ok, type Result } from '../../lib/result.ts'
import type { CodeCommand } from './decide-codes.ts'
import type { AgentGroupId, UserId } from './id.ts'
import type { Role, UserChange, UserCommand } from './schema.ts'

export type Grant = { role: Role; agentGroupId: AgentGroupId | null }

export type UserState = {
  id: UserId
  removed: boolean
  grants: readonly Grant[]
  memberOf: readonly AgentGroupId[]
  identities: readonly string[]
}

export type UserFacts = {
  by: UserId | null
  /** How many active people hold the owner role. */
  owners: number
  /** Who holds the identity in the command, if anyone. */
  identityHolder: UserId | null
  groupExists: boolean
}

export const isGlobalOwner = (grants: readonly Grant[]): boolean => grants.some((grant) => grant.role === 'owner')
export const isGlobalAdmin = (grants: readonly Grant[]): boolean =>
  grants.some((grant) => grant.role === 'owner' || (grant.role === 'admin' && grant.agentGroupId === null))

/** May run programs as the server's user: owners, admins, and people an owner granted it to (S1). */
export const holdsMachine = (grants: readonly Grant[]): boolean =>
  isGlobalAdmin(grants) || grants.some((grant) => grant.role === 'machine')

export function decideUser(
  user: UserState | undefined,
  command: Exclude<UserCommand, CodeCommand>,
  facts: UserFacts,
): Result<UserChange[]> {
  if (command.type === 'user.create') return create(user, command, facts)
  const id = 'userId' in command ? command.userId : command.id
  if (!user || user.removed) return notFound('user', id)
  switch (command.type) {
    case 'user.rename':
      return ok([{ type: 'user.renamed', data: { id }, body: { displayName: command.displayName } }])
    case 'user.remove':
      if (isGlobalOwner(user.grants) && facts.owners <= 1) return lastOwner()
      return ok([
        ...user.identities.map((identity): UserChange => ({
          type: 'identity.unlinked',
          data: { userId: id, identity },
        })),
        ...user.grants.map((grant): UserChange => ({ type: 'role.revoked', data: { userId: id, ...grant } })),
        { type: 'user.removed', data: { id } },
      ])
    case 'identity.link':
      if (facts.identityHolder === id) return ok([])
      if (facts.identityHolder !== null)
        return fail({
          kind: 'conflict',
          code: 'identity_taken',
          message: `${command.identity} belongs to another person.`,
          hint: 'Unlink it there first, or let its holder use a link code.',
        })
      return ok([{ type: 'identity.linked', data: { userId: id, identity: command.identity, from: null } }])
    case 'identity.unlink':
      if (!user.identities.includes(command.identity)) return notFound('identity', command.identity)
      return ok([{ type: 'identity.unlinked', data: { userId: id, identity: command.identity } }])
    case 'role.grant': {
      if (command.role !== 'admin' && command.agentGroupId !== null)
        return fail({
          kind: 'invalid',
          code: `${command.role}_is_global`,
          message: `The ${command.role} role is always global; leave the agent group out.`,
        })
      if (command.agentGroupId !== null && !facts.groupExists) return notFound('agent_group', command.agentGroupId)
      const { role, agentGroupId } = command
      if (holds(user, { role, agentGroupId })) return ok([])
      return ok([{ type: 'role.granted', data: { userId: id, role, agentGroupId, by: facts.by } }])
    }
    case 'role.revoke': {
      const { role, agentGroupId } = command
      if (!holds(user, { role, agentGroupId }))
        return fail({ kind: 'not_found', code: 'role_not_found', message: 'This person does not hold that role.' })
      if (role === 'owner' && facts.owners <= 1) return lastOwner()
      return ok([{ type: 'role.revoked', data: { userId: id, role, agentGroupId } }])
    }
    case 'member.add':
      if (!facts.groupExists) return notFound('agent_group', command.agentGroupId)
      if (user.memberOf.includes(command.agentGroupId)) return ok([])
      return ok([{ type: 'member.added', data: { userId: id, agentGroupId: command.agentGroupId, by: facts.by } }])
    case 'member.remove':
      if (!user.memberOf.includes(command.agentGroupId))
        return fail({ kind: 'not_found', code: 'member_not_found', message: 'This person is not a member there.' })
      return ok([{ type: 'member.removed', data: { userId: id, agentGroupId: command.agentGroupId } }])
    default:
      return command satisfies never
  }
}

function create(
  user: UserState | undefined,
  command: Extract<UserCommand, { type: 'user.create' }>,
  facts: UserFacts,
): Result<UserChange[]> {
  if (user) return fail({ kind: 'conflict', code: 'user_exists', message: `User ${command.id} already exists.` })
  if (facts.identityHolder !== null)
    return fail({
      kind: 'conflict',
      code: 'identity_taken',
      message: 'One of these identities belongs to another person.',
      details: { userId: facts.identityHolder },
    })
  return ok([
    { type: 'user.created', data: { id: command.id }, body: { displayName: command.displayName } },
    ...[...new Set(command.identities)].map((identity): UserChange => ({
      type: 'identity.linked',
      data: { userId: command.id, identity, from: null },
    })),
  ])
}

const holds = (user: UserState, wanted: Grant): boolean =>
  user.grants.some((grant) => grant.role === wanted.role && grant.agentGroupId === wanted.agentGroupId)

const lastOwner = () =>
  fail({
    kind: 'conflict',
    code: 'last_owner',
    message: 'This is the last owner; Signalbox needs one.',
    hint: 'Grant the owner role to someone else first.',
  })
