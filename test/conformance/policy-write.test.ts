import { createHash } from 'node:crypto'
import { lstat, mkdir, readFile, readdir, symlink, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { refusalOf, type Api, type Refusal } from '../support/api.ts'
import { usualDatabases } from '../support/server.ts'
import type { McpHarness, Place } from './mcp-harness.ts'
import { openOperationsHarness } from './operations-harness.ts'
import { newPerson } from './people.ts'
import { exportLog, newToken, openAsk, startSession } from './work.ts'

type InForce = {
  path: string | null
  settings: string | null
  hash: string | null
  file: { enabled: boolean; commands: string[] } | null
  faults: unknown[]
}

const config = '[commands]\ntest = "npm test"\n'
const text = (settings: Record<string, unknown>) => `${JSON.stringify(settings, null, 2)}\n`
const sha256 = (words: string) => createHash('sha256').update(words).digest('hex')
const tests = text({ enabled: true, commands: ['npm test'] })
const none = text({ enabled: false })

describe.each(usualDatabases)('writing a policy on %s', (database) => {
  let harness: McpHarness
  let owner: Api
  let agent: Api
  beforeAll(async () => {
    harness = await openOperationsHarness({ database, config })
    owner = harness.owner
    agent = harness.server.api(harness.token)
  })
  afterAll(() => harness?.[Symbol.asyncDispose]())

  const look = (place: Place) => owner.get<InForce>(`/api/policy?workspaceRoot=${encodeURIComponent(place.path)}`)
  const put = (api: Api, body: Record<string, unknown>) => api.send('PUT', '/api/policy', { body })
  async function write(place: Place, settings: string, expected: string | null): Promise<InForce> {
    const reply = await put(owner, { workspaceRoot: place.path, settings, expected })
    if (reply.status !== 200) throw new Error(reply.text)
    return reply.body as InForce
  }
  async function refused(place: Place, body: Record<string, unknown>, api = owner): Promise<Refusal> {
    const reply = await put(api, { workspaceRoot: place.path, expected: null, ...body })
    expect(reply.status).toBeGreaterThanOrEqual(400)
    return refusalOf(reply)
  }
  const fileOf = (place: Place) => join(place.path, '.signalbox', 'settings.json')

  it('R19 an admin writes it, it applies at once, and the log says who did', async () => {
    const place = await harness.place()
    expect(await look(place)).toMatchObject({ path: null, settings: null, hash: null })
    expect(await write(place, tests, null)).toMatchObject({
      path: fileOf(place),
      settings: tests,
      hash: sha256(tests),
      file: { enabled: true, commands: ['npm test'] },
      faults: [],
    })
    expect(await readFile(fileOf(place), 'utf8')).toBe(tests)
    expect((await lstat(fileOf(place))).mode & 0o777).toBe(0o644)
    expect(await readdir(join(place.path, '.signalbox'))).toEqual(['settings.json'])
    const session = await startSession(agent, { workspaceRoot: place.path })
    const command = { kind: 'command', command: 'npm test', cwd: place.path }
    expect(await openAsk(agent, session, { subject: command })).toMatchObject({ automatic: true })
    expect(await write(place, none, sha256(tests))).toMatchObject({ hash: sha256(none) })
    expect(await openAsk(agent, session, { subject: command })).toMatchObject({ status: 'open' })
    const written = (await exportLog(owner, 'type=policy.written')).filter(
      ({ data }) => data['workspaceRoot'] === place.path,
    )
    expect(written.map(({ actor, data }) => [actor.split(':')[0], data['hash']])).toEqual([
      ['user', sha256(tests)],
      ['user', sha256(none)],
    ])
  })

  it('R19 a person who read another version is told, and nothing is written', async () => {
    const place = await harness.place()
    await write(place, tests, null)
    expect(await refused(place, { settings: none })).toMatchObject({ status: 409, code: 'policy_changed' })
    expect(await refused(place, { settings: none, expected: sha256(none) })).toMatchObject({
      status: 409,
      code: 'policy_changed',
      details: { hash: sha256(tests) },
    })
    expect(await readFile(fileOf(place), 'utf8')).toBe(tests)
    const both = await Promise.all(
      [1, 2].map((n) =>
        put(owner, {
          workspaceRoot: place.path,
          settings: text({ enabled: true, commands: [`echo ${n}`] }),
          expected: sha256(tests),
        }),
      ),
    )
    expect(both.map(({ status }) => status).toSorted((a, b) => a - b)).toEqual([200, 409])
  })

  it('R19 a policy with faults is refused, with their lines', async () => {
    const place = await harness.place()
    const broken = await refused(place, { settings: '{\n  "enabled": true,\n  "commands": "npm test"\n}\n' })
    expect(broken).toMatchObject({
      status: 400,
      code: 'policy_faulty',
      details: { faults: [{ line: 3, key: 'commands' }] },
    })
    expect(await refused(place, { settings: '{' })).toMatchObject({ code: 'policy_faulty' })
    expect(await refused(place, { settings: tests, expected: 'nonsense' })).toMatchObject({ status: 400 })
    expect(await readdir(place.path)).not.toContain('.signalbox')
  })

  it('R19 is for admins only: not for agents, others or read-only tokens', async () => {
    const place = await harness.place()
    const session = await startSession(agent, { workspaceRoot: place.path })
    const other = await newPerson(harness.server, 'Other')
    const { token } = await newToken(owner, { scope: 'read' })
    for (const [api, code] of [
      [agent, 'agents_may_not'],
      [other.api, 'needs_role'],
      [harness.server.api(token), 'read_only_token'],
    ] as const)
      for (const body of [{ settings: tests }, { settings: tests, workspaceRoot: undefined, sessionId: session.id }])
        expect(await refused(place, body, api)).toMatchObject({ status: 403, code })
    expect(await readdir(place.path)).not.toContain('.signalbox')
    const reply = await put(owner, { sessionId: session.id, settings: tests, expected: null })
    expect([reply.status, await readFile(fileOf(place), 'utf8')]).toEqual([200, tests])
  })

  it('R22 no link leads out of the workspace, and only plain files are replaced', async () => {
    const [linked, outside] = [await harness.place(), await harness.place()]
    await symlink(outside.path, join(linked.path, '.signalbox'))
    expect((await refused(linked, { settings: tests })).status).toBeGreaterThanOrEqual(400)
    expect(await readdir(outside.path)).toEqual([])
    const other = await harness.place()
    await mkdir(join(other.path, '.signalbox'))
    await writeFile(join(outside.path, 'kept.json'), none)
    await symlink(join(outside.path, 'kept.json'), fileOf(other))
    expect(await refused(other, { settings: tests })).toMatchObject({ status: 409, code: 'policy_unusable' })
    expect(await readFile(join(outside.path, 'kept.json'), 'utf8')).toBe(none)
    // Its target is not shown either.
    expect(await look(other)).toMatchObject({ settings: null, hash: null })
    const folder = await harness.place()
    await mkdir(fileOf(folder), { recursive: true })
    expect((await refused(folder, { settings: tests })).status).toBe(409)
    expect(await refused({ ...folder, path: '/nowhere/at/all' }, { settings: tests })).toMatchObject({ status: 404 })
  })

  it('R19 a file with the older name no longer applies once there is a new one', async () => {
    const place = await harness.place()
    await mkdir(join(place.path, '.monocoque'))
    const old = join(place.path, '.monocoque', 'settings.json')
    await writeFile(old, tests)
    expect(await look(place)).toMatchObject({ path: old, hash: sha256(tests) })
    expect(await refused(place, { settings: none })).toMatchObject({ code: 'policy_changed' })
    expect(await write(place, none, sha256(tests))).toMatchObject({ path: fileOf(place), hash: sha256(none) })
    expect(await readFile(old, 'utf8')).toBe(tests)
  })
})
