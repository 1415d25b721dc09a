import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { Api } from '../support/api.ts'
import type { McpHarness, Place } from './mcp-harness.ts'
import { openOperationsHarness } from './operations-harness.ts'
import { newPerson } from './people.ts'
import type { Ask } from './shapes.ts'
import { openAsk, startSession } from './work.ts'

type Replay = {
  asks: number
  answered: number
  same: number
  wouldAsk: number
  differ: { askId: string; rule: string; chose: string; by: string }[]
  rules: { rule: string; answered: number; differ: number }[]
  ignored: { entry: string }[]
}

const settings = JSON.stringify({
  enabled: true,
  commands: ['npm test', 'rm *'],
  file_patterns: { write: ['docs/**'] },
})

describe('a policy tested against past asks', () => {
  let harness: McpHarness
  let agent: Api
  let place: Place
  let rejected: Ask
  beforeAll(async () => {
    harness = await openOperationsHarness({ config: '[commands]\ntest = "npm test"\n' })
    agent = harness.server.api(harness.token)
    place = await harness.place()
    const session = await startSession(agent, { workspaceRoot: place.path })
    const command = (text: string) =>
      openAsk(agent, session, { subject: { kind: 'command', command: text, cwd: place.path } })
    const file = (filePath: string) => openAsk(agent, session, { subject: { kind: 'diff', filePath, diff: 'x\n' } })
    for (const ask of [await command('npm test'), await command('npm test'), await file('docs/a.md')])
      await harness.answer(ask, { outcome: 'approve' })
    await harness.answer(await command('rm -rf build'), { outcome: 'reject' })
    rejected = await file('docs/secret.md')
    await harness.answer(rejected, { outcome: 'reject' })
    await command('npm test')
  })
  afterAll(() => harness?.[Symbol.asyncDispose]())

  it('B2 says how many past asks it would have answered, and which differ from what people chose', async () => {
    const report = await harness.owner.post<Replay>('/api/policy/test', { workspaceRoot: place.path, settings })
    expect(report).toMatchObject({ asks: 5, answered: 4, same: 3, wouldAsk: 0 })
    expect(report.differ).toMatchObject([
      { askId: rejected.id, rule: 'file_pattern:write:docs/**', chose: 'reject', by: expect.stringMatching(/^user:/) },
    ])
    expect(report.rules).toContainEqual({ rule: 'command:npm test', answered: 2, differ: 0 })
    expect(report.rules).toContainEqual({ rule: 'file_pattern:write:docs/**', answered: 2, differ: 1 })
    expect(report.ignored).toMatchObject([{ entry: expect.stringContaining('rm *') }])
  })

  it('B2 changes nothing and answers nothing', async () => {
    const before = await harness.owner.get('/api/asks?limit=100')
    await harness.owner.post('/api/policy/test', { workspaceRoot: place.path, settings })
    expect(await harness.owner.get('/api/asks?limit=100')).toEqual(before)
    expect(await place.read('.signalbox/settings.json')).toBeNull()
  })

  it('B2 over the command line, in a sentence and as JSON', async () => {
    const file = join(harness.server.home, 'new.json')
    await writeFile(file, settings)
    const said = await harness.server.cli('policy', 'test', file, '--workspace', place.path)
    expect(said).toMatchObject({
      code: 0,
      stdout: expect.stringContaining(
        'This policy would have answered 4 of 5 past asks; 1 differs from what you chose.',
      ),
    })
    const json = await harness.server.cli('policy', 'test', file, '--workspace', place.path, '--json')
    expect(JSON.parse(json.stdout)).toMatchObject({ answered: 4, differ: [{ askId: rejected.id }] })
  })

  it('B2 counts asks that are automatic today and would no longer be', async () => {
    await place.policy({ enabled: true, commands: ['npm test'] })
    const session = await startSession(agent, { workspaceRoot: place.path })
    const ask = await openAsk(agent, session, { subject: { kind: 'command', command: 'npm test', cwd: place.path } })
    expect(ask.automatic).toBe(true)
    const strict = await harness.owner.post<Replay>('/api/policy/test', { workspaceRoot: place.path, settings: '{}' })
    expect(strict).toMatchObject({ answered: 0, wouldAsk: 1 })
    const now = await harness.owner.post<Replay>('/api/policy/test', { workspaceRoot: place.path })
    expect(now.wouldAsk).toBe(0)
  })

  it('B2 a file with faults is refused, with the faults', async () => {
    const refused = await harness.owner.refused('POST', '/api/policy/test', {
      workspaceRoot: place.path,
      settings: '{"comands": []}',
    })
    expect(refused).toMatchObject({ status: 400, message: expect.stringContaining('comands') })
    const file = join(harness.server.home, 'bad.json')
    await writeFile(file, '{')
    expect((await harness.server.cli('policy', 'test', file, '--workspace', place.path)).code).not.toBe(0)
  })

  it('B2 is only for people who may see those asks', async () => {
    const ann = await newPerson(harness.server, 'Ann')
    for (const api of [ann.api, agent])
      expect([403, 404]).toContain(
        (await api.refused('POST', '/api/policy/test', { workspaceRoot: place.path, settings })).status,
      )
  })
})
