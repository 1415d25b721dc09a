import type { Executor, Tx } from '../../db/open.ts'
import type { RuleId } from './id.ts'
import type { PolicyChange, PolicyRule, Rule, RuleStatus } from './schema.ts'
import { projectHeld, projectNoted, projectTrust } from './store-trust.ts'
import type { PolicyTables } from './table.ts'

const toRule = (row: PolicyTables['policy_rules']): PolicyRule => ({
  id: row.id,
  workspaceRoot: row.workspace_root,
  rule: { kind: row.rule_kind, pattern: row.pattern },
  status: row.status,
  askId: row.ask_id,
  evidence: row.evidence,
  proposedBy: row.proposed_by,
  decidedBy: row.decided_by,
  createdAt: row.created_at,
  decidedAt: row.decided_at,
})

export async function loadRule(db: Executor, id: RuleId): Promise<PolicyRule | undefined> {
  const row = await db.selectFrom('policy_rules').selectAll().where('id', '=', id).executeTakeFirst()
  return row && toRule(row)
}

/** The rules of a workspace with the same text, in any status. */
export async function loadSameRules(db: Executor, workspaceRoot: string, rule: Rule): Promise<PolicyRule[]> {
  const rows = await db
    .selectFrom('policy_rules')
    .selectAll()
    .where('workspace_root', '=', workspaceRoot)
    .where('rule_kind', '=', rule.kind)
    .where('pattern', '=', rule.pattern)
    .execute()
  return rows.map(toRule)
}

/** Newest first. */
export async function listRules(
  db: Executor,
  filter: {
    id?: RuleId | undefined
    workspaceRoot?: string | undefined
    statuses?: readonly RuleStatus[] | undefined
  },
): Promise<PolicyRule[]> {
  let query = db.selectFrom('policy_rules').selectAll().orderBy('created_at', 'desc').orderBy('id', 'desc').limit(1000)
  if (filter.id !== undefined) query = query.where('id', '=', filter.id)
  if (filter.workspaceRoot !== undefined) query = query.where('workspace_root', '=', filter.workspaceRoot)
  if (filter.statuses !== undefined) query = query.where('status', 'in', filter.statuses)
  return (await query.execute()).map(toRule)
}

/** The rules in force in a workspace. */
export async function confirmedRules(db: Executor, workspaceRoot: string): Promise<Rule[]> {
  const rows = await db
    .selectFrom('policy_rules')
    .select(['rule_kind', 'pattern'])
    .where('workspace_root', '=', workspaceRoot)
    .where('status', '=', 'confirmed')
    .execute()
  return rows.map((row) => ({ kind: row.rule_kind, pattern: row.pattern }))
}

export async function projectPolicy(tx: Tx, change: PolicyChange, at: string): Promise<void> {
  const { id } = change.data
  switch (change.type) {
    case 'policy.proposed': {
      const { workspaceRoot, kind, askId, evidence, by } = change.data
      await tx
        .insertInto('policy_rules')
        .values({
          id,
          workspace_root: workspaceRoot,
          rule_kind: kind,
          pattern: change.body.pattern,
          status: 'proposed',
          ask_id: askId,
          evidence,
          proposed_by: by,
          decided_by: null,
          created_at: at,
          decided_at: null,
        })
        .onConflict((conflict) => conflict.column('id').doUpdateSet({ evidence, ask_id: askId }))
        .execute()
      return
    }
    case 'policy.written':
    case 'policy.accepted': {
      const { workspaceRoot, by } = change.data
      return projectNoted(tx, { workspaceRoot, settings: change.body, by }, at)
    }
    case 'policy.noted':
      return projectNoted(
        tx,
        { workspaceRoot: change.data.workspaceRoot, settings: change.body, by: 'system:policy' },
        at,
      )
    case 'policy.held':
      return projectHeld(tx, change.data.workspaceRoot, change.data.hash, at)
    case 'policy.trusted':
      return projectTrust(tx, change.data.workspaceRoot, change.data.by, at)
    case 'policy.untrusted':
      return projectTrust(tx, change.data.workspaceRoot, null, at)
    case 'policy.confirmed':
      return decide(tx, id, { status: 'confirmed', decided_by: change.data.by, decided_at: at })
    case 'policy.dismissed':
      return decide(tx, id, { status: 'dismissed', decided_by: change.data.by, decided_at: at })
    case 'policy.revoked':
      return decide(tx, id, { status: 'revoked', decided_by: change.data.by, decided_at: at })
    default:
      change satisfies never
  }
}

async function decide(tx: Tx, id: RuleId, values: Partial<PolicyTables['policy_rules']>): Promise<void> {
  await tx.updateTable('policy_rules').set(values).where('id', '=', id).execute()
}
