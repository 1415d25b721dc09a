import { randomUUID } from 'node:crypto'
import type { Prepare, Specs } from '../spec.ts'
import { aSession } from './sessions.ts'

export const repo =
  (which: 'repo' | 'closedRepo'): Prepare =>
  async (setup) => ({ id: setup[which].id, agentToken: '', marker: setup[which].id })

export const newRepo: Prepare = async (setup) => ({ id: '', agentToken: '', more: { path: await setup.newRepo() } })
export const registered: Prepare = async (setup) => {
  const { id } = await setup.owner.post<{ id: string }>('/api/repos', { path: await setup.newRepo() })
  return { id, agentToken: '' }
}

const ofTheGroup: Prepare = async (setup) => {
  const { id } = await registered(setup)
  const access = { everyone: false, users: [], agentGroups: [setup.group] }
  await setup.owner.send('PUT', `/api/repos/${id}/access`, { body: access })
  return { id, agentToken: '', marker: id }
}

/** An event that a follower could not handle. */
export const deadLetter: Prepare = async ({ look }) => {
  const [follower] = await look.rows<{ name: string; node_id: string }>('select name, node_id from followers')
  const [event] = await look.rows<Record<string, unknown>>("select * from events where type = 'user.created' limit 1")
  if (!follower || !event) throw new Error('there is no follower, or no event')
  const id = randomUUID()
  // Each follower has at most one dead letter per event.
  await look.change('delete from dead_letters')
  await look.change(
    `insert into dead_letters (id, follower, node_id, event_id, tx, seq, attempts, error, at) values (?, ?, ?, ?, ?, ?, 3, 'it failed', ?)`,
    id,
    follower.name,
    follower.node_id,
    event['id'],
    event['tx'] ?? 0,
    event['seq'],
    new Date().toISOString(),
  )
  return { id, agentToken: '', marker: id }
}

export const systemRequests: Specs = {
  'GET /api/repos': { on: repo('closedRepo') },
  'GET /api/repos/{id} ~ a closed repo': { on: repo('closedRepo') },
  'GET /api/repos/{id} ~ for everyone': { on: repo('repo') },
  'GET /api/repos/{id} ~ for members of the group': { on: ofTheGroup },
  'POST /api/repos': { on: newRepo, fresh: true, bodyOf: ({ more }) => ({ path: more?.['path'] }) },
  'POST /api/repos ~ a directory that is not there': { body: { path: '/nowhere/at/all' } },
  'POST /api/repos/scan': { fresh: true },
  'DELETE /api/repos/{id}': { on: registered, fresh: true },
  'PUT /api/repos/{id}/access': { on: registered, fresh: true, body: { everyone: false, users: [], agentGroups: [] } },
  'GET /api/audit': { on: aSession, query: ({ id }) => `?session=${id}` },
  'GET /api/audit/export': { on: aSession, query: ({ id }) => `?session=${id}` },
  'GET /api/events': { stream: true },
  'GET /api/status': {},
  'GET /api/status ~ where things lie on the machine': {
    on: async ({ server }) => ({ id: '', agentToken: '', marker: server.home }),
  },
  'GET /api/doctor': {},
  'GET /api/config': {},
  'GET /api/dead-letters': { on: deadLetter },
  'POST /api/dead-letters/{id}/retry': { on: deadLetter, fresh: true },
  'POST /api/stop': { body: { agents: 'end' }, last: true },
}
