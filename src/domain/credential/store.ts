import type { Executor, Tx } from '../../db/open.ts'
import type { AskId } from '../ask/id.ts'
import type { AgentGroupId, UserId } from '../user/id.ts'
import type { CredentialId } from './id.ts'
import type { Credential, CredentialChange } from './schema.ts'
import type { CredentialTables } from './table.ts'

type Row = CredentialTables['credentials']

const toCredential = (row: Row): Credential => ({
  id: row.id,
  agentGroupId: row.agent_group_id,
  host: row.host,
  name: row.name,
  grantedBy: row.granted_by,
  grantedAt: row.granted_at,
  askId: row.ask_id,
})

export async function loadCredential(db: Executor, id: CredentialId): Promise<Credential | undefined> {
  const row = await db
    .selectFrom('credentials')
    .selectAll()
    .where('id', '=', id)
    .where('revoked_at', 'is', null)
    .executeTakeFirst()
  return row && toCredential(row)
}

const ofGroup = (db: Executor, id: AgentGroupId) =>
  db.selectFrom('credentials').selectAll().where('agent_group_id', '=', id).where('revoked_at', 'is', null)

/** Without their values. */
export const listCredentials = async (db: Executor, id: AgentGroupId): Promise<Credential[]> =>
  (await ofGroup(db, id).orderBy('host').orderBy('name').execute()).map(toCredential)

/** For the gate that adds them to requests. */
export async function sealedCredentials(
  db: Executor,
  id: AgentGroupId,
): Promise<{ id: CredentialId; host: string; name: string; sealed: string }[]> {
  const rows = await ofGroup(db, id).orderBy('host').orderBy('name').execute()
  return rows.flatMap((row) =>
    row.sealed === null ? [] : [{ id: row.id, host: row.host, name: row.name, sealed: row.sealed }],
  )
}

export async function projectCredential(tx: Tx, change: CredentialChange, at: string): Promise<void> {
  const { id } = change.data
  switch (change.type) {
    case 'credential.granted': {
      const { agentGroupId, host, name, by, askId } = change.data
      await tx
        .insertInto('credentials')
        .values({
          id,
          agent_group_id: agentGroupId,
          host,
          name,
          sealed: change.body,
          granted_by: by,
          granted_at: at,
          ask_id: askId,
          revoked_at: null,
        })
        .execute()
      await dropOffers(tx, askId)
      return
    }
    case 'credential.revoked':
      await tx.updateTable('credentials').set({ revoked_at: at, sealed: null }).where('id', '=', id).execute()
      return
    default:
      change satisfies never
  }
}

/** A value is kept before its answer is stored: an answer without its value would be worth nothing. */
export async function keepOffer(
  tx: Executor,
  offer: { askId: AskId; userId: UserId; sealed: string; at: string },
): Promise<void> {
  const { askId, userId, sealed, at } = offer
  await tx
    .insertInto('credential_offers')
    .values({ ask_id: askId, user_id: userId, sealed, at })
    .onConflict((conflict) => conflict.columns(['ask_id', 'user_id']).doUpdateSet({ sealed, at }))
    .execute()
}

export async function dropOffer(tx: Executor, askId: AskId, userId: UserId): Promise<void> {
  await tx.deleteFrom('credential_offers').where('ask_id', '=', askId).where('user_id', '=', userId).execute()
}

export async function dropOffers(tx: Executor, askId: AskId): Promise<void> {
  await tx.deleteFrom('credential_offers').where('ask_id', '=', askId).execute()
}

export async function offerOf(db: Executor, askId: AskId, userId: UserId): Promise<string | null> {
  const row = await db
    .selectFrom('credential_offers')
    .select('sealed')
    .where('ask_id', '=', askId)
    .where('user_id', '=', userId)
    .executeTakeFirst()
  return row?.sealed ?? null
}
