import { createServer as createHttpServer, request as httpRequest } from 'node:http'
import { connect } from 'node:net'
import { mkdtempSync, rmSync } from 'node:fs'
import { readdir, stat } from 'node:fs/promises'
import { once } from 'node:events'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { openAgentsHarness, read } from '../conformance/agents-harness.ts'
import { engineCall, engineSocket, startEngine } from '../support/engines.ts'
import { long } from '../support/scale.ts'
import { until } from '../support/until.ts'
import { engines, noContainers, openContainerHarness, recovered, type ContainerHarness } from './container-harness.ts'

const one = engines.filter((_, index) => long || index === 0)

describe.each(one)('an engine ($name)', ({ name, missing }) => {
  it.skipIf(missing !== null)(
    'C9 an engine whose service is killed: interrupted, then recovered with home and workspace kept',
    async () => {
      await using engine = await startEngine(name, name === 'docker' ? { fresh: true } : {})
      await using harness = await openContainerHarness(engine)
      const session = await harness.startIn()
      await harness.run(session, 'echo kept > ~/mine.txt; echo kept > here.txt')
      await engine.kill()
      await harness.become(session, 'interrupted')
      expect(await reasonOf(harness, session)).toMatch(/engine went away/)
      const refused = await harness.api.send('POST', `/api/sessions/${session.id}/recover`)
      expect(refused.status).toBeGreaterThanOrEqual(400)
      await using _again = await engine.again()
      await recovered(harness, session)
      await harness.become(session, 'active')
      expect(await harness.run(session, 'cat ~/mine.txt here.txt')).toBe('kept\nkept')
    },
  )

  describe('a disk that is filled', () => {
    let harness: ContainerHarness
    beforeAll(async () => {
      if (missing === null) harness = await openContainerHarness(name, { containers: 'disk_mb = 64' })
    })
    afterAll(() => harness?.[Symbol.asyncDispose]())

    const often = (write: string) => `i=0; while [ $i -lt 400 ]; do ${write}; i=$((i+1)); sleep 0.05; done`
    const four = 'dd if=/dev/zero bs=1M count=4 2>/dev/null'
    it.skipIf(missing !== null).each([
      ['files', often(`${four} of=big$i`)],
      ['a file in its home', often(`${four} >> ~/big`)],
      ['a file that was deleted while it is open', `exec 5>hidden; rm hidden; ${often(`${four} >&5`)}`],
      [
        'a file in a directory that it closed',
        `mkdir closed; exec 5>closed/big; chmod 0 closed; ${often(`${four} >&5`)}`,
      ],
    ])('C9 with %s is contained: the container is stopped in time, and said why', async (_, script) => {
      const session = await harness.startIn()
      await harness.prompt(session, `/run ${script}`)
      await harness.answer(await harness.openAsk(session), { outcome: 'approve' })
      await harness.become(session, 'interrupted')
      expect(await reasonOf(harness, session)).toMatch(/grew by \d+ MiB, and disk_mb is 64/)
      await noContainers(harness, session)
      const files = (await readdir(session.workspaceRoot)).filter((file) => file.startsWith('big'))
      const sizes = await Promise.all(files.map(async (file) => (await stat(join(session.workspaceRoot, file))).size))
      expect(sizes.reduce((sum, size) => sum + size, 0)).toBeLessThan(800 * 2 ** 20)
    })
  })

  it.skipIf(missing !== null)(
    'C9 limits that the engine ignores are named and refused, unless the operator allows it',
    async () => {
      await using forgetful = await openForgetful(engineSocket(name))
      await using harness = await openContainerHarness({ socket: forgetful.socket })
      const place = await harness.workspace()
      const asked = { agent: 'practice', isolation: 'container', workspaceRoot: place }
      const refused = await harness.api.send('POST', '/api/sessions', { body: asked })
      expect(refused).toMatchObject({ status: 503 })
      expect(refused.text).toMatch(/ignores these limits: memory, CPUs, processes/)
      await using lenient = await openContainerHarness(
        { socket: forgetful.socket },
        { containers: 'allow_missing_limits = true' },
      )
      const session = await lenient.startIn()
      expect((await lenient.detail(session)).agentState?.confinement).toContain(
        'ignored by the engine: memory, CPUs, processes',
      )
    },
  )

  it.skipIf(missing !== null)('S4 a volume that an image declares is no way to the disk of this machine', async () => {
    await using plain = await openContainerHarness(name)
    const [container] = await plain.containers(await plain.startIn())
    const made = new URLSearchParams({
      container: container!.Id,
      repo: 'localhost/signalbox-volume',
      tag: 'test',
      changes: 'VOLUME /data',
    })
    const path = `/v1.41/commit?${made.toString()}`
    expect((await engineCall(plain.engine, 'POST', path, {})).status).toBe(201)
    await using harness = await openContainerHarness(name, {
      containers: 'image = "localhost/signalbox-volume:test"',
    })
    const session = await harness.startIn()
    const said = await harness.run(
      session,
      "grep ' /data ' /proc/mounts | cut -d ' ' -f 1; dd if=/dev/zero of=/data/big bs=1M count=100 2>&1 | grep -o 'No space'; echo tried",
    )
    expect(said).toBe('tmpfs\nNo space\ntried')
  })

  it.skipIf(missing !== null)(
    'C9 while a container runs its engine is not asked to wait: Podman looks again and again, for half a core',
    async () => {
      await using between = await openForgetful(engineSocket(name))
      await using harness = await openContainerHarness(
        { socket: between.socket },
        { containers: 'allow_missing_limits = true' },
      )
      const session = await harness.startIn()
      expect(await harness.say(session, '/say here')).toContain('here')
      expect(between.asked.filter((one) => one.includes('/containers/create'))).not.toEqual([])
      expect(between.asked.filter((one) => one.includes('/wait'))).toEqual([])
    },
  )

  it.skipIf(missing !== null)(
    'C9 containers that nobody holds are found by their label and ended at the next start',
    async () => {
      await using harness = await openContainerHarness(name)
      const session = await harness.startIn()
      const [held] = await harness.containers(session)
      const labels = { ...held!.Labels, 'signalbox.runner': '999999.1' }
      const made = await engineCall(harness.engine, 'POST', '/v1.41/containers/create', {
        Image: held!.Image,
        Cmd: ['sleep', '600'],
        Labels: labels,
      })
      expect(made.status).toBe(201)
      await harness.server.kill()
      await harness.server.restart()
      const left = await until(async () => {
        const found = await harness.containers(session)
        return found.length === 1 ? found : null
      })
      expect(left[0]!.Id).toBe(held!.Id)
      expect(await harness.say(session, '/say still here')).toContain('still here')
    },
  )
})

it('C9 without an engine the start fails and says where it was looked for; it never falls back', async () => {
  const nowhere = mkdtempSync(join(tmpdir(), 'sbn-'))
  const env = { PATH: '/usr/bin/nothing', XDG_RUNTIME_DIR: nowhere }
  await using harness = await openAgentsHarness({ config: `[containers]\nengine = "${nowhere}/none.sock"\n`, env })
  const place = await harness.workspace()
  const { status, text } = await harness.api.send('POST', '/api/sessions', {
    body: { agent: 'practice', isolation: 'container', workspaceRoot: place },
  })
  expect(status).toBe(503)
  expect(text).toContain(`No container engine answers. Tried: ${nowhere}/none.sock.`)
  expect(text).toContain('Install one (apt install podman), or use isolation = \\"sandbox\\".')
  expect(await read(place, 'a.txt')).toBeNull()
  const checks = await harness.api.list<{ name: string; detail: string; status: string }>('/api/doctor')
  expect(checks.find(({ name }) => name === 'container engine')).toMatchObject({ status: 'warn' })
  expect(checks.find(({ name }) => name === 'container engine')?.detail).toContain('No container engine answers')
  rmSync(nowhere, { recursive: true })
})

/** An engine that takes limits and forgets them, as rootless ones on old cgroups do. */
async function openForgetful(real: string) {
  const folder = mkdtempSync(join(tmpdir(), 'sbf-'))
  const socket = join(folder, 'engine.sock')
  const asked: string[] = []
  const server = createHttpServer((incoming, outgoing) => {
    asked.push(`${incoming.method} ${incoming.url}`)
    const parts: Buffer[] = []
    incoming.on('data', (part: Buffer) => parts.push(part))
    incoming.on('end', () => {
      const { method, url = '', headers } = incoming
      const body = url.includes('/containers/create') ? withoutLimits(Buffer.concat(parts)) : Buffer.concat(parts)
      const length = { 'content-length': body.length }
      const options = { socketPath: real, method, path: url, headers: { ...headers, ...length } }
      const far = httpRequest(options, (answer) => {
        outgoing.writeHead(answer.statusCode ?? 500, answer.headers)
        answer.pipe(outgoing)
      })
      far.on('error', () => outgoing.destroy())
      far.end(body)
    })
  })
  server.on('upgrade', ({ method, url, rawHeaders }, near, head) => {
    const far = connect({ path: real, allowHalfOpen: true })
    const lines = rawHeaders.flatMap((name, at) => (at % 2 === 0 ? [`${name}: ${rawHeaders[at + 1]}`] : []))
    far.write([`${method} ${url} HTTP/1.1`, ...lines, '', ''].join('\r\n'))
    far.write(head)
    for (const [one, other] of [
      [near, far],
      [far, near],
    ] as const)
      one.on('error', () => {}).on('close', () => other.destroy())
    near.pipe(far)
    far.pipe(near)
  })
  await once(server.listen(socket), 'listening')
  return {
    socket,
    /** Requests, without those that became streams. */
    asked,
    async [Symbol.asyncDispose]() {
      server.close()
      server.closeAllConnections()
      rmSync(folder, { recursive: true, force: true })
    },
  }
}

function withoutLimits(body: Buffer): Buffer {
  const spec = JSON.parse(body.toString()) as { HostConfig: Record<string, unknown> }
  for (const name of ['Memory', 'MemorySwap', 'NanoCpus', 'PidsLimit']) delete spec.HostConfig[name]
  return Buffer.from(JSON.stringify(spec))
}

/** Why a session changed its status last. */
async function reasonOf(harness: ContainerHarness, session: { id: string }): Promise<string> {
  const { events } = await harness.api.get<{ events: { data: { reason: string | null } }[] }>(
    `/api/audit?type=session.status_changed&session=${session.id}`,
  )
  return events.map(({ data }) => data.reason ?? '').join('\n')
}
