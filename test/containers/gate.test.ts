import { createServer } from 'node:http'
import { once } from 'node:events'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { AgentSession } from '../conformance/agents-harness.ts'
import { long } from '../support/scale.ts'
import { engines, openContainerHarness, type ContainerHarness } from './container-harness.ts'

const key = 'sk-the-real-key-0123456789'

/** A provider that says what it was sent. */
async function openProvider() {
  const heard: { url: string; headers: Record<string, unknown>; body: string }[] = []
  const server = createServer((request, response) => {
    let body = ''
    request.setEncoding('utf8').on('data', (part: string) => (body += part))
    request.on('end', () => {
      heard.push({ url: request.url ?? '', headers: request.headers, body })
      response.writeHead(200, { 'content-type': 'text/event-stream' })
      response.write('data: one\n\n')
      response.end('data: two\n\n')
    })
  })
  await once(server.listen(0, '127.0.0.1'), 'listening')
  const { port } = server.address() as { port: number }
  return { heard, url: `http://127.0.0.1:${port}/base`, [Symbol.dispose]: () => void server.close() }
}

const one = engines.filter((_, index) => long || index === 0)

describe.each(one)('the gate of a container of $name', ({ name, missing }) => {
  let provider: Awaited<ReturnType<typeof openProvider>>
  let harness: ContainerHarness
  let session: AgentSession
  beforeAll(async () => {
    if (missing !== null) return
    provider = await openProvider()
    harness = await openContainerHarness(name, {
      env: { REAL_KEY: key },
      containers:
        `hosts = ["localhost.example", "*.internal.test"]\n` +
        `providers = [{ name = "anthropic", base_url = "${provider.url}", key = "env:REAL_KEY" }]`,
    })
    session = await harness.startIn()
  })
  afterAll(async () => {
    await harness?.[Symbol.asyncDispose]()
    provider?.[Symbol.dispose]()
  })

  it.skipIf(missing !== null)(
    'C9 a provider is reached with its key, which is nowhere inside: not in variables, files or processes',
    async () => {
      const said = await harness.run(
        session,
        'curl -s -X POST -H "x-api-key: $ANTHROPIC_API_KEY" -d hello "$ANTHROPIC_BASE_URL/v1/messages?beta=1"',
      )
      expect(said).toBe('data: one\n\ndata: two')
      expect(provider.heard).toMatchObject([
        { url: '/base/v1/messages?beta=1', body: 'hello', headers: { 'x-api-key': key } },
      ])
      // In brackets, so that the search does not find itself.
      const wanted = `[${key[0]}]${key.slice(1)}`
      const search =
        `env | grep -c '${wanted}'; cat /proc/*/environ /proc/*/cmdline 2>/dev/null | tr '\\0' '\\n' | grep -c '${wanted}'; ` +
        `grep -rls '${wanted}' /home /etc /signalbox /run /tmp /var . 2>/dev/null; echo searched`
      expect(await harness.run(session, search)).toBe('0\n0\nsearched')
      const [container] = await harness.containers(session)
      expect(JSON.stringify(container)).not.toContain(key)
      expect(harness.server.log()).not.toContain(key)
      const away = await harness.run(
        session,
        'curl -s -o /dev/null -w "%{http_code}" http://127.0.0.1:61082/provider/other/x',
      )
      expect(away).toBe('404')
      expect((await harness.detail(session)).agentState?.confinement).toContain('anthropic (its key stays outside)')
    },
  )

  it.skipIf(missing !== null)(
    'C9 nobody else is reached: hosts by the list alone, port 443 alone, nothing of private networks',
    async () => {
      const tries = [
        'https://example.org',
        'https://localhost.example:8443',
        'https://10.0.0.1',
        'https://127.0.0.1',
        'http://localhost.example',
      ]
      const said = await harness.run(
        session,
        tries
          .map((url) => `curl -s -o /dev/null -w "%{http_connect} %{http_code}\\n" --noproxy "" --max-time 5 ${url}`)
          .join('; '),
      )
      for (const line of said.split('\n')) expect(line).toMatch(/^(403|502|000) (000|403|502)$/)
      // On the list, but it has no address: refused by its name service, not by the list.
      expect(
        await harness.run(session, 'curl -s -o /dev/null -w "%{http_connect}" https://a.internal.test; true'),
      ).toBe('502')
    },
  )

  it.skipIf(missing !== null)(
    'C9 Signalbox’s tools are reached through the gate, by agents’ tokens alone',
    async () => {
      const port = new URL(harness.server.address).port
      const said = await harness.run(
        session,
        [61_081, port]
          .map((at) => `curl -s -o /dev/null -w "%{http_code}\\n" http://127.0.0.1:${at}/api/sessions`)
          .join('; '),
      )
      expect(said).toBe('401\n401')
    },
  )
})
