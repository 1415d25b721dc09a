import type { Executor, Tx } from '../../db/open.ts'
import type { Json } from '../../lib/json.ts'
import { anyJson, isJsonRecord, jsonColumn } from '../../lib/parse-json.ts'
import type { ChatInstanceId } from '../chat/id.ts'
import type { ChatInstance, InstanceChange, InstanceState } from './schema.ts'
import type { ChatInstanceTables } from './table.ts'

type Row = ChatInstanceTables['chat_instances']

const settingsColumn = jsonColumn('chat_instances.settings', isJsonRecord)
const cursorColumn = jsonColumn('chat_instances.cursor', anyJson)

const toInstance = (row: Row): ChatInstance => ({
  id: row.id,
  platform: row.platform,
  name: row.name,
  title: row.title,
  settings: settingsColumn(row.settings),
  wanted: row.wanted,
  state: row.state,
  stateError: row.state_error,
  stateAt: row.state_at,
  nodeId: row.node_id,
  createdBy: row.created_by,
  createdAt: row.created_at,
  updatedAt: row.updated_at,
  removedAt: row.removed_at,
})

/** Includes removed instances: chats and posts still refer to them. */
export async function loadInstance(db: Executor, id: ChatInstanceId): Promise<ChatInstance | undefined> {
  const row = await db.selectFrom('chat_instances').selectAll().where('id', '=', id).executeTakeFirst()
  return row && toInstance(row)
}

export async function instanceNamed(db: Executor, name: string): Promise<ChatInstance | undefined> {
  const row = await db.selectFrom('chat_instances').selectAll().where('name', '=', name).executeTakeFirst()
  return row && toInstance(row)
}

export async function workspaceOf(db: Executor, id: ChatInstanceId): Promise<string | null> {
  const row = await db.selectFrom('chat_instances').select('workspace').where('id', '=', id).executeTakeFirst()
  return row?.workspace ?? null
}

export const listInstances = async (db: Executor): Promise<ChatInstance[]> =>
  (await db.selectFrom('chat_instances').selectAll().where('removed_at', 'is', null).orderBy('name').execute()).map(
    toInstance,
  )

/** What is needed to connect: sealed credentials, and where to continue. */
export async function loadConnecting(
  db: Executor,
  id: ChatInstanceId,
): Promise<{ credentials: string; cursor: Json } | undefined> {
  const row = await db
    .selectFrom('chat_instances')
    .select(['credentials', 'cursor'])
    .where('id', '=', id)
    .where('removed_at', 'is', null)
    .executeTakeFirst()
  return row && { credentials: row.credentials, cursor: cursorColumn(row.cursor) }
}

export async function setCursor(db: Executor, id: ChatInstanceId, cursor: Json): Promise<void> {
  await db
    .updateTable('chat_instances')
    .set({ cursor: JSON.stringify(cursor) })
    .where('id', '=', id)
    .execute()
}

export async function setInstanceState(
  db: Executor,
  id: ChatInstanceId,
  { state, error, nodeId }: { state: InstanceState; error: string | null; nodeId: string | null },
  at: string,
): Promise<void> {
  await db
    .updateTable('chat_instances')
    .set({ state, state_error: error?.slice(0, 2000) ?? null, state_at: at, node_id: nodeId })
    .where('id', '=', id)
    .execute()
}

export async function projectInstance(tx: Tx, change: InstanceChange, at: string): Promise<void> {
  const { id } = change.data
  const set = async (values: Partial<Row>): Promise<void> => {
    await tx
      .updateTable('chat_instances')
      .set({ ...values, updated_at: at })
      .where('id', '=', id)
      .execute()
  }
  switch (change.type) {
    case 'instance.added': {
      const { platform, name } = change.data
      const { title, credentials, settings, by, workspace } = change.body
      const values = {
        title,
        workspace: workspace ?? null,
        credentials,
        settings: JSON.stringify(settings),
        wanted: 'running' as const,
        created_by: by,
        updated_at: at,
        removed_at: null,
      }
      const idle = { cursor: null, state: 'stopped' as const, state_error: null, state_at: null, node_id: null }
      await tx
        .insertInto('chat_instances')
        .values({ id, platform, name, ...values, ...idle, created_at: at })
        .onConflict((conflict) => conflict.column('id').doUpdateSet({ ...values, ...idle }))
        .execute()
      return
    }
    case 'instance.updated': {
      const { title, credentials, settings, workspace } = change.body
      return set({
        ...(title !== undefined && { title }),
        ...(credentials !== undefined && { credentials }),
        ...(settings !== undefined && { settings: JSON.stringify(settings) }),
        ...(credentials !== undefined && workspace && { workspace }),
      })
    }
    case 'instance.started':
      return set({ wanted: 'running' })
    case 'instance.stopped':
      return set({ wanted: 'stopped' })
    case 'instance.removed':
      // The secrets go at once; the row stays for the chats that refer to it.
      return set({ wanted: 'stopped', credentials: '', cursor: null, removed_at: at })
    default:
      change satisfies never
  }
}
