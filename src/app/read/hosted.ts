import type { AskId } from '../../domain/ask/id.ts'
import type { AttachmentId } from '../../domain/attachment/schema.ts'
import { contentOf } from '../../domain/attachment/store.ts'
import { listAllowances } from '../../domain/session/store-allowances.ts'
import { listLives } from '../../domain/agent/store-lives.ts'
import { listSleepers, listUnhosted, loadPhase, wasPrompted } from '../../domain/agent/store-phase.ts'
import { listHosted, loadAgent } from '../../domain/agent/store.ts'
import { askOfSessions, asksBeingApplied } from '../../domain/ask/query.ts'
import type { MessageId } from '../../domain/message/schema.ts'
import { lastMessage, messagesById } from '../../domain/message/store.ts'
import { headOfQueue, waitingItems } from '../../domain/queue/store.ts'
import type { SessionId } from '../../domain/session/id.ts'
import { getSession, lineageOf } from '../../domain/session/query.ts'
import type { ProtocolMode } from '../../domain/session/schema.ts'
import { countSlots, loadSession } from '../../domain/session/store.ts'
import {
  recoverableSessions,
  recoveredAs,
  sessionsOfSameClient,
  sharedSession,
  silentSessions,
  tokenOfSession,
} from '../../domain/session/store-clients.ts'
import { reachableTerminals, type TerminalPage } from '../../domain/terminal/query.ts'
import { openTerminals } from '../../domain/terminal/store.ts'
import { viewerOf, type Standing } from '../../domain/user/actor.ts'
import type { TokenId, UserId } from '../../domain/user/id.ts'
import { sessionsWithToken } from '../../domain/user/store-access.ts'
import type { ReadContext } from './context.ts'

/** For the edges that hold agents and terminals: plain rows, with no permission check. */
export function createHostedReads({ database }: ReadContext) {
  const { read: db } = database
  const sessionsById = async (ids: readonly SessionId[]) =>
    (await Promise.all(ids.map((id) => getSession(db, { sees: 'all' }, id)))).filter((found) => found !== undefined)
  return {
    lineage: (id: SessionId) => lineageOf(db, id),
    /** The mark of the workspace directory when the session began. */
    workspaceMark: async (id: SessionId) => (await loadSession(db, id))?.workspaceMark ?? null,
    askOfLineage: async (id: string, sessionId: SessionId) => askOfSessions(db, id, await lineageOf(db, sessionId)),
    asksBeingApplied: (node: string) => asksBeingApplied(db, node),
    waitingItems: (id: SessionId) => waitingItems(db, id),
    lastMessage: (id: SessionId) => lastMessage(db, id),
    tokenOfSession: (id: SessionId) => tokenOfSession(db, id),
    /** What the answer to an ask allowed for its session. */
    allowance: async (id: SessionId, askId: AskId) =>
      (await listAllowances(db, id)).find((one) => one.id === askId)?.what,
    sameClient: (id: SessionId) => sessionsOfSameClient(db, id),
    recoveredAs: (id: SessionId) => recoveredAs(db, id),
    silentSessions: (before: string, unlessAt?: { exceptNode: string; since: string }) =>
      silentSessions(db, before, unlessAt),
    /** Without sessions that a token was made for: only that token may recover them. */
    recoverable: async (userId: UserId, workspaceRoot: string, now: string) => {
      const found = await recoverableSessions(db, userId, workspaceRoot)
      const promised = await sessionsWithToken(db, found, now)
      return sessionsById(found.filter((id) => !promised.includes(id)))
    },
    sharedSession: async (userId: UserId, tokenId: TokenId | null, workspaceRoot: string) => {
      const id = await sharedSession(db, userId, tokenId, workspaceRoot)
      return id === null ? null : ((await sessionsById([id]))[0] ?? null)
    },

    /** Terminals that the caller may reach, newest first; with an id, only that one. */
    terminals: async (who: Standing, id?: SessionId, page: Omit<TerminalPage, 'id'> = {}) => {
      const { actor } = who
      const lineage = actor.kind === 'agent' && actor.sessionId !== null ? await lineageOf(db, actor.sessionId) : []
      return reachableTerminals(db, viewerOf(who), lineage, { ...page, id })
    },
    openTerminals: (node: string) => openTerminals(db, node),

    slots: (protocol: ProtocolMode) => countSlots(db, protocol),
    hosted: (nodeId: string) => listHosted(db, nodeId),
    agent: (id: SessionId) => loadAgent(db, id),
    hostPhase: (id: SessionId) => loadPhase(db, id),
    /** Sessions without a process that have something to do, those that wait longest first. */
    unhosted: (nodeId: string) => listUnhosted(db, nodeId),
    /** Sessions whose agent could be put to sleep, those idle longest first; the decision is made for each. */
    sleepers: (nodeId: string, containers: boolean) => listSleepers(db, nodeId, containers),
    wasPrompted: (id: SessionId) => wasPrompted(db, id),
    agentLives: (id: SessionId) => listLives(db, id),
    messagesById: (ids: readonly MessageId[]) => messagesById(db, ids),
    attachmentContent: (id: AttachmentId) => contentOf(db, id),
    headOfQueue: (id: SessionId) => headOfQueue(db, id),
  }
}
