import * as z from 'zod'
import { SessionId } from '../session/id.ts'
import type { DataOf } from '../slice/events.ts'
import { AgentGroupId, TokenId, UserId } from './id.ts'

export { AgentGroupId, TokenId, UserId }

/** `machine`: may run programs as the server's user. */
export const Role = z.enum(['owner', 'admin', 'machine'])
export type Role = z.infer<typeof Role>

/** `slack:U…`, `tg:…`, `discord:…`, `phone:…`, `email:…`, `local:…`, `chat-teams:…` for any other platform; a bare `U…` means Slack. */
export const Identity = z
  .string()
  .max(300)
  .transform((text) => (/^[UW][A-Z0-9]+$/.test(text) ? `slack:${text}` : text))
  // Email addresses are case-insensitive.
  .transform((text) => (text.startsWith('email:') ? text.toLowerCase() : text))
  .pipe(
    z
      .string()
      .regex(
        /^(slack|tg|discord|phone|email|local|chat-[a-z][a-z0-9_-]{0,39}):\S+$/,
        'must look like slack:U123 or email:ann@example.org',
      ),
  )

export const RoleGrant = z.object({
  role: Role,
  agentGroupId: AgentGroupId.nullable(),
  grantedBy: UserId.nullable(),
  grantedAt: z.iso.datetime(),
})

export const User = z
  .object({
    id: UserId,
    kind: z.string(),
    displayName: z.string(),
    createdAt: z.iso.datetime(),
    removedAt: z.iso.datetime().nullable(),
    identities: z.array(z.object({ identity: z.string(), linkedAt: z.iso.datetime() })),
    roles: z.array(RoleGrant),
    memberOf: z.array(z.object({ agentGroupId: AgentGroupId, addedBy: UserId.nullable(), addedAt: z.iso.datetime() })),
  })
  .meta({ id: 'User' })
export type User = z.infer<typeof User>

/** `full` acts as the person, `read` only looks, `agent` speaks for an agent and never answers or administers. */
export const TokenScope = z.enum(['full', 'read', 'agent'])
export type TokenScope = z.infer<typeof TokenScope>

export const Token = z
  .object({
    id: TokenId,
    userId: UserId,
    name: z.string(),
    scope: TokenScope,
    sessionId: SessionId.nullable(),
    createdAt: z.iso.datetime(),
    expiresAt: z.iso.datetime().nullable(),
    lastUsedAt: z.iso.datetime().nullable(),
    revokedAt: z.iso.datetime().nullable(),
  })
  .meta({ id: 'Token' })
export type Token = z.infer<typeof Token>

const displayName = z.string().trim().min(1).max(200)
const hash = z.string().regex(/^[0-9a-f]{64}$/)
const expiresAt = z.iso.datetime()

export const UserCommand = z.discriminatedUnion('type', [
  z.object({ type: z.literal('user.create'), id: UserId, displayName, identities: z.array(Identity).max(20) }),
  z.object({ type: z.literal('user.rename'), id: UserId, displayName }),
  z.object({ type: z.literal('user.remove'), id: UserId }),
  z.object({ type: z.literal('identity.link'), userId: UserId, identity: Identity }),
  z.object({ type: z.literal('identity.unlink'), userId: UserId, identity: Identity }),
  /** A chat shows a code, and a signed-in person enters it. */
  z.object({ type: z.literal('identity.offer'), identity: Identity, codeHash: hash, expiresAt }),
  z.object({ type: z.literal('identity.claim'), codeHash: hash }),
  /** A signed-in person makes a code, and writes it in a chat. */
  z.object({ type: z.literal('identity.offer_own'), codeHash: hash, expiresAt }),
  z.object({ type: z.literal('identity.claim_from'), identity: Identity, codeHash: hash }),
  z.object({
    type: z.literal('role.grant'),
    userId: UserId,
    role: Role,
    agentGroupId: AgentGroupId.nullable().default(null),
  }),
  z.object({
    type: z.literal('role.revoke'),
    userId: UserId,
    role: Role,
    agentGroupId: AgentGroupId.nullable().default(null),
  }),
  z.object({ type: z.literal('member.add'), userId: UserId, agentGroupId: AgentGroupId }),
  z.object({ type: z.literal('member.remove'), userId: UserId, agentGroupId: AgentGroupId }),
])
export type UserCommand = z.infer<typeof UserCommand>

export const AccessCommand = z.discriminatedUnion('type', [
  z.object({
    type: z.literal('token.create'),
    id: TokenId,
    userId: UserId,
    name: z.string().trim().min(1).max(200),
    scope: TokenScope,
    sessionId: SessionId.nullable().default(null),
    hash,
    expiresAt: expiresAt.nullable().default(null),
  }),
  z.object({ type: z.literal('token.revoke'), id: TokenId }),
  z.object({ type: z.literal('token.touch'), id: TokenId }),
  z.object({ type: z.literal('login.offer'), userId: UserId, linkHash: hash, expiresAt }),
  z.object({
    type: z.literal('login.redeem'),
    linkHash: hash,
    cookieHash: hash,
    keyHash: hash,
    expiresAt,
    /** Who this browser is signed in as, unless they agreed to switch. */
    signedInAs: UserId.nullable().default(null),
  }),
  z.object({ type: z.literal('login.end'), cookieHash: hash }),
])
export type AccessCommand = z.infer<typeof AccessCommand>

/** Events about people. */
export const userEvents = {
  'user.created': () => z.object({ id: UserId }),
  'user.renamed': () => z.object({ id: UserId }),
  'user.removed': () => z.object({ id: UserId }),
  'identity.linked': () => z.object({ userId: UserId, identity: z.string(), from: UserId.nullable() }),
  'identity.unlinked': () => z.object({ userId: UserId, identity: z.string() }),
  'identity.offered': () => z.object({ userId: UserId, expiresAt: z.string() }),
  'identity.claimed': () => z.object({ userId: UserId }),
  'role.granted': () =>
    z.object({
      userId: UserId,
      role: Role,
      agentGroupId: AgentGroupId.nullable(),
      by: UserId.nullable(),
    }),
  'role.revoked': () => z.object({ userId: UserId, role: Role, agentGroupId: AgentGroupId.nullable() }),
  'member.added': () => z.object({ userId: UserId, agentGroupId: AgentGroupId, by: UserId.nullable() }),
  'member.removed': () => z.object({ userId: UserId, agentGroupId: AgentGroupId }),
}
type Data = DataOf<typeof userEvents>

export type UserChange =
  | { type: 'user.created'; data: Data['user.created']; body: { displayName: string } }
  | { type: 'user.renamed'; data: Data['user.renamed']; body: { displayName: string } }
  | { type: 'user.removed'; data: Data['user.removed'] }
  | { type: 'identity.linked'; data: Data['identity.linked'] }
  | { type: 'identity.unlinked'; data: Data['identity.unlinked'] }
  | { type: 'identity.offered'; data: Data['identity.offered']; body: { codeHash: string } }
  | { type: 'identity.claimed'; data: Data['identity.claimed']; body: { codeHash: string } }
  /** Written to the table, not logged: chats must not fill the log. */
  | { type: 'identity.coded'; data: { identity: string; expiresAt: string }; body: { codeHash: string } }
  | { type: 'role.granted'; data: Data['role.granted'] }
  | { type: 'role.revoked'; data: Data['role.revoked'] }
  | { type: 'member.added'; data: Data['member.added'] }
  | { type: 'member.removed'; data: Data['member.removed'] }

/** Events about tokens and logins. */
export const accessEvents = {
  'token.created': () =>
    z.object({
      id: TokenId,
      userId: UserId,
      scope: TokenScope,
      sessionId: SessionId.nullable(),
      expiresAt: z.string().nullable(),
    }),
  'token.revoked': () => z.object({ id: TokenId, userId: UserId }),
  'login.offered': () => z.object({ userId: UserId, expiresAt: z.string() }),
  'login.started': () => z.object({ userId: UserId, expiresAt: z.string() }),
  'login.ended': () => z.object({ userId: UserId }),
}
type AccessData = DataOf<typeof accessEvents>

export type AccessChange =
  | { type: 'token.created'; data: AccessData['token.created']; body: { name: string; hash: string } }
  | { type: 'token.revoked'; data: AccessData['token.revoked'] }
  /** Written to the row, not logged. */
  | { type: 'token.touched'; data: { id: TokenId; userId: UserId } }
  | { type: 'login.offered'; data: AccessData['login.offered']; body: { linkHash: string } }
  | {
      type: 'login.started'
      data: AccessData['login.started']
      /** `linkHash`: null if no link was used. */
      body: { linkHash: string | null; cookieHash: string; keyHash: string }
    }
  | { type: 'login.ended'; data: AccessData['login.ended']; body: { cookieHash: string } }
