import { once } from 'node:events'
import { mkdtemp, rm } from 'node:fs/promises'
import { createServer } from 'node:https'
import { createServer as createProxy } from 'node:http'
import { connect, type AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import type { AgentSession } from '../conformance/agents-harness.ts'
import { newToken } from '../conformance/work.ts'
import { makeCertificate } from '../support/certificate.ts'
import { long } from '../support/scale.ts'
import { until } from '../support/until.ts'
import { engines, openContainerHarness, type ContainerHarness } from './container-harness.ts'

const value = 'hunter2-which-no-agent-may-see'

/** The host that a credential is for, and the operator's proxy, which alone knows where that is. */
async function openOutside(host: string) {
  await using stack = new AsyncDisposableStack()
  const folder = await mkdtemp(join(tmpdir(), 'sbo-'))
  stack.defer(() => rm(folder, { recursive: true, force: true }))
  const certificate = makeCertificate(folder, host)
  const [heard, asked]: [{ url: string; authorization: string }[], string[]] = [[], []]
  const site = createServer(certificate, ({ url = '', headers: { authorization = '' } }, answer) => {
    heard.push({ url, authorization })
    answer.end('from the host')
  })
  await once(site.listen(0, '127.0.0.1'), 'listening')
  const proxy = createProxy().on('connect', ({ url = '' }, near) => {
    asked.push(url)
    const far = connect((site.address() as AddressInfo).port, '127.0.0.1', () => {
      near.write('HTTP/1.1 200 OK\r\n\r\n')
      far.pipe(near)
      near.pipe(far)
    })
    for (const [one, other] of [[near, far] as const, [far, near] as const])
      one.on('error', () => {}).on('close', () => other.destroy())
  })
  await once(proxy.listen(0, '127.0.0.1'), 'listening')
  for (const server of [site, proxy])
    stack.defer(() => {
      server.close()
      server.closeAllConnections()
    })
  const kept = stack.move()
  return {
    heard,
    asked,
    authority: certificate.file,
    proxy: `http://127.0.0.1:${(proxy.address() as AddressInfo).port}`,
    [Symbol.asyncDispose]: () => kept.disposeAsync(),
  }
}

describe.each(engines.filter((_, index) => long || index === 0))(
  'credentials of an agent group in containers of $name',
  ({ name, missing }) => {
    it.skipIf(missing !== null)(
      'C7 C9 reach the host they are for, which never sees anyone else’s, and nothing of this machine or its networks',
      async () => {
        const host = 'api.example.test'
        await using outside = await openOutside(host)
        const env = { HTTPS_PROXY: outside.proxy, NO_PROXY: '', NODE_EXTRA_CA_CERTS: outside.authority }
        await using harness = await openContainerHarness(name, { env })
        const { api } = harness
        const group = await api.post<{ id: string }>('/api/agent-groups', {
          name: 'Callers',
          agent: 'practice',
          config: { isolation: 'container' },
        })
        const begin = () => api.post<AgentSession>('/api/sessions', { agentGroupId: group.id })
        const first = await begin()
        for (const wish of [
          { name: 'GITHUB_TOKEN', host },
          { name: 'LOCAL', host: 'db.localhost' },
        ])
          await grant(harness, first, wish)
        await harness.api.delete(`/api/sessions/${first.id}`)

        const session = await begin()
        const called = 'curl -s -H "authorization: Bearer forged" "$SIGNALBOX_PROVIDER_GITHUB_TOKEN/repos?page=2"'
        expect(await harness.run(session, called)).toBe('from the host')
        expect(outside.heard).toEqual([{ url: '/repos?page=2', authorization: `Bearer ${value}` }])
        const seen = await harness.run(session, 'env; cat /proc/*/environ /proc/*/cmdline 2>/dev/null | tr "\\0" "\\n"')
        expect(seen).not.toContain(value)
        const refused = await harness.run(session, 'curl -s -w " %{http_code}" "$SIGNALBOX_PROVIDER_LOCAL/"')
        expect(refused).toMatch(/db\.localhost is this machine.* 502$/s)
        expect(new Set(outside.asked)).toEqual(new Set([`${host}:443`]))
      },
    )
  },
)

/** As its agent asks for it, and an administrator gives it. */
async function grant(harness: ContainerHarness, session: { id: string }, wish: { name: string; host: string }) {
  const { token } = await newToken(harness.api, { name: 'its agent', scope: 'agent', sessionId: session.id })
  const ask = await harness.server.api(token).post<{ id: string }>(`/api/sessions/${session.id}/asks`, {
    title: 'May I?',
    subject: { kind: 'credential', ...wish, reason: 'to call it' },
  })
  await harness.api.post(`/api/asks/${ask.id}/answer`, { outcome: 'reply', value })
  await until(async () => (await harness.api.get<{ status: string }>(`/api/asks/${ask.id}`)).status === 'consumed', {
    what: 'the grant',
  })
}
