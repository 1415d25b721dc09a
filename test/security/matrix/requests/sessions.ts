import { randomUUID } from 'node:crypto'
import { approve, command } from '../../../conformance/work.ts'
import type { MatrixSetup } from '../setup.ts'
import type { Prepare, Prepared, Spec, Specs } from '../spec.ts'

export const aSession: Prepare = async (setup) => {
  const subject = await setup.session()
  return { ...subject, marker: subject.id }
}
const of = (subject: Prepared): Prepared => ({ ...subject, marker: subject.id })
/** Awake, also after a request that put it to sleep. */
export const awake: Prepare = async (setup) => {
  await setup.persons.self.api.post(`/api/sessions/${setup.hosted.id}/wake`, {})
  return setup.hosted
}
const hosted: Prepare = async (setup) => of(await awake(setup))

/** A session of an agent, to be ended. */
export const newHosted: Prepare = async (setup) => {
  const { api } = setup.persons.self
  const { id } = await api.post<{ id: string }>('/api/sessions', { ...practice, repoId: setup.repo.id })
  return of(await setup.share(id))
}

/** A file that its person sent. */
const withAttachment: Prepare = async (setup) => {
  const subject = await awake(setup)
  const marker = `plank${randomUUID().slice(0, 8)}`
  const { api } = setup.persons.self
  const file = { name: 'a.txt', mimeType: 'text/plain', data: Buffer.from(marker).toString('base64') }
  const { id } = await api.post<{ id: string }>('/api/attachments', file)
  await api.post(`/api/sessions/${subject.id}/prompt`, { text: '/say Seen.', attachments: [id] })
  return { ...subject, marker, params: { attachmentId: id } }
}

/** A message of an agent, to search for. */
export const withWords: Prepare = async (setup) => {
  const subject = await setup.session()
  const words = `plank${randomUUID().slice(0, 8)}`
  const content = { type: 'text', text: `The ${words} is loose.` }
  const { self } = setup.persons
  await self.api.post(`/api/sessions/${subject.id}/messages`, { role: 'agent', content })
  return { ...subject, marker: words, more: { words } }
}

export const moved =
  (verb: string, as: 'self' | 'agnt' = 'self'): Prepare =>
  async (setup) => {
    const subject = await setup.session()
    await setup.api(as, subject).post(`/api/sessions/${subject.id}/${verb}`, {})
    return of(subject)
  }

export const withItem: Prepare = async (setup) => {
  const subject = await setup.session()
  const { self } = setup.persons
  const { id } = await self.api.post<{ id: string }>(`/api/sessions/${subject.id}/prompt`, { text: 'Go on' })
  return { ...subject, marker: id, params: { itemId: id } }
}

export const withAsk: Prepare = async (setup) => {
  const subject = await setup.session()
  const { id } = await openAsk(setup, subject)
  return { id, agentToken: subject.agentToken, marker: id, more: { sessionId: subject.id } }
}

/** Its command was allowed for the whole session. */
const withAllowance: Prepare = async (setup) => {
  const subject = await setup.session()
  const { id } = await openAsk(setup, subject)
  await setup.persons.self.api.post(`/api/asks/${id}/answer`, { ...approve, forSession: true })
  return { ...subject, more: { allowanceId: id } }
}

/** With a line of what happened while it was carried out. */
export const withLoggedAsk: Prepare = async (setup) => {
  const ask = await withAsk(setup)
  const line = 'insert into ask_log (ask_id, seq, at, text) values (?, ?, ?, ?)'
  await setup.look.change(line, ask.id, 1, '2026-01-01T00:00:00.000Z', `built ${ask.id}`)
  return ask
}

export const openAsk = (setup: MatrixSetup, subject: Prepared) =>
  setup
    .api('agnt', subject)
    .post<{ id: string }>(`/api/sessions/${subject.id}/asks`, { title: 'May I?', subject: command })

const acts: Spec = { on: aSession, fresh: true, body: {} }
const practice = { agent: 'practice', protocolMode: 'acp' }
const inRepo = (setup: MatrixSetup) => ({ repoId: setup.repo.id })
const start = (body: (setup: MatrixSetup) => Record<string, unknown>): Spec => ({
  fresh: true,
  bodyOf: (_subject, setup) => body(setup),
})

export const sessionRequests: Specs = {
  'GET /api/sessions': { on: aSession, query: ({ id }) => `?q=${id}` },
  'POST /api/sessions ~ mcp in a repo': start((setup) => ({ protocolMode: 'mcp', ...inRepo(setup) })),
  'POST /api/sessions ~ mcp in a repo for others': start((setup) => ({
    protocolMode: 'mcp',
    repoId: setup.closedRepo.id,
  })),
  'POST /api/sessions ~ mcp in any directory': start((setup) => ({
    protocolMode: 'mcp',
    workspaceRoot: setup.free,
  })),
  'POST /api/sessions ~ acp in a repo': start((setup) => ({ ...practice, ...inRepo(setup) })),
  'POST /api/sessions ~ acp in any directory': start((setup) => ({ ...practice, workspaceRoot: setup.free })),
  'POST /api/sessions ~ acp, not confined': start((setup) => ({
    ...practice,
    ...inRepo(setup),
    isolation: 'none',
  })),
  'GET /api/sessions/{id}': { on: aSession },
  'GET /api/sessions/{id}/messages': { on: withWords },
  'GET /api/sessions/{id}/conversation': { on: withWords },
  'GET /api/sessions/{id}/files': { on: async (setup) => setup.session() },
  'POST /api/sessions/{id}/messages ~ as the person': {
    ...acts,
    body: { role: 'user', content: { type: 'text', text: 'hello' } },
  },
  'POST /api/sessions/{id}/messages ~ as the agent': {
    ...acts,
    body: { role: 'agent', content: { type: 'text', text: 'hello' } },
  },
  'DELETE /api/sessions/{id}': { on: aSession, fresh: true },
  'POST /api/sessions/{id}/pause': acts,
  'POST /api/sessions/{id}/resume': { ...acts, on: moved('pause') },
  'POST /api/sessions/{id}/complete': acts,
  'POST /api/sessions/{id}/interrupt': acts,
  'POST /api/sessions/{id}/recover': { ...acts, on: moved('interrupt', 'agnt') },
  'POST /api/sessions/{id}/fail': acts,
  'POST /api/sessions/{id}/terminate': acts,
  'POST /api/sessions/{id}/restart': { ...acts, on: moved('terminate') },
  'POST /api/sessions/{id}/operational-mode': { ...acts, body: { mode: 'local' } },
  'POST /api/sessions/{id}/queue/take': { ...acts, on: withItem },
  'POST /api/sessions/{id}/prompt': { ...acts, body: { text: 'Go on' } },
  'GET /api/sessions/{id}/queue': { on: withItem },
  'PATCH /api/sessions/{id}/queue/{itemId}': { on: withItem, fresh: true, body: { text: 'Stop' } },
  'POST /api/attachments': { fresh: true, body: { name: 'a.txt', mimeType: 'text/plain', data: 'aGk=' } },
  'GET /api/sessions/{id}/attachments/{attachmentId}': { on: withAttachment },
  'DELETE /api/sessions/{id}/queue/{itemId}': { on: withItem, fresh: true },
  'POST /api/sessions/{id}/turn/cancel': { on: hosted },
  'POST /api/sessions/{id}/mode': { on: hosted, body: { modeId: 'quick' } },
  'POST /api/sessions/{id}/options': { on: hosted, body: { optionId: 'speed', value: 'fast' } },
  'GET /api/sessions/{id}/export': { on: withWords },
  'POST /api/sessions/{id}/restart-agent': { on: hosted, body: {} },
  'POST /api/sessions/{id}/wake': { on: hosted, body: {} },
  'POST /api/sessions/{id}/sleep': { on: hosted, body: {} },
  'GET /api/sessions/{id}/agent-lives': { on: async (setup) => setup.hosted },
  'GET /api/sessions/{id}/stderr': { on: async (setup) => setup.hosted },
  'GET /api/sessions/{id}/diagnosis': { on: async (setup) => setup.session() },
  'GET /api/messages': { on: withWords, query: ({ more }) => `?q=${String(more?.['words'])}` },
  'POST /api/sessions/{id}/handover': { on: newHosted, fresh: true, body: { agent: 'practice' } },
  'POST /api/sessions/{id}/fork': { on: hosted, body: {} },
  'GET /api/sessions/{id}/conversations': { on: awake },
  'POST /api/sessions/{id}/heartbeat': acts,
  'PUT /api/sessions/{id}/delegates/{userId}': {
    on: aSession,
    fresh: true,
    paramsOf: (_subject, setup) => ({ userId: setup.persons.strn.id }),
  },
  'DELETE /api/sessions/{id}/delegates/{userId}': {
    on: aSession,
    fresh: true,
    paramsOf: (_subject, setup) => ({ userId: setup.persons.dlg.id }),
  },
  'GET /api/sessions/{id}/allowances': { on: async (setup) => setup.session() },
  'DELETE /api/sessions/{id}/allowances/{allowanceId}': {
    on: withAllowance,
    fresh: true,
    paramsOf: ({ more }) => ({ allowanceId: String(more?.['allowanceId']) }),
  },
  'POST /api/sessions/{id}/name': { ...acts, body: { name: 'The gate' } },
  'POST /api/sessions/{id}/pin': { ...acts, body: { pinned: true } },
  'POST /api/sessions/{id}/archive': { ...acts, on: moved('terminate'), body: { archived: true } },
  'POST /api/sessions/{id}/stall': { ...acts, body: { paused: true } },
  'POST /api/practice': { fresh: true, body: {} },
  'GET /api/agents': {},
  'GET /api/agents ~ each is started and asked': { query: '?probe=true' },
  // The practice agent offers no method, which only those who may sign it in learn.
  'POST /api/agents/{name}/sign-in': { paramsOf: () => ({ name: 'practice' }), body: { methodId: 'none' } },
  'GET /api/mcp-clients': {},
  'POST /api/mcp-clients/{client}/connect': { paramsOf: () => ({ client: 'cursor' }), body: {} },
  'POST /api/mcp-clients/{client}/disconnect': { paramsOf: () => ({ client: 'cursor' }), body: {} },

  'GET /api/asks': { on: withAsk, query: ({ more }) => `?sessionId=${String(more?.['sessionId'])}` },
  'GET /api/asks/{id}': { on: withAsk },
  'GET /api/asks/{id}/log': { on: withLoggedAsk },
  'POST /api/asks/{id}/answer': { on: withAsk, fresh: true, body: approve },
  'POST /api/asks/{id}/cancel': { on: withAsk, fresh: true, body: {} },
  'POST /api/sessions/{id}/asks': { ...acts, body: { title: 'May I?', subject: command } },
  'POST /api/sessions/{id}/asks ~ a command that names who approves it': {
    ...acts,
    bodyOf: (_subject, setup) => ({ title: 'May I?', subject: command, answerers: [setup.persons.strn.id] }),
  },
  'GET /api/inbox': { on: withAsk },
  'GET /api/names': {},
}
