import { projectAgent } from '../domain/agent/store.ts'
import { projectAlert } from '../domain/alert/store.ts'
import { restartStallClock } from '../domain/alert/store-watched.ts'
import { projectAsk } from '../domain/ask/store.ts'
import { projectCheckpoint } from '../domain/checkpoint/store.ts'
import { projectMessage } from '../domain/message/store.ts'
import { projectPattern } from '../domain/pattern/store.ts'
import { projectPolicy } from '../domain/policy/store.ts'
import { projectPush } from '../domain/push/store.ts'
import { projectQueue } from '../domain/queue/store.ts'
import { projectSession } from '../domain/session/store.ts'
import { projectTerminal } from '../domain/terminal/store.ts'
import { projectUser } from '../domain/user/store.ts'
import { projectAccess } from '../domain/user/store-access.ts'
import { projectRepo } from '../domain/workspace/store.ts'
import type { Tx } from '../db/open.ts'
import { isOf, type Change } from './command.ts'

/** Writes a change to the tables; the log gets its line in the same transaction. */
export async function project(tx: Tx, change: Change, at: string): Promise<void> {
  await restartStallClock(tx, change, at)
  if (isOf(change, 'alert')) return projectAlert(tx, change, at)
  if (isOf(change, 'session')) return projectSession(tx, change, at)
  if (isOf(change, 'message')) return projectMessage(tx, change, at)
  if (isOf(change, 'queue')) return projectQueue(tx, change, at)
  if (isOf(change, 'agent')) return projectAgent(tx, change, at)
  if (isOf(change, 'ask')) return projectAsk(tx, change, at)
  if (isOf(change, 'user', 'identity', 'role', 'member')) return projectUser(tx, change, at)
  if (isOf(change, 'token', 'login')) return projectAccess(tx, change, at)
  if (isOf(change, 'repo')) return projectRepo(tx, change, at)
  if (isOf(change, 'checkpoint')) return projectCheckpoint(tx, change, at)
  if (isOf(change, 'terminal')) return projectTerminal(tx, change, at)
  if (isOf(change, 'input', 'pattern')) return projectPattern(tx, change, at)
  if (isOf(change, 'policy')) return projectPolicy(tx, change, at)
  if (isOf(change, 'push')) return projectPush(tx, change, at)
  // The log itself is where it is kept.
  if (isOf(change, 'security')) return
  change satisfies never
}
