import { existsSync } from 'node:fs'
import { readdir, writeFile } from 'node:fs/promises'
import { createServer } from 'node:net'
import { once } from 'node:events'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { git, read, type AgentSession } from '../conformance/agents-harness.ts'
import { engineCall } from '../support/engines.ts'
import { until } from '../support/until.ts'
import {
  engines,
  killContainer,
  noContainers,
  openContainerHarness,
  recovered,
  type ContainerHarness,
} from './container-harness.ts'

describe.each(engines)('a session in a container of $name', ({ name, missing }) => {
  let harness: ContainerHarness
  let session: AgentSession
  beforeAll(async () => {
    if (missing !== null) return
    harness = await openContainerHarness(name)
    await writeFile(join(harness.home, 'private.txt'), 'for nobody else')
    session = await harness.startIn()
  })
  afterAll(() => harness?.[Symbol.asyncDispose]())

  it.skipIf(missing !== null)(
    'A13 the container stands in the session, in its start event and in its agent’s state',
    async () => {
      expect(session.isolation).toBe('container')
      const { events } = await harness.api.get<{ events: { data: Record<string, unknown> }[] }>(
        `/api/audit?type=session.started&session=${session.id}`,
      )
      expect(events[0]?.data).toMatchObject({
        isolation: 'container',
        workspaceRoot: session.workspaceRoot,
        network: 'no network; reaches Signalbox through its gate',
      })
      const { agentState } = await harness.detail(session)
      expect(agentState?.confinement).toMatch(/^container \((podman|docker), .*2048 MiB, 2 CPUs, 512 processes/)
      expect(agentState?.confinement).toContain(session.workspaceRoot)
    },
  )

  it.skipIf(missing !== null)(
    'C9 an edit approved in the container is in the workspace, and belongs to its owner',
    async () => {
      const turn = await harness.prompt(session, '/write a.txt Hello.')
      const ask = await harness.openAsk(session)
      expect(await read(session.workspaceRoot, 'a.txt')).toBeNull()
      await harness.answer(ask, { outcome: 'approve' })
      await harness.settled(turn)
      await harness.run(session, 'echo more >> a.txt; echo its own > b.txt')
      expect(await read(session.workspaceRoot, 'a.txt')).toBe('Hello.\nmore\n')
      expect(await read(session.workspaceRoot, 'b.txt')).toBe('its own\n')
    },
  )

  it.skipIf(missing !== null)(
    'C9 what the engine was asked for is in force: no capabilities, a read-only root, limits',
    async () => {
      const [container] = await harness.containers(session)
      const inspected = await engineCall(harness.engine, 'GET', `/v1.41/containers/${container!.Id}/json`)
      expect(inspected.body).toMatchObject({
        HostConfig: {
          Memory: 2 ** 31,
          PidsLimit: 512,
          ReadonlyRootfs: true,
          NetworkMode: 'none',
          LogConfig: { Type: 'none' },
        },
      })
      const inside = await harness.run(
        session,
        "grep -E '^(CapEff|CapBnd|NoNewPrivs|Seccomp):' /proc/self/status | tr -s '\\t\\n' ' '; touch /x /etc/x /usr/x 2>&1; echo tried",
      )
      expect(inside).toMatch(/CapEff: 0+ CapBnd: 0+ NoNewPrivs: 1 Seccomp: 2/)
      expect(inside).toMatch(/Read-only file system[\s\S]*tried/)
    },
  )

  it.skipIf(missing !== null)('S4 home, data directory, sockets and other workspaces are not there', async () => {
    const other = await harness.workspace()
    await writeFile(join(other, 'other.txt'), 'of another session')
    const { home, socket } = harness.server
    expect(existsSync(join(home, 'signalbox.db'))).toBe(true)
    const looked = await harness.run(
      session,
      `cat ${harness.home}/private.txt ${other}/other.txt ${home}/signalbox.db /etc/shadow; ls ${harness.home} ${home} ${home}/run; ` +
        `test -e ${socket} && echo there; echo x > ${other}/made; echo looked`,
    )
    expect(looked).toContain('looked')
    expect(looked).not.toMatch(/for nobody else|of another session|SQLite format|root:|there\n/)
    expect(await readdir(other)).toEqual(['other.txt'])
  })

  it.skipIf(missing !== null)('S4 the network is off: only its own loopback, and no port of this machine', async () => {
    const outside = createServer((near) => near.end('seen')).listen(0, '0.0.0.0')
    await once(outside, 'listening')
    const { port } = outside.address() as { port: number }
    const tries = ['127.0.0.1', '10.0.0.1', '1.1.1.1', '169.254.169.254'].map(
      (host) =>
        `node -e 'require("net").connect(${port},"${host}").on("error",(e)=>console.log(e.code)).on("data",(d)=>console.log(String(d)))'`,
    )
    const said = await harness.run(session, `ls /sys/class/net; ${tries.join('; ')}`)
    outside.close()
    expect(said).toBe('lo\nECONNREFUSED\nENETUNREACH\nENETUNREACH\nENETUNREACH')
  })

  it.skipIf(missing !== null)(
    'C9 memory, processes and temporary files end at their limits, and the session lives on',
    async () => {
      const small = await openContainerHarness(name, { containers: 'memory_mb = 256\npids = 64\n' })
      await using _small = small
      const one = await small.startIn()
      const eat = `node -e 'const a=[];for(;;)a.push(Buffer.alloc(16<<20,1))'; echo "ended $?"`
      expect(await small.run(one, eat)).toMatch(/ended 137|ended 134|Killed/)
      const bomb = 'for i in $(seq 300); do sleep 2 & done'
      expect(await small.run(one, `sh -c '${bomb}' 2>&1 | tail -1`)).toMatch(/fork/i)
      const full = await small.run(
        one,
        'dd if=/dev/zero of=/var/tmp/big bs=1M count=400 2>&1 | tail -1; rm -f /var/tmp/big; echo on',
      )
      expect(full).toMatch(/on$/)
      expect(await small.say(one, '/say still here')).toContain('still here')
    },
  )

  it.skipIf(missing !== null)('C9 terminals of the agent run in its container, and end with it', async () => {
    const turn = await harness.prompt(session, '/term cat /etc/passwd > seen.txt; ls /sys/class/net >> seen.txt')
    await harness.answer(await harness.openAsk(session), { outcome: 'approve' })
    await harness.settled(turn)
    expect(await read(session.workspaceRoot, 'seen.txt')).toMatch(/agent:x:[^]*\nlo\n$/)
  })

  it.skipIf(missing !== null)('S4 symlinks in the workspace lead nowhere, and Git’s hooks are read-only', async () => {
    const place = await harness.workspace()
    git(place, 'init', '--quiet')
    const one = await harness.startIn({ workspaceRoot: place })
    const said = await harness.run(
      one,
      `ln -s ${harness.home} h; ln -s /etc/shadow s; cat h/private.txt s; echo evil > .git/hooks/pre-commit; git config core.fsmonitor evil; git status --short | head -3; echo tried`,
    )
    expect(said).not.toMatch(/for nobody else|root:\*|root:!/)
    expect(said).toMatch(/tried/)
    expect(existsSync(join(place, '.git/hooks/pre-commit'))).toBe(false)
    expect(await read(place, '.git/config')).not.toContain('evil')
  })

  it.skipIf(missing !== null)(
    'X5 kill -9 of the server costs nothing: an open ask is answered afterwards, no output is lost or doubled',
    async () => {
      const one = await harness.startIn()
      const [before] = await harness.containers(one)
      const runner = harness.runner(one)
      const talk = await harness.prompt(one, '/slow 60 20')
      await until(async () => (await harness.said(one)).length > 0, { what: 'its first words' })
      await harness.server.kill()
      await harness.server.restart()
      await harness.settled(talk)
      // Numbered words: each of them once, in order.
      const words = [...(await harness.said(one)).matchAll(/word-(\d+)/g)].map(([, number]) => Number(number))
      expect(words).toEqual(Array.from({ length: 60 }, (_, index) => index + 1))
      const turn = await harness.prompt(one, '/write late.txt Approved later.')
      const ask = await harness.openAsk(one)
      await harness.server.kill()
      await harness.server.restart()
      await harness.answer(ask, { outcome: 'approve' })
      await harness.settled(turn)
      expect(await read(one.workspaceRoot, 'late.txt')).toBe('Approved later.\n')
      expect(harness.runner(one)).toBe(runner)
      expect((await harness.containers(one)).map(({ Id }) => Id)).toEqual([before!.Id])
      expect(await harness.run(one, 'echo commands too')).toBe('commands too')
    },
  )

  it.skipIf(missing !== null)(
    'C9 a container that was killed: interrupted, then recovered in another one with home and workspace',
    async () => {
      const one = await harness.startIn()
      await harness.say(one, '/say remember this')
      await harness.run(one, 'echo kept > ~/mine.txt; echo kept > here.txt')
      const [before] = await harness.containers(one)
      await killContainer(harness, one)
      await harness.become(one, 'interrupted')
      await recovered(harness, one)
      await harness.become(one, 'active')
      const [after] = await until(async () => {
        const found = await harness.containers(one)
        return found.length === 1 && found[0]!.Id !== before!.Id ? found : null
      })
      expect(after!.State).toBe('running')
      expect(await harness.run(one, 'cat ~/mine.txt here.txt')).toBe('kept\nkept')
      const { agentState } = await harness.detail(one)
      expect(agentState?.agentSessionId).not.toBeNull()
    },
  )

  it.skipIf(missing !== null)('C9 the end of a session ends its container', async () => {
    const one = await harness.startIn()
    expect(await harness.containers(one)).toHaveLength(1)
    await harness.api.delete(`/api/sessions/${one.id}`)
    await noContainers(harness, one)
    expect(await harness.containers(one)).toEqual([])
  })
})
