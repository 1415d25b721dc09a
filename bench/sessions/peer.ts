// The peer: a bare Hono handler that runs Signalbox's statements for this page and returns the same JSON.
import { serve } from '@hono/node-server'
import Sqlite from 'better-sqlite3'
import { Hono } from 'hono'
import { answerCalls, settings } from '../lib/answer-calls.ts'
import type { Recorded } from '../lib/record.ts'

export type ListPeerSettings = { file: string; port: number; list: Recorded; total: Recorded }
type Row = Record<string, string | number | null>

const { file, port, list, total } = settings<ListPeerSettings>()
const connection = new Sqlite(file, { readonly: true })
connection.pragma('busy_timeout = 50')
connection.pragma('foreign_keys = ON')
connection.pragma('cache_size = -16000')
const listed = connection.prepare<unknown[], Row>(list.sql)
const totalled = connection.prepare<unknown[], { n: number }>(total.sql)
const limit = 20

const web = new Hono()
web.get('/api/sessions', (context) => {
  const rows = listed.all(...list.parameters)
  const n = totalled.all(...total.parameters)[0]?.n ?? 0
  const last = rows.at(-1)
  const next = last ? Buffer.from(`${last['created_at']} ${last['id']}`).toString('base64url') : null
  return context.json({ sessions: rows.map(session), total: n, limit, offset: 0, next })
})

const session = (row: Row) => ({
  id: row['id'],
  ownerUserId: row['owner_user_id'],
  protocolMode: row['protocol_mode'],
  status: row['status'],
  waiting: row['waiting'] !== 0,
  prompt: row['prompt'],
  mode: row['mode'],
  workspaceRoot: row['workspace_root'],
  workspaceClaimed: row['workspace_claimed'] !== 0,
  repoId: row['repo_id'],
  agent: row['agent'],
  agentProvider: row['agent_provider'],
  isolation: row['isolation'],
  agentGroupId: row['agent_group_id'],
  messagingGroupId: row['messaging_group_id'],
  threadId: row['thread_id'],
  channelId: row['channel_id'],
  threadTs: row['thread_ts'],
  connectivityStatus: row['connectivity_status'],
  containerStatus: row['container_status'],
  lastActivityAt: row['last_activity_at'],
  lastTool: row['last_tool'],
  nudgeCount: row['nudge_count'],
  stallPaused: row['stall_paused'] !== 0,
  stallPausedUntil: row['stall_paused_until'],
  progressSnapshot: row['progress_snapshot'] === null ? null : JSON.parse(String(row['progress_snapshot'])),
  restartOf: row['restart_of'],
  metadata: JSON.parse(String(row['metadata'])),
  createdAt: row['created_at'],
  updatedAt: row['updated_at'],
  terminatedAt: row['terminated_at'],
})

serve({ fetch: web.fetch, port, hostname: '127.0.0.1' }, () => answerCalls({}))
