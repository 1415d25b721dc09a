import { randomUUID } from 'node:crypto'
import type { Api } from '../support/api.ts'
import type { Server } from '../support/server.ts'
import type { LogEvent } from '../support/sse.ts'
import { until } from '../support/until.ts'
import type { Ask, Session, Token } from './shapes.ts'

/** Slots for as many sessions as a test needs. */
export const roomy = 'max_concurrent_sessions = 100000\n'

export const startSession = (api: Api, more: Record<string, unknown> = {}): Promise<Session> =>
  api.post<Session>('/api/sessions', { protocolMode: 'mcp', workspaceRoot: '/srv/place', ...more })

export const command = { kind: 'command', command: 'make all', cwd: '/srv/place' }

export const openAsk = (api: Api, session: { id: string }, more: Record<string, unknown> = {}): Promise<Ask> =>
  api.post<Ask>(`/api/sessions/${session.id}/asks`, { title: 'May I?', subject: command, ...more })

export const approve = { outcome: 'approve' }

export const newToken = (api: Api, more: Record<string, unknown> = {}): Promise<Token> =>
  api.post<Token>('/api/tokens', { name: 'a program', ...more })

/** An agent of the local owner, as it would connect to the server. */
export const newAgent = async (server: Server): Promise<Api> =>
  server.api((await newToken(server.api(), { name: 'an agent', scope: 'agent' })).token)

export const nobody = (): string => randomUUID()

/** The exported log, once it has everything done so far. */
export async function exportLog(api: Api, filter = ''): Promise<LogEvent[]> {
  const { events } = await api.get<{ events: LogEvent[] }>(`/api/audit?limit=1&${filter}`)
  const [newest] = events
  const lines = async () => (await api.send('GET', `/api/audit/export?${filter}`)).text.split('\n').filter(Boolean)
  return until(async () => {
    const log = (await lines()).map((line) => JSON.parse(line) as LogEvent)
    return log.some(({ id }) => id === newest?.id) || newest === undefined ? log : null
  })
}
