import type { Executor, Tx } from '../../db/open.ts'
import type { AgentGroupId, UserId } from '../user/id.ts'
import type { LoadedTemplate, TemplateChange, TemplateId } from './schema.ts'
import type { TemplateTables } from './table.ts'

const toTemplate = (row: TemplateTables['prompt_templates']): LoadedTemplate => ({
  id: row.id,
  name: row.name,
  ownerUserId: row.owner_user_id,
  agentGroupId: row.agent_group_id,
  description: row.description,
  text: row.content,
  revision: row.revision,
  updatedAt: row.updated_at,
})

export async function loadTemplate(db: Executor, id: TemplateId): Promise<LoadedTemplate | undefined> {
  const row = await db.selectFrom('prompt_templates').selectAll().where('id', '=', id).executeTakeFirst()
  return row && toTemplate(row)
}

type Holder = { readonly ownerUserId: UserId | null; readonly agentGroupId: AgentGroupId | null }

/** The names that a new one can't have. */
export async function namesBeside(
  db: Executor,
  { ownerUserId, agentGroupId }: Holder,
): Promise<{ id: TemplateId; name: string }[]> {
  const named = db.selectFrom('prompt_templates').select(['id', 'name'])
  if (agentGroupId !== null) return named.where('agent_group_id', '=', agentGroupId).execute()
  return ownerUserId === null ? [] : named.where('owner_user_id', '=', ownerUserId).execute()
}

/** Of a person, and of these agent groups. */
export async function listTemplates(
  db: Executor,
  owner: UserId | null,
  groups: readonly AgentGroupId[],
): Promise<LoadedTemplate[]> {
  const rows = await db
    .selectFrom('prompt_templates')
    .selectAll()
    .where((eb) =>
      eb.or([
        ...(owner === null ? [] : [eb('owner_user_id', '=', owner)]),
        ...(groups.length === 0 ? [] : [eb('agent_group_id', 'in', groups)]),
      ]),
    )
    .orderBy('name')
    .orderBy('id')
    .execute()
  return rows.map(toTemplate)
}

export async function projectTemplate(tx: Tx, change: TemplateChange, at: string): Promise<void> {
  const { id, name } = change.data
  switch (change.type) {
    case 'template.added': {
      const { ownerUserId, agentGroupId } = change.data
      const { description, text } = change.body
      await tx
        .insertInto('prompt_templates')
        .values({
          id,
          name,
          owner_user_id: ownerUserId,
          agent_group_id: agentGroupId,
          description,
          content: text,
          revision: 1,
          created_at: at,
          updated_at: at,
        })
        .execute()
      return
    }
    case 'template.changed':
      await tx
        .updateTable('prompt_templates')
        .set({
          name,
          description: change.body.description,
          content: change.body.text,
          revision: change.data.revision,
          updated_at: at,
        })
        .where('id', '=', id)
        .execute()
      return
    case 'template.removed':
      await tx.deleteFrom('prompt_templates').where('id', '=', id).execute()
      return
    default:
      change satisfies never
  }
}
