import type { Executor, Tx } from '../../db/open.ts'
import type { Json } from '../../lib/json.ts'
import { listGroups, loadGroup } from '../agent-group/store.ts'
import { loadContainerConfig } from '../agent-group/store-container-config.ts'
import { listCredentials } from '../credential/store.ts'
import { loadWiring } from '../chat/store.ts'
import { lastMessageTo } from '../chat/store-deliveries.ts'
import type { SessionId } from '../session/id.ts'
import { loadSession } from '../session/store.ts'
import { circlesOf } from '../user/query.ts'
import { holderOf, loadUser } from '../user/store.ts'
import type { AgentGroupId, TokenId, UserId } from '../user/id.ts'
import { AdminCommand, fieldsSet } from './admin-command.ts'
import type { AdministrativeFacts } from './administration.ts'
import type { AskId } from './id.ts'
import { subjectColumn } from './store.ts'
import { groupKinds } from './kinds.ts'
import type { AskSubject, GroupSubject } from './subject.ts'

/** The agent group of a session, for an ask about it; undefined if it belongs to none. */
export async function administrationOf(
  db: Executor,
  sessionId: SessionId,
  subject: GroupSubject,
): Promise<AdministrativeFacts | undefined> {
  const session = await loadSession(db, sessionId)
  const id = session?.agentGroupId ?? null
  if (!session || id === null) return undefined
  const [group, config] = [await loadGroup(db, id), await loadContainerConfig(db, id)]
  if (!group || !config || group.removedAt !== null) return undefined
  return {
    sessionId,
    group,
    config,
    requester: await requesterOf(db, session),
    circles: await circlesOf(db, id),
    names: (await listGroups(db)).map(({ name }) => name),
    open: await openOf(db, sessionId),
    credentials: await listCredentials(db, id),
    before: await stateBefore(db, subject, id),
  }
}

/** The group as it is now, to compare with what was shown. */
export async function groupNow(
  db: Executor,
  subject: GroupSubject,
): Promise<Pick<AdministrativeFacts, 'group' | 'config' | 'names' | 'before'> | undefined> {
  const id = subject.agentGroupId as AdministrativeFacts['group']['id'] | undefined
  if (id === undefined) return undefined
  const [group, config] = [await loadGroup(db, id), await loadContainerConfig(db, id)]
  if (!group || !config) return undefined
  const names = (await listGroups(db)).map(({ name }) => name)
  return { group, config, names, before: await stateBefore(db, subject, id) }
}

/** The fields that a command would set, as they are. */
async function stateBefore(db: Executor, subject: GroupSubject, group: AgentGroupId): Promise<Json> {
  if (subject.kind !== 'admin_command') return null
  const read = AdminCommand.safeParse(subject.command)
  if (!read.success) return null
  const { data } = read
  const fields = fieldsSet(data)
  if (fields.length === 0) return null
  const row =
    data.type === 'wiring.update'
      ? await loadWiring(db, data.id)
      : data.type === 'agent_group.update'
        ? await loadGroup(db, data.id)
        : data.type === 'agent_group.configure'
          ? await loadContainerConfig(db, data.id)
          : undefined
  if (!row || ('agentGroupId' in row ? row.agentGroupId : row.id) !== group) return null
  const values = row as unknown as Readonly<Record<string, Json>>
  return Object.fromEntries(fields.map((name) => [name, values[name] ?? null]))
}

/** The person whose message led to an ask: the last to write to the session, else its owner. */
async function requesterOf(db: Executor, { id, ownerUserId }: { id: SessionId; ownerUserId: UserId }): Promise<UserId> {
  const last = await lastMessageTo(db, id)
  const sender = last ? await holderOf(db, [last.message.sender.identity]) : null
  if (sender !== null && (await loadUser(db, sender))) return sender
  const row = await db
    .selectFrom('queue_items')
    .select('added_by')
    .where('session_id', '=', id)
    .where('added_by', 'like', 'user:%')
    .orderBy('seq', 'desc')
    .limit(1)
    .executeTakeFirst()
  return (row?.added_by.slice('user:'.length) as UserId | undefined) ?? ownerUserId
}

async function openOf(db: Executor, sessionId: SessionId): Promise<number> {
  const row = await db
    .selectFrom('asks')
    .select((eb) => eb.fn.countAll<number>().as('n'))
    .where('session_id', '=', sessionId)
    .where('kind', 'in', groupKinds)
    .where('status', '=', 'open')
    .executeTakeFirst()
  return row?.n ?? 0
}

/** When the next circle is asked. */
export async function escalationDue(db: Executor, id: AskId): Promise<string | null> {
  const row = await db
    .selectFrom('deadlines')
    .select('due_at')
    .where('subject_id', '=', id)
    .where('kind', '=', 'ask_escalation')
    .executeTakeFirst()
  return row?.due_at ?? null
}

/** Approved asks about agent groups that this node is carrying out, or that nobody has begun. */
export async function asksToCarryOut(db: Executor, node: string): Promise<AskId[]> {
  const rows = await db
    .selectFrom('asks')
    .select('id')
    .where('kind', 'in', groupKinds)
    .where('status', '=', 'applying')
    .where('applying_on', '=', node)
    .orderBy('answered_at')
    .execute()
  return rows.map(({ id }) => id)
}

/** Asks of this session for commands that are not over yet. */
export async function commandsAskedFor(
  db: Executor,
  sessionId: SessionId,
): Promise<{ id: AskId; subject: AskSubject }[]> {
  const rows = await db
    .selectFrom('asks')
    .select(['id', 'subject'])
    .where('session_id', '=', sessionId)
    .where('kind', '=', 'admin_command')
    .where('status', 'in', ['open', 'answered', 'applying'])
    .orderBy('created_at', 'desc')
    .limit(50)
    .execute()
  return rows.map(({ id, subject }) => ({ id, subject: subjectColumn(subject) }))
}

const mostLines = 2000

/** What happened while it was carried out: the last lines count, the oldest go. */
export async function addLog(tx: Tx, askId: AskId, lines: readonly string[], at: string): Promise<void> {
  if (lines.length === 0) return
  const last = await tx
    .selectFrom('ask_log')
    .select((eb) => eb.fn.max('seq').as('seq'))
    .where('ask_id', '=', askId)
    .executeTakeFirst()
  const from = last?.seq ?? 0
  await tx
    .insertInto('ask_log')
    .values(lines.map((text, index) => ({ ask_id: askId, seq: from + index + 1, at, text })))
    .execute()
  await tx
    .deleteFrom('ask_log')
    .where('ask_id', '=', askId)
    .where('seq', '<=', from + lines.length - mostLines)
    .execute()
}

export type LogLine = { readonly seq: number; readonly at: string; readonly text: string }

export const readLog = (db: Executor, askId: AskId, after: number, limit: number): Promise<LogLine[]> =>
  db
    .selectFrom('ask_log')
    .select(['seq', 'at', 'text'])
    .where('ask_id', '=', askId)
    .where('seq', '>', after)
    .orderBy('seq')
    .limit(limit)
    .execute()

/** The newest live session of an agent's token. */
export async function sessionOfAgent(db: Executor, tokenId: TokenId): Promise<SessionId | null> {
  const row = await db
    .selectFrom('sessions')
    .select('id')
    .where('token_id', '=', tokenId)
    .where('status', 'in', ['created', 'active', 'paused'])
    .orderBy('created_at', 'desc')
    .executeTakeFirst()
  return row?.id ?? null
}
