import { createServer, connect, type AddressInfo } from 'node:net'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { sandboxWorks } from '../support/agents/processes.ts'
import { bystander, openNetworkHarness } from './network-harness.ts'

/** A proxy of the operator that sends everything to one server; nothing leaves this machine. */
async function operatorsProxy(port: number) {
  const asked: string[] = []
  const server = createServer((near) => {
    near.once('data', (bytes) => {
      asked.push(
        String(bytes).split('\r\n')[0]!,
        ...(String(bytes).match(/Proxy-Authorization: .*/) ?? []).map((one) => one.trim()),
      )
      const far = connect(port, '127.0.0.1', () => {
        near.write('HTTP/1.1 200 OK\r\n\r\n')
        near.pipe(far).pipe(near)
      })
      far.on('error', () => near.destroy())
    })
    near.on('error', () => {})
  })
  await new Promise<void>((resolve) => {
    server.listen(0, '127.0.0.1', resolve)
  })
  return {
    port: (server.address() as AddressInfo).port,
    asked,
    async [Symbol.asyncDispose]() {
      server.close()
    },
  }
}

describe.runIf(sandboxWorks())('the internet access of an agent with its own network', () => {
  const stack = new AsyncDisposableStack()
  let far: Awaited<ReturnType<typeof bystander>>
  let proxy: Awaited<ReturnType<typeof operatorsProxy>>
  beforeAll(async () => {
    far = stack.use(await bystander('127.0.0.1'))
    proxy = stack.use(await operatorsProxy(far.port))
  })
  afterAll(() => stack.disposeAsync())
  const env = () => ({ HTTPS_PROXY: `http://me:pass%20word@127.0.0.1:${proxy.port}` })
  // A documentation address, which only the proxy is asked for.
  const elsewhere = '198.51.100.7'

  it('S4 goes through the operator’s proxy, for CONNECT and for full URLs, and never to this machine', async () => {
    await using harness = await openNetworkHarness('', env())
    const session = await harness.hostile()
    const came = await harness.attempts(session, {
      connect: { kind: 'proxy', target: `${elsewhere}:443` },
      whole: { kind: 'get', url: `http://${elsewhere}/x`, proxied: true },
      own: { kind: 'line', line: `tcp 127.0.0.1 ${far.port}` },
      spelled: { kind: 'proxy', target: `2130706433:${far.port}` },
      named: { kind: 'line', line: `tcp localhost. ${far.port}` },
      interface: { kind: 'proxy', target: `[::ffff:127.0.0.1]:${far.port}` },
    })
    expect(came.connect).toMatch(/^HTTP\/1\.1 200/)
    expect(came.whole).toBe('200 SECRET')
    for (const what of [came.own, came.named]) expect(what).toMatch(/^no own_machine/)
    for (const what of [came.spelled, came.interface]) expect(what).toMatch(/^HTTP\/1\.1 403/)
    const login = `Proxy-Authorization: Basic ${Buffer.from('me:pass word').toString('base64')}`
    const expected = [`CONNECT ${elsewhere}:443 HTTP/1.1`, `CONNECT ${elsewhere}:80 HTTP/1.1`, login, login]
    expect(proxy.asked.toSorted()).toEqual(expected)
  })

  it('S4 is closed with network = "none", except for named destinations', async () => {
    await using model = await bystander('127.0.0.1')
    await using harness = await openNetworkHarness(`network = "none"\nlocal_ports = [${model.port}]\n`, env())
    const session = await harness.hostile()
    const before = proxy.asked.length
    const came = await harness.attempts(session, {
      proxy: { kind: 'proxy', target: `${elsewhere}:443` },
      line: { kind: 'line', line: `tcp ${elsewhere} 443` },
      model: { kind: 'get', url: `http://127.0.0.1:${model.port}/` },
    })
    expect(came).toEqual({ proxy: 'no proxy', line: expect.stringMatching(/^no not_let_out/), model: '200 SECRET' })
    expect(proxy.asked.length).toBe(before)
    expect((await harness.detail(session)).agentState?.confinement).toContain('nothing outside this machine')
  })

  it('S4 network = "host" is the operator’s decision, and the session says what is open', async () => {
    await using harness = await openNetworkHarness('network = "host"\n')
    const session = await harness.hostile()
    const came = await harness.attempts(session, { open: { kind: 'tcp', host: '127.0.0.1', port: far.port } })
    expect(came.open).toContain('SECRET')
    expect((await harness.detail(session)).agentState?.confinement).toContain("shares this machine's network")
  })
})
