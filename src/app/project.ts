import { projectAsk } from '../domain/ask/store.ts'
import { projectMessage } from '../domain/message/store.ts'
import { projectSession } from '../domain/session/store.ts'
import { projectUser } from '../domain/user/store.ts'
import { projectAccess } from '../domain/user/store-access.ts'
import { projectRepo } from '../domain/workspace/store.ts'
import type { Tx } from '../db/open.ts'
import type { Change } from './command.ts'

/** Writes a change to the tables; the log gets its line in the same transaction. */
export async function project(tx: Tx, change: Change, at: string): Promise<void> {
  switch (change.type) {
    case 'session.started':
    case 'session.status_changed':
    case 'session.connectivity_changed':
    case 'session.delegated':
    case 'session.undelegated':
    case 'session.touched':
      return projectSession(tx, change, at)
    case 'message.added':
      return projectMessage(tx, change, at)
    case 'ask.opened':
    case 'ask.voted':
    case 'ask.answered':
    case 'ask.expired':
    case 'ask.expiry_lifted':
    case 'ask.interrupted':
    case 'ask.cancelled':
    case 'ask.claimed':
    case 'ask.released':
    case 'ask.consumed':
    case 'ask.failed':
      return projectAsk(tx, change, at)
    case 'user.created':
    case 'user.renamed':
    case 'user.removed':
    case 'identity.linked':
    case 'identity.unlinked':
    case 'identity.offered':
    case 'identity.claimed':
    case 'role.granted':
    case 'role.revoked':
    case 'member.added':
    case 'member.removed':
      return projectUser(tx, change, at)
    case 'token.created':
    case 'token.revoked':
    case 'token.touched':
    case 'login.offered':
    case 'login.started':
    case 'login.ended':
      return projectAccess(tx, change, at)
    case 'repo.registered':
    case 'repo.removed':
      return projectRepo(tx, change, at)
    case 'security.reported':
      // The log itself is where it is kept.
      return
    default:
      change satisfies never
  }
}
