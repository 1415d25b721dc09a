import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { Api } from '../support/api.ts'
import { startServer, type Server } from '../support/server.ts'
import { misfits, type Schema } from './json-schema.ts'
import { redeem } from './people.ts'
import { newAgent, newToken, nobody, openAsk, startSession } from './work.ts'

type Parameter = { name: string; in: string; required?: boolean; schema: Schema }
type Operation = {
  operationId: string
  summary: string
  parameters: Parameter[]
  requestBody?: { content: Record<string, { schema: Schema }> }
  responses: Record<string, { description?: string; content?: Record<string, { schema: Schema }>; $ref?: string }>
}
type Shape = { $ref?: string; type?: string; properties?: object }
type Document = {
  openapi: string
  info: { title: string; version: string }
  paths: Record<string, Record<string, Operation>>
  components: { schemas: Record<string, Schema>; securitySchemes: Record<string, Record<string, string>> }
}

describe('the API description', () => {
  let server: Server
  let owner: Api
  let document: Document
  beforeAll(async () => {
    server = await startServer()
    owner = server.api()
    document = await server.tcp().get<Document>('/api/openapi.json')
  })
  afterAll(() => server?.[Symbol.asyncDispose]())

  const operations = () =>
    Object.entries(document.paths).flatMap(([path, methods]) =>
      Object.entries(methods).map(([method, operation]) => ({ path, method, operation })),
    )

  function resolve(ref: string): Schema {
    const found = ref
      .replace(/^#\//, '')
      .split('/')
      .reduce<unknown>(
        (at, name) => (at as Schema | undefined)?.[name.replaceAll('~1', '/').replaceAll('~0', '~')],
        document,
      )
    if (found === undefined) throw new Error(`${ref} leads nowhere`)
    return found as Schema
  }

  const refsIn = (value: unknown): string[] =>
    typeof value !== 'object' || value === null
      ? []
      : Object.entries(value).flatMap(([name, part]) => (name === '$ref' ? [String(part)] : refsIn(part)))

  it('B11 is OpenAPI 3.1 with a title and the running version', async () => {
    const { version } = await owner.get<{ version: string }>('/api/status')
    expect(document).toMatchObject({ openapi: expect.stringMatching(/^3\.1\./), info: { title: 'Signalbox', version } })
  })

  it('B11 every reference resolves within the document', () => {
    const refs = [...new Set(refsIn(document))]
    expect(refs.length).toBeGreaterThan(5)
    for (const ref of refs) expect([ref, ref.startsWith('#/'), typeof resolve(ref)]).toEqual([ref, true, 'object'])
  })

  it('B11 every operation has its own id, a summary, a success and the one error shape', () => {
    const ids = operations().map(({ operation }) => operation.operationId)
    expect(ids.length).toBeGreaterThan(40)
    expect(new Set(ids).size).toBe(ids.length)
    for (const { path, method, operation } of operations()) {
      const where = `${method} ${path}`
      expect([where, operation.operationId]).toEqual([where, expect.stringMatching(/^[a-z]\w*$/i)])
      expect([where, operation.summary]).toEqual([where, expect.stringMatching(/\w/)])
      const codes = Object.keys(operation.responses)
      expect([where, codes.filter((code) => /^2\d\d$/.test(code))]).toEqual([where, [expect.any(String)]])
      expect([where, codes]).toEqual([where, expect.arrayContaining(['default'])])
      for (const [code, response] of Object.entries(operation.responses))
        expect([where, code, response.$ref ?? response.description]).toEqual([where, code, expect.any(String)])
    }
  })

  it('B11 path parameters are exactly those of the path, required, and each parameter has a schema', () => {
    for (const { path, method, operation } of operations()) {
      const inPath = [...path.matchAll(/\{(\w+)\}/g)].map(([, name]) => String(name))
      const declared = operation.parameters.filter((parameter) => parameter.in === 'path')
      expect([method, path, declared.map(({ name }) => name).toSorted()]).toEqual([method, path, inPath.toSorted()])
      for (const parameter of declared) expect(parameter.required).toBe(true)
      for (const parameter of operation.parameters) {
        expect(['path', 'query', 'header', 'cookie']).toContain(parameter.in)
        expect([path, parameter.name, typeof parameter.schema]).toEqual([path, parameter.name, 'object'])
      }
    }
  })

  it('B11 every described address exists, and requires a login', async () => {
    for (const { path, method } of operations()) {
      const real = path
        .replace(/\{identity\}/, 'tg:1')
        .replace(/\{role\}/, 'admin')
        .replaceAll(/\{\w+\}/g, nobody())
      const { status } = await server.tcp().send(method.toUpperCase(), real, method === 'post' ? { body: {} } : {})
      expect([method, path, status]).toEqual([method, path, 401])
    }
  })

  it('B11 the cookie and the key it names are those of a login', async () => {
    const { url } = await owner.post<{ url: string }>('/api/login-links')
    const { cookie } = await redeem(server, url)
    expect(document.components.securitySchemes['cookie']?.['name']).toBe(cookie.split('=')[0])
    expect(document.components.securitySchemes['key']?.['name']).toBe('x-signalbox-key')
  })

  it('B11 responses match the description', async () => {
    const agent = await newAgent(server)
    const session = await startSession(agent, { prompt: 'Dig', metadata: { a: [1, null, 'x'] } })
    const ask = await openAsk(agent, session)
    await owner.post(`/api/asks/${ask.id}/answer`, { outcome: 'reject', reason: 'no' })
    await agent.post(`/api/sessions/${session.id}/messages`, {
      role: 'agent',
      content: { type: 'plan', steps: [{ a: 1 }] },
    })
    const { token } = await newToken(owner, { scope: 'read' })
    const person = await owner.post<{ id: string }>('/api/users', { displayName: 'Ann', identities: ['tg:1'] })
    await owner.post(`/api/users/${person.id}/roles`, { role: 'admin' })
    const looks: [Api, string, string][] = [
      [owner, '/api/sessions', '/api/sessions'],
      [owner, '/api/sessions/{id}', `/api/sessions/${session.id}`],
      [owner, '/api/sessions/{id}/messages', `/api/sessions/${session.id}/messages`],
      [owner, '/api/asks', '/api/asks'],
      [owner, '/api/asks/{id}', `/api/asks/${ask.id}`],
      [server.api(token), '/api/me', '/api/me'],
      [owner, '/api/users', '/api/users'],
      [owner, '/api/users/{id}', `/api/users/${person.id}`],
      [owner, '/api/tokens', '/api/tokens'],
      [owner, '/api/repos', '/api/repos'],
      [owner, '/api/audit', '/api/audit'],
      [owner, '/api/status', '/api/status'],
      [owner, '/api/doctor', '/api/doctor'],
      [owner, '/api/dead-letters', '/api/dead-letters'],
    ]
    for (const [api, template, path] of looks) {
      const schema = document.paths[template]!['get']!.responses['200']!.content!['application/json']!.schema
      expect([path, misfits(schema, await api.get(path), resolve)]).toEqual([path, []])
    }
    const made = document.paths['/api/tokens']!['post']!.responses['201']!.content!['application/json']!.schema
    expect(misfits(made, await newToken(owner), resolve)).toEqual([])
    const error = document.components.schemas['Error']
    for (const [method, path] of [
      ['GET', '/api/sessions?limit=0'],
      ['GET', `/api/asks/${nobody()}`],
      ['PUT', '/api/sessions'],
    ] as const)
      expect(misfits(error, (await owner.send(method, path)).body, resolve)).toEqual([])
  })

  it('B11 every list has a name, and continues with the cursor that came with it', () => {
    const bare: string[] = []
    const cut: string[] = []
    const byPosition: string[] = []
    for (const { path, method, operation } of operations()) {
      const answer = operation.responses['200']?.content?.['application/json']?.schema as Shape | undefined
      if (method !== 'get' || !answer) continue
      const shape = answer.$ref === undefined ? answer : (resolve(answer.$ref) as Shape)
      if (shape.type === 'array') bare.push(path)
      const names = operation.parameters.map(({ name }) => name)
      const continues = 'next' in (shape.properties ?? {}) && (names.includes('before') || names.includes('after'))
      if (names.includes('limit') && !continues) cut.push(path)
      if (names.includes('offset')) byPosition.push(path)
    }
    // A5 promises a bare list.
    expect(bare).toEqual(['/api/sessions/{id}/messages'])
    // A2 and T promise positions, beside a cursor.
    expect(byPosition.toSorted()).toEqual(['/api/patterns', '/api/sessions'])
    // What was searched for, or is being typed: more words narrow it.
    expect(cut.toSorted()).toEqual(['/api/messages', '/api/sessions/{id}/workspace-files'])
  })

  it('B11 a list is read to its end page by page, each entry once', async () => {
    for (let index = 0; index < 5; index += 1)
      await owner.post('/api/schedules', {
        prompt: `Count ${index}`,
        cron: '0 9 * * 1',
        agent: 'practice',
        workspaceRoot: server.home,
      })
    const read: string[] = []
    let next: string | null = ''
    for (let page = 0; next !== null && page < 9; page += 1) {
      const after = next === '' ? '' : `&before=${next}`
      const got: { schedules: { id: string }[]; next: string | null } = await owner.get(
        `/api/schedules?limit=2${after}`,
      )
      read.push(...got.schedules.map(({ id }) => id))
      next = got.next
    }
    expect([read.length, new Set(read).size]).toEqual([5, 5])
    expect(await owner.refused('GET', '/api/schedules?before=nonsense')).toMatchObject({ code: 'bad_cursor' })
  })

  it('B11 there is a readable page about it', async () => {
    const page = await server.tcp().send('GET', '/api/docs')
    expect(page.headers['content-type']).toMatch(/text\/html/)
    for (const { path } of operations()) expect(page.text).toContain(path)
  })
})

describe('answers of the API', () => {
  it('B11 the description has no anonymous recursive schemas, which generated clients can’t compile, and declares faults', async () => {
    await using server = await startServer()
    const document = await server.tcp().get<Document>('/api/openapi.json')
    expect(Object.keys(document.components.schemas).filter((name) => name.startsWith('__'))).toEqual([])
    for (const operation of Object.values(document.paths).flatMap((methods) => Object.values(methods)))
      expect(Object.keys(operation.responses)).toEqual(expect.arrayContaining(['400', '401', '403', '429']))
  })

  it('B11 are tagged and compressed on request, and a parameter given twice is refused', async () => {
    await using server = await startServer()
    const { token } = await newToken(server.api(), { scope: 'full' })
    const get = (path: string, headers: Record<string, string> = {}) =>
      fetch(`${server.address}${path}`, { headers: { authorization: `Bearer ${token}`, ...headers } })
    const first = await get('/api/me')
    const etag = first.headers.get('etag') ?? ''
    expect(etag).not.toBe('')
    const again = await get('/api/me', { 'if-none-match': `"other", ${etag}` })
    expect([again.status, await again.text()]).toEqual([304, ''])
    const packed = await get('/api/config', { 'accept-encoding': 'gzip' })
    const plain = await get('/api/config', { 'accept-encoding': 'gzip;q=0' })
    expect([packed.headers.get('content-encoding'), plain.headers.get('content-encoding')]).toEqual(['gzip', null])
    expect(await packed.json()).toEqual(await plain.json())
    const twice = await get('/api/sessions?status=active&status=error')
    expect([twice.status, await twice.json()]).toMatchObject([400, { error: { code: 'repeated_parameter' } }])
  })
})
