import { get } from 'node:http'
import { networkInterfaces } from 'node:os'
import { redeem } from '../conformance/people.ts'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { AgentSession } from '../conformance/agents-harness.ts'
import { sandboxWorks } from '../support/agents/processes.ts'
import { bystander, openNetworkHarness, type Attempt, type Bystander, type NetworkHarness } from './network-harness.ts'

/** What the person's browser would get. */
const visit = (port: number): Promise<string> =>
  new Promise((resolve) => {
    get({ host: '127.0.0.1', port, headers: { cookie: 'signalbox_login=stolen' } }, (response) => {
      let heard = ''
      response.on('data', (piece) => (heard += piece))
      response.on('end', () => resolve(heard))
    }).on('error', (error) => resolve('code' in error ? String(error.code) : error.message))
  })

const portOf = (address: string) => Number(new URL(address).port)

describe.runIf(sandboxWorks())('a hostile agent in the sandbox', () => {
  let everywhere: Bystander
  let six: Bystander
  let model: Bystander
  let found: Bystander
  let harness: NetworkHarness
  let session: AgentSession
  const stack = new AsyncDisposableStack()

  beforeAll(async () => {
    everywhere = stack.use(await bystander('0.0.0.0'))
    six = stack.use(await bystander('::1'))
    model = stack.use(await bystander('127.0.0.1'))
    found = stack.use(await bystander('127.0.0.1'))
    const env = `env = { OPENAI_BASE_URL = "http://localhost:${found.port}/v1" }`
    harness = stack.use(await openNetworkHarness(`local_ports = [${model.port}]\n${env}\n`))
    session = await harness.hostile()
  })
  afterAll(() => stack.disposeAsync())

  it('S4 reaches nothing on this machine: not its loopback, not IPv6, not by the address of an interface', async () => {
    const { port } = everywhere
    const own = Object.values(networkInterfaces()).flatMap((all = []) => all)
    const tried: Record<string, Attempt> = {
      loopback: { kind: 'tcp', host: '127.0.0.1', port },
      another: { kind: 'tcp', host: '127.1.2.3', port },
      anywhere: { kind: 'tcp', host: '0.0.0.0', port },
      six: { kind: 'tcp', host: '::1', port: six.port },
      mapped: { kind: 'tcp', host: '::ffff:127.0.0.1', port },
    }
    for (const { address, family } of own)
      if (family === 'IPv4') tried[`interface ${address}`] = { kind: 'tcp', host: address, port }
    const came = await harness.attempts(session, tried)
    expect(JSON.stringify(came)).not.toContain('SECRET')
    expect([...everywhere.visits, ...six.visits]).toEqual([])
  })

  it('S4 nor through its proxy or the relay behind it, however this machine is named', async () => {
    const { port } = everywhere
    const own = Object.values(networkInterfaces()).flatMap((all = []) => all)
    const hosts = [
      '127.0.0.1',
      '127.1',
      '0x7f000001',
      '0x7f.0.0.1',
      '2130706433',
      '0177.0.0.1',
      '0.0.0.0',
      '0',
      'localhost',
      'LOCALHOST',
      'localhost.',
      'any.localhost',
      'ip6-localhost',
      '169.254.169.254',
      ...own.flatMap(({ address, family }) => (family === 'IPv4' ? [address, `::ffff:${address}`] : [])),
    ]
    const sixes = [
      '::1',
      '::',
      '::ffff:127.0.0.1',
      '::ffff:7f00:1',
      '0:0:0:0:0:0:0:1',
      '::127.0.0.1',
      '64:ff9b::127.0.0.1',
    ]
    const tried: Record<string, Attempt> = {}
    for (const host of [...hosts, ...sixes]) {
      const target = host.includes(':') ? `[${host}]:${port}` : `${host}:${port}`
      tried[`proxy ${host}`] = { kind: 'proxy', target }
      tried[`get ${host}`] = { kind: 'get', url: `http://${target}/`, proxied: true }
      tried[`line ${host}`] = { kind: 'line', line: `tcp ${host} ${port}` }
    }
    for (const line of [
      `port ${port}`,
      `port 0${port}`,
      `tcp 127.0.0.1 ${port} `,
      'tcp',
      'gate x',
      '',
      'x'.repeat(600),
    ])
      tried[`line ${line}`] = { kind: 'line', line }
    const came = await harness.attempts(session, tried)
    const reached = Object.entries(came).filter(([, what]) => /SECRET|^ok|^HTTP\/1\.1 200|^200/.test(what))
    expect(reached).toEqual([])
    expect(everywhere.visits).toEqual([])
  })

  it('S4 a stolen login of its person does not work from there', async () => {
    // Even complete, with the login key.
    const login = await redeem(harness.server, harness.server.loginLink)
    const port = portOf(harness.server.address)
    const url = `http://127.0.0.1:${port}/api/sessions`
    expect(login.cookie).toMatch(/^signalbox/)
    const came = await harness.attempts(session, {
      stolen: { kind: 'get', url, headers: login },
      proxied: { kind: 'get', url, headers: login, proxied: true },
      bare: { kind: 'get', url },
      page: { kind: 'get', url: `http://127.0.0.1:${port}/`, headers: login },
      line: { kind: 'line', line: `port ${port}` },
    })
    for (const what of [came.stolen, came.proxied, came.bare, came.page]) expect(what).not.toMatch(/^200/)
    expect(came.line).not.toMatch(/^ok/)
  })

  it('S4 a page that it serves on its loopback is not reachable: a click on its link fails', async () => {
    await using taken = await bystander('127.0.0.1')
    const { port } = taken
    await taken[Symbol.asyncDispose]()
    expect(await harness.say(session, `listen ${port}`)).toBe('listening')
    const inside = await harness.attempts(session, { own: { kind: 'tcp', host: '127.0.0.1', port } })
    expect(inside.own).toContain('HTTP/1.1 200')
    expect(await visit(port)).toBe('ECONNREFUSED')
  })

  it('S4 reaches a model that is allowed by name, one named in its variables, and our tools', async () => {
    const { url, headers } = await harness.ours(session)
    const authorization = headers[0]!.value
    const came = await harness.attempts(session, {
      model: { kind: 'get', url: `http://127.0.0.1:${model.port}/named` },
      six: { kind: 'get', url: `http://localhost:${model.port}/six` },
      found: { kind: 'get', url: `http://localhost:${found.port}/found` },
      proxied: { kind: 'get', url: `http://127.0.0.1:${model.port}/proxied`, proxied: true },
      itself: {
        kind: 'get',
        url: url.replace('/mcp', `/api/sessions/${session.id}`),
        headers: { authorization },
      },
    })
    expect(came).toMatchObject({ model: '200 SECRET', six: '200 SECRET', found: '200 SECRET', proxied: '200 SECRET' })
    expect(came.itself).toMatch(/^200 /)
    expect(model.visits.toSorted()).toEqual(['GET /named', 'GET /proxied', 'GET /six'])
  })

  it('S4 the session and its start event say what is allowed', async () => {
    const { agentState } = await harness.detail(session)
    const ports = [model.port, found.port].toSorted((one, other) => one - other)
    const words = `own loopback; lets in ${ports.join(', ')} and Signalbox`
    expect(agentState?.confinement).toContain(words)
    const { events } = await harness.api.get<{ events: { data: { network?: string } }[] }>(
      `/api/audit?type=session.started&session=${session.id}`,
    )
    expect(events[0]?.data.network).toContain(words)
  })
})

/** As the person's browser stores it. */
