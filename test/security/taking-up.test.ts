import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { newPerson, type Person } from '../conformance/people.ts'
import type { Session } from '../conformance/shapes.ts'
import { newToken, roomy } from '../conformance/work.ts'
import { startServer, type Server } from '../support/server.ts'
import { openTestDirectories, type TestDirectories, type Repo } from './test-directories.ts'
import { callTool } from './matrix/tool-call.ts'

describe('an interrupted session, and the other tokens of its person', () => {
  let server: Server
  let directories: TestDirectories
  let repo: Repo
  let ann: Person
  beforeAll(async () => {
    directories = await openTestDirectories()
    const place = JSON.stringify(await directories.directory('shop'))
    server = await startServer({ config: `workspace_root = ${place}\n${roomy}` })
    repo = await directories.repo(server.api(), 'shop')
    ann = await newPerson(server, 'Ann')
  })
  afterAll(async () => {
    await server?.[Symbol.asyncDispose]()
    await directories?.[Symbol.asyncDispose]()
  })

  const agent = async (sessionId?: string) => {
    const made = await newToken(ann.api, { name: 'agent', scope: 'agent', ...(sessionId && { sessionId }) })
    return { ...made, api: server.api(made.token) }
  }
  const body = () => ({ protocolMode: 'mcp', repoId: repo.id })
  const recover = async (token: string, input: Record<string, unknown> = {}) => {
    const { answer } = await callTool({ server }, { authorization: `Bearer ${token}` }, 'recover_state', input)
    const { status, session_id, error_code } = answer.result?.structuredContent ?? {}
    return [status, session_id ?? error_code]
  }
  /** A session that a token without a session started and lost, with work left. */
  const lost = async () => {
    const owner = await agent()
    const { id } = await owner.api.post<Session>('/api/sessions', body())
    await ann.api.post(`/api/sessions/${id}/prompt`, { text: 'what Ann said' })
    await owner.api.post(`/api/sessions/${id}/interrupt`, {})
    return { id, owner }
  }
  const status = async (id: string) => (await ann.api.get<Session>(`/api/sessions/${id}`)).status

  it('R13 is resumed by another token that belongs to no session', async () => {
    const { id } = await lost()
    const other = await agent()
    expect(await recover(other.token)).toEqual(['recovered', id])
    expect(await status(id)).toBe('active')
  })

  it('R13 is not resumed by a token of another session, named or not', async () => {
    const { id } = await lost()
    const { id: mine } = await ann.api.post<Session>('/api/sessions', body())
    const bound = await agent(mine)
    expect(await recover(bound.token)).toEqual(['clean', undefined])
    expect(await recover(bound.token, { session_id: id })).toEqual(['error', 'session_not_yours'])
    expect(await status(id)).toBe('interrupted')
    await ann.api.post(`/api/sessions/${id}/terminate`, {})
  })

  it('R13 is left to its own token while that one is valid', async () => {
    const { id } = await ann.api.post<Session>('/api/sessions', body())
    const own = await agent(id)
    await ann.api.post(`/api/sessions/${id}/prompt`, { text: 'what Ann said' })
    await own.api.post(`/api/sessions/${id}/interrupt`, {})
    const other = await agent()
    expect(await recover(other.token)).toEqual(['clean', undefined])
    expect(await recover(other.token, { session_id: id })).toEqual(['error', 'session_not_yours'])
    expect(await recover(ann.token, { session_id: id })).toEqual(['error', 'session_not_yours'])
    expect(await status(id)).toBe('interrupted')
    expect(await recover(own.token)).toEqual(['recovered', id])
    await own.api.post(`/api/sessions/${id}/interrupt`, {})
    await ann.api.delete(`/api/tokens/${own.id}`)
    expect(await recover(other.token)).toEqual(['recovered', id])
  })

  it('R13 is not resumed by an agent of another person', async () => {
    const { id } = await lost()
    const eve = await newPerson(server, 'Eve')
    const { token } = await newToken(eve.api, { name: 'agent', scope: 'agent' })
    expect(await recover(token)).toEqual(['clean', undefined])
    expect(await recover(token, { session_id: id })).toEqual(['error', 'session_not_yours'])
    expect(await status(id)).toBe('interrupted')
  })
})
