import { randomUUID } from 'node:crypto'
import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { MatrixSetup } from '../setup.ts'
import type { Prepare, Prepared, Specs } from '../spec.ts'
import { callTool } from '../tool-call.ts'
import { aSession, openAsk, withAsk } from './sessions.ts'

const now = () => new Date().toISOString()

export const withCheckpoint: Prepare = async (setup) => {
  const { id: sessionId, agentToken } = await setup.session()
  const { id } = await setup.persons.self.api.post<{ id: string }>(`/api/sessions/${sessionId}/checkpoints`, {})
  return { id, agentToken, marker: id, more: { sessionId } }
}

/** A session with something to commit. */
export const withFile: Prepare = async (setup) => {
  const { id, agentToken } = await setup.session()
  await writeFile(join(setup.repo.path, `${randomUUID()}.txt`), 'new\n')
  return { id, agentToken }
}

export const withAlert: Prepare = async (setup) => {
  const { id: sessionId, agentToken } = await setup.session()
  const id = randomUUID()
  const insert = `insert into stall_alerts (id, session_id, cause, last_activity_at, idle_seconds, nudge_count, status, created_at)
    values (?, ?, 'silent', ?, 60, 0, 'pending', ?)`
  await setup.look.change(insert, id, sessionId, now(), now())
  return { id, agentToken, marker: id, more: { sessionId } }
}

/** An approved change that is not used yet. */
export const withApproval: Prepare = async (setup) => {
  const subject = await setup.session()
  return { id: await approvedIn(setup, subject), agentToken: subject.agentToken }
}

async function approvedIn(setup: MatrixSetup, subject: Prepared): Promise<string> {
  const path = `${randomUUID()}.txt`
  const diff = `--- /dev/null\n+++ b/${path}\n@@ -0,0 +1 @@\n+mended\n`
  const asked = await callTool(setup, setup.headers('agnt', subject), 'ask_approval', {
    title: 'Mend it',
    diff,
    file_path: path,
    risk_level: 'low',
  })
  const id = String(asked.answer.result?.structuredContent?.['request_id'])
  await setup.persons.self.api.post(`/api/asks/${id}/answer`, { outcome: 'approve' })
  return id
}

/** An approved change that was applied. */
export const withChange: Prepare = async (setup) => {
  const subject = await setup.session()
  const id = await approvedIn(setup, subject)
  const applied = await callTool(setup, setup.headers('agnt', subject), 'accept_diff', { request_id: id })
  if (applied.answer.result?.isError !== false && applied.answer.result?.structuredContent?.['status'] !== 'applied')
    throw new Error(`accept_diff: ${applied.reply.text}`)
  return { id, agentToken: subject.agentToken }
}

/** Letters only: patterns ignore numbers. */
const word = () => randomUUID().replace(/[\d-]/g, (sign) => 'ghijklmnopq'['0123456789-'.indexOf(sign)] ?? '')

/** A question that `self` answered before, and an answer to it that could be typed automatically. */
export const withPattern: Prepare = async (setup) => {
  const name = word()
  const text = `Paint the ${name}?`
  const at = now()
  const responses = { green: { count: 5, success_count: 5 } }
  const patterns = [{ prompt_text: text, responses, total_occurrences: 5, last_seen: at, created_at: at }]
  const { self } = setup.persons
  await self.api.post('/api/patterns/import', { patterns })
  const found = await self.api.get<{ patterns: { id: string; promptText: string }[] }>('/api/patterns?limit=500')
  const pattern = found.patterns.find(({ promptText }) => promptText.includes(name))
  if (!pattern) throw new Error('the pattern was not kept')
  const { agentToken } = await setup.session()
  return { id: pattern.id, agentToken, marker: pattern.id, more: { text } }
}

export const marked =
  (marker: (subject: Prepared) => string, prepare: Prepare): Prepare =>
  async (setup) => {
    const subject = await prepare(setup)
    return { ...subject, marker: marker(subject) }
  }

export const proposal =
  (status: 'proposed' | 'confirmed'): Prepare =>
  async (setup) => {
    const pattern = await withPattern(setup)
    const id = randomUUID()
    const insert = `insert into pattern_rules (id, pattern_id, response, status, evidence, created_at) values (?, ?, 'green', ?, 5, ?)`
    await setup.look.change(insert, id, pattern.id, status, now())
    return { id, agentToken: pattern.agentToken, marker: id }
  }

const withInput: Prepare = async (setup) => {
  const { terminal } = setup
  const id = randomUUID()
  const insert = `insert into input_events (id, session_id, at, prompt_text, prompt_type, input_text, success, input_source, response_time_ms, user_id, secret, witnessed)
    values (?, ?, ?, 'Paint it?', 'unknown', 'green', 1, 'user_typed', 5, ?, 0, 1)`
  await setup.look.change(insert, id, terminal.id, now(), setup.persons.self.id)
  return { ...terminal, marker: id }
}

/** A session of `self` with an ask, in its own repo. */
const inQuietRepo: Prepare = async (setup) => {
  const repo = await setup.owner.post<{ id: string; path: string }>('/api/repos', { path: await setup.newRepo() })
  const subject = await setup.session(repo.id)
  await openAsk(setup, subject)
  return { ...subject, more: { path: repo.path } }
}

/** A rule for that repo. */
export const rule =
  (status: 'proposed' | 'confirmed'): Prepare =>
  async (setup) => {
    const { agentToken, more } = await inQuietRepo(setup)
    const id = randomUUID()
    const insert = `insert into policy_rules (id, workspace_root, rule_kind, pattern, status, evidence, proposed_by, created_at)
      values (?, ?, 'command', ?, ?, 1, 'user:x', ?)`
    await setup.look.change(insert, id, more?.['path'], `make ${id}`, status, now())
    return { id, agentToken, marker: id }
  }

export const unmarked =
  (prepare: Prepare): Prepare =>
  async (setup) => {
    const { marker: _, ...subject } = await prepare(setup)
    return subject
  }

const policyHash: Prepare = async (setup) => {
  const place = `/api/policy?workspaceRoot=${encodeURIComponent(setup.repo.path)}`
  const { hash } = await setup.owner.get<{ hash: string | null }>(place)
  return { ...(await setup.session()), more: { hash } }
}

export const aDirectory: Prepare = async (setup) => ({
  id: '',
  agentToken: '',
  more: { workspaceRoot: await setup.directory() },
})
export const trusted: Prepare = async (setup) => {
  const place = await aDirectory(setup)
  await setup.owner.post('/api/policy/trust', place.more)
  return place
}

/** A policy that grew wider while an agent was running. */
export const widened: Prepare = async (setup) => {
  const { agentToken, more } = await inQuietRepo(setup)
  const path = String(more?.['path'])
  await mkdir(join(path, '.signalbox'))
  const wider = { enabled: true, file_patterns: { write: ['**'] } }
  await writeFile(join(path, '.signalbox', 'settings.json'), JSON.stringify(wider))
  const inForce = `/api/policy?workspaceRoot=${encodeURIComponent(path)}`
  const { pending } = await setup.owner.get<{ pending: { hash: string } | null }>(inForce)
  if (!pending) throw new Error('the policy does not wait')
  return { id: '', agentToken, more: { path, hash: pending.hash } }
}

const settings = (setup: MatrixSetup) => ({ sessionId: setup.hosted.id })

const budget =
  (target: (setup: MatrixSetup) => object): Prepare =>
  async (setup) => {
    const body = { ...target(setup), costUsd: 1000 }
    const { id } = (await setup.owner.send('PUT', '/api/budgets', { body })).body as { id: string }
    return { id, agentToken: '', marker: id }
  }
export const ownBudget = budget(({ persons }) => ({ scope: 'person', userId: persons.self.id }))

export const workRequests: Specs = {
  'GET /api/checkpoints': { on: withCheckpoint },
  'GET /api/checkpoints/{id}': { on: withCheckpoint },
  'GET /api/checkpoints/{id}/files': { on: marked(() => '"files":', withCheckpoint) },
  'GET /api/sessions/{id}/checkpoints': {
    on: async (setup) => {
      const { id, agentToken, more } = await withCheckpoint(setup)
      return { id: String(more?.['sessionId']), agentToken, marker: id }
    },
  },
  'POST /api/sessions/{id}/checkpoints ~ of a repo': { on: aSession, fresh: true, body: {} },
  'POST /api/sessions/{id}/checkpoints ~ of any directory': { on: async (setup) => setup.freeSession, body: {} },
  'POST /api/checkpoints/{id}/restore ~ only what differs': { on: withCheckpoint, body: {} },
  'POST /api/checkpoints/{id}/restore ~ confirmed': { on: withCheckpoint, fresh: true, body: { confirm: true } },
  'POST /api/asks/{id}/retract': { on: withApproval, fresh: true, body: {} },
  'GET /api/sessions/{id}/workspace-files': { on: async (setup) => setup.session() },
  'GET /api/sessions/{id}/change': { on: async (setup) => setup.session() },
  'POST /api/sessions/{id}/commit': { on: withFile, fresh: true, body: {} },
  'POST /api/sessions/{id}/merge': { on: async (setup) => setup.session(), body: {} },
  'POST /api/sessions/{id}/pull-request/plan': { on: async (setup) => setup.session(), body: {} },
  'POST /api/sessions/{id}/pull-request': {
    on: async (setup) => setup.session(),
    body: { commit: '0'.repeat(40), address: 'https://github.com/acme/shop' },
  },
  'POST /api/sessions/{id}/worktree/remove': { on: async (setup) => setup.session(), body: {} },
  'GET /api/worktrees': {},
  'POST /api/asks/{id}/undo': { on: withChange, fresh: true, body: {} },
  'GET /api/commands': {},
  'POST /api/sessions/{id}/run ~ of one without the role machine': {
    on: aSession,
    fresh: true,
    body: { alias: 'mark' },
  },
  'POST /api/sessions/{id}/run ~ of one with the role machine': {
    on: async (setup) => setup.machineSession,
    body: { alias: 'mark' },
  },
  'GET /api/alerts': { on: withAlert, query: ({ more }) => `?sessionId=${String(more?.['sessionId'])}` },
  'GET /api/alerts/stats': {
    on: marked(() => '"total":1', withAlert),
    query: ({ more }) => `?sessionId=${String(more?.['sessionId'])}`,
  },
  'GET /api/alerts/{id}': { on: withAlert },
  'POST /api/alerts/{id}/nudge': { on: withAlert, fresh: true, body: {} },
  'POST /api/alerts/{id}/dismiss': { on: withAlert, fresh: true, body: {} },
  'GET /api/overview': { query: '?by=person' },
  'GET /api/budgets ~ of a closed repo': { on: budget(({ closedRepo }) => ({ scope: 'repo', repoId: closedRepo.id })) },
  'GET /api/budgets ~ of a person': { on: ownBudget },
  'PUT /api/budgets': {
    fresh: true,
    bodyOf: (_subject, { closedRepo }) => ({ scope: 'repo', repoId: closedRepo.id, costUsd: 1000 }),
  },
  'DELETE /api/budgets/{id}': { on: ownBudget, fresh: true },
  'GET /api/catch-up ~ everything': { on: withAsk, query: '?tokenBudget=100000&since=2020-01-01T00:00:00.000Z' },
  'GET /api/catch-up ~ of a session': {
    on: withAsk,
    query: ({ more }) => `?since=2020-01-01T00:00:00.000Z&sessionId=${String(more?.['sessionId'])}`,
  },
  'GET /api/patterns': { on: withPattern, query: '?limit=500' },
  'GET /api/patterns/export': { on: withPattern },
  'GET /api/patterns/{id}': { on: withPattern },
  'DELETE /api/patterns/{id}': { on: withPattern, fresh: true },
  'POST /api/patterns/import': { on: unmarked(withPattern), fresh: true, body: { patterns: [] } },
  'POST /api/patterns/infer': { body: { promptText: 'Paint the fence?' } },
  'POST /api/patterns/infer ~ in a session': {
    on: aSession,
    bodyOf: ({ id }) => ({ promptText: 'Paint the fence?', sessionId: id }),
  },
  'GET /api/patterns/proposals': { on: proposal('proposed') },
  'POST /api/patterns/proposals/{id}/confirm': { on: proposal('proposed'), fresh: true },
  'POST /api/patterns/proposals/{id}/dismiss': { on: proposal('proposed'), fresh: true },
  'POST /api/patterns/proposals/{id}/revoke': { on: proposal('confirmed'), fresh: true },
  'GET /api/inputs': { on: withInput },
  'GET /api/sessions/{id}/inputs': { on: withInput },
  'GET /api/sessions/{id}/inputs/export': { on: withInput },
  'GET /api/policy ~ of a session': { on: unmarked(aSession), query: ({ id }) => `?sessionId=${id}` },
  'GET /api/policy ~ of a directory': {
    on: inQuietRepo,
    query: ({ more }) => `?workspaceRoot=${encodeURIComponent(String(more?.['path']))}`,
  },
  'PUT /api/policy': {
    on: policyHash,
    fresh: true,
    bodyOf: ({ more }, setup) => ({ ...settings(setup), settings: '{}', expected: more?.['hash'] }),
  },
  'POST /api/policy/test': { on: unmarked(aSession), bodyOf: ({ id }) => ({ sessionId: id }) },
  'GET /api/policy/trusted': {},
  'POST /api/policy/trust': { on: aDirectory, fresh: true, bodyOf: ({ more }) => more },
  'POST /api/policy/untrust': { on: trusted, fresh: true, bodyOf: ({ more }) => more },
  'POST /api/policy/confirm': {
    on: widened,
    fresh: true,
    bodyOf: ({ more }) => ({ workspaceRoot: more?.['path'], hash: more?.['hash'] }),
  },
  'POST /api/policy/rules': {
    on: aDirectory,
    fresh: true,
    bodyOf: ({ more }) => ({ ...more, rule: { kind: 'command', pattern: 'make lint' } }),
  },
  'GET /api/policy/rules': { on: rule('proposed') },
  'POST /api/policy/rules/{id}/confirm': { on: rule('proposed'), fresh: true },
  'POST /api/policy/rules/{id}/dismiss': { on: rule('proposed'), fresh: true },
  'POST /api/policy/rules/{id}/revoke': { on: rule('confirmed'), fresh: true },
}
