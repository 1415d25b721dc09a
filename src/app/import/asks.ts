import * as z from 'zod'
import type { Answer } from '../../domain/ask/answer.ts'
import type { AskId } from '../../domain/ask/id.ts'
import type { AskStatus } from '../../domain/ask/schema.ts'
import { AskSubject } from '../../domain/ask/subject.ts'
import type { SessionId } from '../../domain/session/id.ts'
import { firstOwner } from '../../domain/user/query.ts'
import { isJsonRecord, jsonOrNull, parseJson } from '../../lib/parse-json.ts'
import { idFor, timeOr } from './convert.ts'
import type { SeedRow, SeedTable } from './rows.ts'
import { missing, type Work } from './work.ts'

/** Questions and approvals of agents that no longer run. They are kept, and nobody is asked again. */
export async function importAsks(work: Work): Promise<void> {
  for (const row of work.seed.pending_questions) await importQuestion(work, row)
  for (const row of work.seed.pending_approvals) await importApproval(work, row)
}

const Option = z.union([
  z.string().transform((text) => ({ label: text, value: text })),
  z.object({ label: z.string(), value: z.string().optional() }).transform(({ label, value }) => ({
    label,
    value: value ?? label,
  })),
])

async function importQuestion(work: Work, row: SeedRow<'pending_questions'>): Promise<void> {
  const { tally, sessions } = work
  const leave = (reason: string) => tally.leftOut('pending_questions', row.question_id, reason)
  const sessionId = sessions.get(row.session_id)
  if (!sessionId) return leave(missing('session', row.session_id))
  const options = parseJson(row.options_json, z.array(Option))
  if (!options.ok) return leave("its options_json can't be read")
  const subject = AskSubject.safeParse({ kind: 'question', question: row.title, options: options.value })
  if (!subject.success) return leave('it is too long')
  const at = timeOr(row.created_at, work.now)
  await insert(work, 'pending_questions', row.question_id, {
    sessionId,
    subject: subject.data,
    title: row.title,
    createdAt: at,
    expiresAt: null,
    outcome: { status: 'interrupted', answer: null },
  })
}

type Outcome = { status: AskStatus; answer: Answer | null }

/** Who approved is not in the file, and what was approved has been done there. */
const outcomes: Readonly<Record<string, Outcome>> = {
  pending: { status: 'interrupted', answer: null },
  expired: { status: 'expired', answer: null },
  approved: { status: 'consumed', answer: { outcome: 'approve', always: false, reason: null } },
  rejected: { status: 'answered', answer: { outcome: 'reject', reason: null } },
}

async function importApproval(work: Work, row: SeedRow<'pending_approvals'>): Promise<void> {
  const leave = (reason: string) => work.tally.leftOut('pending_approvals', row.approval_id, reason)
  const sessionId = row.session_id === null ? null : work.sessions.get(row.session_id)
  if (sessionId === undefined) return leave(missing('session', row.session_id ?? ''))
  const outcome = outcomes[row.status ?? 'pending']
  if (!outcome) return leave(`unknown status ${row.status}`)
  const subject = subjectOf(row)
  if (subject === 'unknown') return leave(`the action ${row.action} does not exist here`)
  if (subject === null) return leave("its payload can't be read")
  await insert(work, 'pending_approvals', row.approval_id, {
    sessionId,
    subject,
    title: row.title || titles[subject.kind] || row.action,
    createdAt: timeOr(row.created_at, work.now),
    expiresAt: row.expires_at === null ? null : timeOr(row.expires_at, work.now),
    outcome,
  })
}

const titles: Readonly<Partial<Record<AskSubject['kind'], string>>> = {
  packages: 'Install packages?',
  mcp_server: 'Add an MCP server?',
  credential: 'Use a credential?',
}

function subjectOf({ action, payload }: SeedRow<'pending_approvals'>): AskSubject | 'unknown' | null {
  const data = jsonOrNull(payload, isJsonRecord)
  if (data === null) return null
  const reason = textOf(data['reason'])
  const read = (subject: object): AskSubject | null => AskSubject.safeParse(subject).data ?? null
  switch (action) {
    case 'install_packages':
      return read({ kind: 'packages', apt: data['apt'], npm: data['npm'], reason })
    case 'add_mcp_server': {
      const { name, reason: _reason, ...server } = data
      return read({ kind: 'mcp_server', name, server, reason })
    }
    case 'onecli_credential': {
      const [method, host, path, name] = ['method', 'host', 'path', 'name'].map((field) => textOf(data[field]))
      return read({ kind: 'credential', name: name || `${method} ${host}${path}`.trim(), host, reason })
    }
    default:
      return 'unknown'
  }
}

const textOf = (value: unknown): string => (typeof value === 'string' ? value : '')

type ImportedAsk = {
  sessionId: SessionId | null
  subject: AskSubject
  title: string
  createdAt: string
  expiresAt: string | null
  outcome: Outcome
}

async function insert(work: Work, table: SeedTable, seedId: string, ask: ImportedAsk): Promise<void> {
  const { tx, tally } = work
  const { status, answer } = ask.outcome
  const owner = ask.sessionId === null ? await firstOwner(tx) : undefined
  const inserted = await tx
    .insertInto('asks')
    .values({
      id: idFor<AskId>(table, seedId),
      session_id: ask.sessionId,
      kind: ask.subject.kind,
      origin: 'chat',
      title: ask.title.slice(0, 1000),
      description: null,
      risk_level: 'low',
      claimed_risk: 'low',
      judged_risk: 'low',
      risk_reasons: '[]',
      status,
      subject: JSON.stringify(ask.subject),
      needed: 1,
      answer: answer === null ? null : JSON.stringify(answer),
      answered_by: answer === null ? null : 'system:import',
      answered_at: answer === null ? null : ask.createdAt,
      automatic: 0,
      answerers: owner === undefined ? null : JSON.stringify([owner]),
      reason: status === 'interrupted' ? 'imported from NanoClaw, where its agent no longer runs' : null,
      result: null,
      undone_at: null,
      applying_on: null,
      slack_ts: null,
      created_at: ask.createdAt,
      expires_at: ask.expiresAt,
      consumed_at: status === 'consumed' ? ask.createdAt : null,
    })
    .onConflict((conflict) => conflict.doNothing())
    .returning('id')
    .execute()
  tally.imported(table, inserted.length > 0)
}
