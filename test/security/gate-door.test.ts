import { redeem } from '../conformance/people.ts'
import { request } from 'node:http'
import { stat } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { startServer, type Server } from '../support/server.ts'

type Answer = { status: number; code: string | undefined; text: string }

describe('the gate for agents with their own network', () => {
  let server: Server
  let agent: string
  let person: string
  beforeAll(async () => {
    server = await startServer()
    const token = async (scope: string) =>
      (await server.api().post<{ token: string }>('/api/tokens', { name: scope, scope })).token
    agent = await token('agent')
    person = await token('full')
  })
  afterAll(() => server?.[Symbol.asyncDispose]())

  const knock = (path: string, headers: Record<string, string> = {}, method = 'GET'): Promise<Answer> =>
    new Promise((resolve, reject) => {
      const socketPath = join(server.home, 'run', 'gate.sock')
      const sent = request({ socketPath, path, method, headers: { host: '127.0.0.1:1', ...headers } }, (response) => {
        let text = ''
        response.on('data', (piece) => (text += piece))
        response.on('end', () => {
          const code = /"code":\s*"(\w+)"/.exec(text)?.[1]
          resolve({ status: response.statusCode ?? 0, code, text })
        })
      })
      sent.on('error', reject).end()
    })
  const bearer = (token: string) => ({ authorization: `Bearer ${token}` })

  it('S4 accepts the token of an agent', async () => {
    expect((await knock('/api/sessions', bearer(agent))).status).toBe(200)
    expect((await stat(join(server.home, 'run', 'gate.sock'))).mode & 0o777).toBe(0o600)
  })

  it('S4 accepts nobody without a token: a connection is not the owner here', async () => {
    for (const path of ['/api/sessions', '/mcp', '/sse', '/messages', '/api/openapi.json', '/api/docs', '/api/stop'])
      expect(await knock(path), path).toMatchObject({ status: 401, code: 'not_signed_in' })
  })

  it('S4 accepts no login of a browser', async () => {
    const login = await redeem(server, server.loginLink)
    expect(login.cookie).toMatch(/^signalbox/)
    const answer = await knock('/api/sessions', { ...login, origin: 'http://127.0.0.1:1' })
    expect(answer).toMatchObject({ status: 401, code: 'not_signed_in' })
  })

  it('S4 accepts no token of a person, and no invalid one', async () => {
    expect(await knock('/api/sessions', bearer(person))).toMatchObject({ status: 403, code: 'agents_only' })
    expect(await knock('/mcp', bearer(person), 'POST')).toMatchObject({ status: 403, code: 'agents_only' })
    expect(await knock('/api/sessions', bearer('sbx_wrong'))).toMatchObject({ status: 401, code: 'token_not_valid' })
  })

  it('S4 has no pages, logins or metrics for anyone', async () => {
    for (const path of [
      '/',
      '/login',
      '/login?code=x',
      '/logout',
      '/metrics',
      '/healthz',
      '/readyz',
      '/inbox',
      '/api/',
    ])
      expect(await knock(path, bearer(agent)), path).toMatchObject({ status: 404, code: 'no_such_address' })
    expect((await knock('/.well-known/oauth-protected-resource', bearer(agent))).status).toBe(404)
  })

  it('S4 accepts no other host name and no other origin', async () => {
    const named = await knock('/api/sessions', { ...bearer(agent), host: 'evil.example' })
    expect(named).toMatchObject({ status: 403, code: 'host_not_allowed' })
    const page = await knock('/api/sessions', { ...bearer(agent), origin: 'http://evil.example' })
    expect(page).toMatchObject({ status: 403, code: 'origin_not_allowed' })
  })
})
