import type { Executor } from '../../db/open.ts'
import type { Usage } from '../agent/about.ts'
import type { UserId } from '../user/id.ts'
import type { SessionId } from './id.ts'
import type { ProtocolMode } from './schema.ts'
import type { SessionStatus } from './status.ts'
import { titleOf } from './title.ts'
import { isRecord, isTextList, jsonColumn } from '../../lib/parse-json.ts'

/** A session as lists show it: names instead of ids, the same for every viewer. */
export type SessionCard = {
  id: SessionId
  title: string
  /** The title for viewers who may not read the conversation. */
  plainTitle: string
  agent: string | null
  repoName: string | null
  workspaceRoot: string
  protocolMode: ProtocolMode
  status: SessionStatus
  ownerUserId: UserId
  ownerName: string
  usage: Usage | null
}

const aboutColumn = jsonColumn('agents.about', (value): value is { title?: string | null } => isRecord(value))
const stateColumn = jsonColumn('agents.state', (value): value is { usage?: Usage | null } => isRecord(value))
const commandColumn = jsonColumn('terminals.command', isTextList)

export async function sessionCards(
  db: Executor,
  ids: readonly SessionId[],
): Promise<ReadonlyMap<SessionId, SessionCard>> {
  if (ids.length === 0) return new Map()
  const rows = await db
    .selectFrom('sessions')
    .leftJoin('users', 'users.id', 'sessions.owner_user_id')
    .leftJoin('repos', 'repos.id', 'sessions.repo_id')
    .leftJoin('agents', 'agents.session_id', 'sessions.id')
    .leftJoin('terminals', 'terminals.session_id', 'sessions.id')
    .select([
      'sessions.id',
      'sessions.name',
      'sessions.prompt',
      'sessions.agent',
      'sessions.workspace_root as workspaceRoot',
      'sessions.protocol_mode as protocolMode',
      'sessions.status',
      'sessions.owner_user_id as ownerUserId',
      'users.display_name as ownerName',
      'repos.name as repoName',
      'agents.about',
      'agents.state',
      'terminals.name as terminalName',
      'terminals.command as terminalCommand',
    ])
    .where('sessions.id', 'in', ids)
    .execute()
  const cards = rows.map((row): SessionCard => {
    const { about, state, terminalName, terminalCommand, name, prompt, ownerName, ...rest } = row
    const told = aboutColumn(about) ?? {}
    const noted = stateColumn(state) ?? {}
    const command = commandColumn(terminalCommand)
    const { workspaceRoot } = rest
    const terminal = { name: terminalName, command }
    return Object.assign(rest, {
      title: titleOf({ name, agentTitle: told.title ?? null, prompt, terminal, workspaceRoot }),
      plainTitle: titleOf({ agentTitle: null, prompt: null, terminal: null, workspaceRoot }),
      ownerName: ownerName ?? '',
      usage: noted.usage ?? null,
    })
  })
  return new Map(cards.map((card) => [card.id, card]))
}

/** The number of open asks in each of these sessions; sessions without any are missing. */
export async function openAskCounts(db: Executor, ids: readonly SessionId[]): Promise<ReadonlyMap<SessionId, number>> {
  if (ids.length === 0) return new Map()
  const rows = await db
    .selectFrom('asks')
    .select((eb) => ['session_id', eb.fn.countAll<number>().as('n')])
    .where('status', '=', 'open')
    .where('session_id', 'in', ids)
    .groupBy('session_id')
    .execute()
  return new Map(rows.flatMap((row) => (row.session_id === null ? [] : [[row.session_id, row.n]])))
}
