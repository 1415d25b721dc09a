import { execFileSync } from 'node:child_process'
import { chmodSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { createServer, type ServerResponse } from 'node:http'
import { once } from 'node:events'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { read } from '../conformance/agents-harness.ts'
import { newToken } from '../conformance/work.ts'
import { engineCall } from '../support/engines.ts'
import { long } from '../support/scale.ts'
import { until } from '../support/until.ts'
import { engines, openContainerHarness, type ContainerHarness } from './container-harness.ts'

type Config = { packagesApt: string[]; packagesNpm: string[] }
type AdminAsk = { id: string; status: string; subjectHash: string; result: { image: string } | null }

/** Package managers ask here before they begin, and wait for the answer: a build lasts as long as the test wants. */
async function openRegistry() {
  const waiting: ServerResponse[] = []
  const server = createServer((_request, response) => void waiting.push(response))
  await once(server.listen(0, '127.0.0.1'), 'listening')
  return {
    port: (server.address() as { port: number }).port,
    waiting: () => waiting.filter(({ destroyed }) => !destroyed).length,
    release: () => waiting.splice(0).forEach((response) => response.end('go\n')),
    async [Symbol.asyncDispose]() {
      server.close()
      server.closeAllConnections()
    },
  }
}

/** An image whose package managers say, word by word, what they were told to do. */
async function imageWithManagers(harness: ContainerHarness, base: string, port: number) {
  const folder = mkdtempSync(join(tmpdir(), 'sbp-'))
  mkdirSync(join(folder, 'managers'))
  const said = 'for word in "$@"; do echo "word: $word"; done\n'
  const held = `case "$*" in *install*) curl -s http://127.0.0.1:${port}/ ;; esac\n`
  for (const name of ['apt-get', 'npm']) {
    const file = join(folder, 'managers', name)
    writeFileSync(file, `#!/bin/sh\n${said}${name === 'npm' ? '' : held}`)
    chmodSync(file, 0o755)
  }
  writeFileSync(
    join(folder, 'Dockerfile'),
    `FROM ${base}\nUSER 0:0\nCOPY managers /managers\nRUN cp --remove-destination /managers/* /usr/local/bin/\nUSER 1000:1000\n`,
  )
  const tag = `localhost/signalbox-managers:${port}`
  const context = execFileSync('tar', ['-c', '-C', folder, '.'])
  rmSync(folder, { recursive: true })
  const built = await engineCall(harness.engine, 'POST', `/v1.41/build?t=${tag}&networkmode=host`, context)
  expect([built.status, JSON.stringify(built.body)]).toEqual([200, expect.not.stringContaining('"error"')])
  return {
    tag,
    [Symbol.asyncDispose]: async () =>
      void (await engineCall(harness.engine, 'DELETE', `/v1.41/images/${tag}?force=1`)),
  }
}

describe.each(engines.filter((_, index) => long || index === 0))(
  'packages in an image of $name',
  ({ name, missing }) => {
    it.skipIf(missing !== null)(
      'C7 C9 while an image is built, messages and approvals are not delayed; then exactly what was shown was run',
      async () => {
        await using registry = await openRegistry()
        await using harness = await openContainerHarness(name)
        const { api } = harness
        const other = await harness.startIn()
        const [{ Image: base } = { Image: '' }] = await harness.containers(other)
        await using image = await imageWithManagers(harness, base, registry.port)
        const config = { isolation: 'container', imageTag: image.tag }
        const group = await api.post<{ id: string }>('/api/agent-groups', {
          name: 'Builders',
          agent: 'practice',
          config,
        })
        await api.post(`/api/web-chats/${group.id}/messages`, { text: '/say Here.' })
        const session = await until(
          async () => {
            const { sessions } = await api.get<{ sessions: { id: string; status: string; agentGroupId: string }[] }>(
              '/api/sessions',
            )
            return sessions.find((one) => one.agentGroupId === group.id && one.status === 'active')
          },
          { seconds: 60 },
        )
        await harness.saying(session, 'Here.')
        const { token } = await newToken(api, { name: 'its agent', scope: 'agent', sessionId: session.id })
        const asking = (subject: object) =>
          harness.server.api(token).post<AdminAsk>(`/api/sessions/${session.id}/asks`, { title: 'May I?', subject })
        const [apt, npm] = [
          ['jq', 'g++', 'git=1:2.39.5-0'],
          ['typescript@~5.9.2', '@types/node@^24'],
        ]
        const ask = await asking({ kind: 'packages', apt, npm, reason: 'to build' })
        const now = () => harness.server.api().get<AdminAsk>(`/api/asks/${ask.id}`)
        const log = async () => {
          const { lines } = await harness.server.api().get<{ lines: { text: string }[] }>(`/api/asks/${ask.id}/log`)
          return lines.map(({ text }) => text)
        }
        const approve = { outcome: 'approve' }
        await api.post(`/api/asks/${ask.id}/answer`, approve)
        await until(() => registry.waiting() > 0, { what: 'the build', seconds: 60 })

        // The build lasts until it is let go. Meanwhile: a message in a chat, an approval, another administrative ask.
        await api.post(`/api/web-chats/${group.id}/messages`, { text: '/say Not delayed.' })
        await harness.saying(session, 'Not delayed.')
        const turn = await harness.prompt(other, '/write a.txt Approved meanwhile.')
        await harness.answer(await harness.openAsk(other), approve)
        await harness.settled(turn)
        expect(await read(other.workspaceRoot, 'a.txt')).toBe('Approved meanwhile.\n')
        const scout = await asking({ kind: 'create_agent', name: 'Scout', instructions: 'Look.', reason: null })
        await api.post(`/api/asks/${scout.id}/answer`, approve)
        await until(async () => (await api.get<AdminAsk>(`/api/asks/${scout.id}`)).status === 'consumed')
        // Its log is read while it is built.
        await until(async () => (await log()).some((line) => line.includes('word: update')), { what: 'its log' })
        expect((await now()).status).toBe('applying')
        expect(await api.get<Config>(`/api/agent-groups/${group.id}/config`)).toMatchObject({ packagesApt: [] })

        // A server that is killed meanwhile is followed by one that builds it again.
        await harness.server.kill()
        await harness.server.restart()
        await until(() => registry.waiting() > 0, { what: 'the build, again', seconds: 60 })
        registry.release()
        const done = await until(
          async () => {
            registry.release()
            const found = await now()
            return ['answered', 'applying'].includes(found.status) ? null : found
          },
          { what: 'the end of the build', seconds: 60 },
        )
        expect(done.status).toBe('consumed')
        const words = (await log()).flatMap((line) => /word: (.*)$/.exec(line)?.[1] ?? [])
        // Each name is one word, as it was shown: the shell saw no redirection and no tilde.
        const how = {
          apt: ['install', '-y', '--no-install-recommends', '-o', 'APT::Cmd::Pattern-Only=true'],
          npm: ['install', '--global', '--prefix', '/usr/local', '--no-fund', '--no-audit'],
        }
        expect(words.slice(words.lastIndexOf('update') + 1)).toEqual([
          ...how.apt,
          ...apt.toSorted(),
          ...how.npm,
          ...npm.toSorted(),
        ])
        expect(await harness.server.api().get<Config>(`/api/agent-groups/${group.id}/config`)).toMatchObject({
          packagesApt: apt,
          packagesNpm: npm,
        })
        // The session goes on, in a container of the new image.
        await until(
          async () => {
            const [container] = await harness.containers(session)
            return container?.Image === done.result?.image
          },
          { what: 'the new container', seconds: 60 },
        )
        await harness.server.api().delete(`/api/sessions/${session.id}`)
        await engineCall(harness.engine, 'DELETE', `/v1.41/images/${done.result?.image}?force=1`)
      },
    )
  },
)
