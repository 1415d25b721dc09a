import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { McpHarness, Place } from '../conformance/mcp-harness.ts'
import { notes, openOperationsHarness } from '../conformance/operations-harness.ts'
import { newPerson } from '../conformance/people.ts'
import { openAsk, startSession } from '../conformance/work.ts'
import { usualDatabases } from '../support/server.ts'
import { until } from '../support/until.ts'

type Policy = {
  pending: { hash: string; wider: string[]; since: string } | null
  file: unknown
  settings: string
}

const file = '.signalbox/settings.json'
const settings = (write: string[], more: object = {}) =>
  JSON.stringify({ enabled: true, file_patterns: { write }, ...more })

describe.each(usualDatabases)('a policy that grows while an agent is running, on %s', (database) => {
  let harness: McpHarness
  beforeAll(async () => {
    harness = await openOperationsHarness({
      database,
      config: '[commands]\ntest = "npm test"\nlint = "npm run lint"\n',
    })
  })
  afterAll(() => harness?.[Symbol.asyncDispose]())

  async function work(place?: Place) {
    const at = place ?? (await harness.place())
    const agent = harness.server.api(harness.token)
    const session = await startSession(agent, { workspaceRoot: at.path })
    const ask = async (subject: object) => (await openAsk(agent, session, { subject })).status
    return {
      place: at,
      session,
      writes: (filePath: string) => ask({ kind: 'diff', filePath, diff: 'x\n' }),
      runs: (command: string) => ask({ kind: 'command', command, cwd: at.path }),
    }
  }
  const policy = (place: Place) =>
    harness.owner.get<Policy>(`/api/policy?workspaceRoot=${encodeURIComponent(place.path)}`)
  const confirm = (place: Place, hash: string) =>
    harness.owner.post<Policy>('/api/policy/confirm', { workspaceRoot: place.path, hash })

  it('S7 an agent that writes its own policy gains nothing by it', async () => {
    const { place, session, writes } = await work()
    expect(await writes('a.txt')).toBe('open')
    await place.write(file, settings(['**']))
    expect(await writes('a.txt')).toBe('open')
    await until(async () => (await notes(harness, session.id)).some((note) => note.includes('was widened')))
    const { pending } = await policy(place)
    expect(pending).toMatchObject({ wider: ['file_patterns.write: **'], hash: expect.any(String) })
    await confirm(place, pending!.hash)
    expect(await writes('a.txt')).toBe('answered')
    expect((await policy(place)).pending).toBeNull()
  })

  it('S7 nor does the next session, after this one has ended', async () => {
    const first = await work()
    await first.place.write(file, settings(['**']))
    await harness.owner.post(`/api/sessions/${first.session.id}/complete`)
    const next = await work(first.place)
    expect(await next.writes('a.txt')).toBe('open')
  })

  it('S7 what both allow stays in force', async () => {
    const place = await harness.place()
    await place.write(file, settings(['a/**', 'b/**'], { commands: ['npm test'] }))
    const { writes, runs } = await work(place)
    expect([await writes('a/x'), await runs('npm test')]).toEqual(['answered', 'answered'])
    await place.write(file, settings(['b/**', 'c/**'], { commands: ['npm test', 'npm run lint'] }))
    expect([await writes('b/x'), await runs('npm test')]).toEqual(['answered', 'answered'])
    expect([await writes('a/x'), await writes('c/x'), await runs('npm run lint')]).toEqual(['open', 'open', 'open'])
    await place.write(file, settings(['b/**']))
    expect(await writes('b/x')).toBe('answered')
    expect((await policy(place)).pending).toBeNull()
  })

  it.each([
    [
      'turns it on',
      { enabled: false, file_patterns: { write: ['**'] } },
      { enabled: true, file_patterns: { write: ['**'] } },
    ],
    [
      'raises the risk',
      { enabled: true, file_patterns: { write: ['**'] } },
      { enabled: true, file_patterns: { write: ['**'] }, risk_level_threshold: 'high' },
    ],
    ['adds a tool', { enabled: true }, { enabled: true, tools: ['deploy'] }],
    ['adds a command', { enabled: true }, { enabled: true, commands: ['npm test'] }],
    ['allows reading more', { enabled: true }, { enabled: true, file_patterns: { read: ['**'] } }],
  ])('S7 a change that %s waits', async (_what, before, after) => {
    const place = await harness.place()
    await place.write(file, JSON.stringify(before))
    await work(place)
    await place.write(file, JSON.stringify(after))
    expect((await policy(place)).pending).toMatchObject({ hash: expect.any(String) })
  })

  it('S7 an agent that runs while the server is killed gains nothing by the restart', async () => {
    const { place } = await work()
    await place.write(file, settings(['**']))
    await harness.crash()
    const next = await work(place)
    expect(await next.writes('a.txt')).toBe('open')
    expect((await policy(place)).pending).toMatchObject({ hash: expect.any(String) })
  })

  it('S7 exactly the text that was read is confirmed, and only by an admin', async () => {
    const { place, writes } = await work()
    await place.write(file, settings(['a/**']))
    const seen = (await policy(place)).pending!.hash
    await place.write(file, settings(['**']))
    const body = { workspaceRoot: place.path, hash: seen }
    const late = await harness.owner.refused('POST', '/api/policy/confirm', body)
    expect([late.status, late.code]).toEqual([409, 'policy_changed'])
    const ann = await newPerson(harness.server, `Ann ${place.id}`)
    const { hash } = (await policy(place)).pending!
    for (const api of [ann.api, harness.server.api(harness.token)])
      expect((await api.refused('POST', '/api/policy/confirm', { ...body, hash })).status).toBe(403)
    expect(await writes('a/x')).toBe('open')
  })

  it('S7 the command line shows what it adds and its effect on past asks, and confirms it', async () => {
    const { place, writes } = await work()
    await writes('docs/a.md')
    await place.write(file, settings(['docs/**']))
    const shown = await harness.server.cli('policy', '--workspace', place.path)
    expect(shown.stdout).toContain('+ file_patterns.write: docs/**')
    expect(shown.stdout).toMatch(/would have answered|No past asks/)
    const hash = /policy accept ([0-9a-f]{12})/.exec(shown.stdout)?.[1] ?? ''
    expect(await harness.server.cli('policy', 'accept', 'ffffffffffff', '--workspace', place.path)).toMatchObject({
      code: 6,
    })
    expect(await harness.server.cli('policy', 'accept', hash, '--workspace', place.path)).toMatchObject({ code: 0 })
    expect(await writes('docs/a.md')).toBe('answered')
  })

  it('S7 what an admin writes through Signalbox applies at once', async () => {
    const { place, writes } = await work()
    const body = { workspaceRoot: place.path, settings: settings(['a/**']), expected: null }
    expect(await harness.owner.send('PUT', '/api/policy', { body })).toMatchObject({
      status: 200,
      body: { pending: null },
    })
    expect(await writes('a/x')).toBe('answered')
    expect((await policy(place)).pending).toBeNull()
  })
})
