import { mkdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { openAgentsHarness, read, type OpenAsk, type AgentsHarness } from './agents-harness.ts'

const config = '[acp]\nmax_sessions = 1000\n[commands]\nhello = "echo hello"\nlist = "ls *"\n'

describe('policy and hosted agents', () => {
  let harness: AgentsHarness
  beforeAll(async () => {
    harness = await openAgentsHarness({ config })
  })
  afterAll(() => harness?.[Symbol.asyncDispose]())

  async function start(settings: Record<string, unknown>) {
    const place = await harness.workspace()
    await mkdir(join(place, '.signalbox'))
    await writeFile(join(place, '.signalbox', 'settings.json'), JSON.stringify(settings))
    await harness.api.post('/api/policy/trust', { workspaceRoot: place })
    return { place, session: await harness.start({ workspaceRoot: place }) }
  }
  const asks = async (session: { id: string }) =>
    (await harness.api.get<{ asks: OpenAsk[] }>(`/api/asks?sessionId=${session.id}`)).asks

  it('R19 X7 a permission for an edit that the policy lists is answered automatically, and recorded with its rule', async () => {
    const { place, session } = await start({ enabled: true, file_patterns: { write: ['docs/**'] } })
    await mkdir(join(place, 'docs'))
    await harness.say(session, '/write docs/a.md hello')
    expect(await read(place, 'docs', 'a.md')).toContain('hello')
    expect(await asks(session)).toMatchObject([
      {
        kind: 'permission',
        status: 'answered',
        automatic: true,
        answeredBy: 'policy:file_pattern:write:docs/**',
        answer: { outcome: 'approve' },
      },
    ])
  })

  it('R19 X7 a permission for a command needs policy and registry', async () => {
    const { session } = await start({ enabled: true, commands: ['echo *'] })
    await harness.say(session, '/run echo hello')
    expect(await asks(session)).toMatchObject([{ status: 'answered', answeredBy: 'policy:command:echo *' }])
    await harness.prompt(session, '/run echo hello; id')
    await harness.answer(await harness.openAsk(session), { outcome: 'reject' })
  })

  it('R19 X7 what the policy does not list is asked; protected files are always asked', async () => {
    const { place, session } = await start({ enabled: true, file_patterns: { write: ['**', '.*', '.*/**'] } })
    for (const path of ['.envrc', '.signalbox/settings.json', '.vscode/tasks.json', '../out.txt']) {
      await harness.prompt(session, `/write ${path} x`)
      const ask = await harness.openAsk(session)
      expect(ask).toMatchObject({ status: 'open', automatic: false })
      await harness.answer(ask, { outcome: 'reject' })
    }
    const settings = JSON.parse(await readFile(join(place, '.signalbox', 'settings.json'), 'utf8')) as unknown
    expect(settings).toMatchObject({ enabled: true })
  })

  it('R19 X7 a permission that can’t be allowed just once is asked', async () => {
    const { session } = await start({
      enabled: true,
      tools: ['practice'],
      file_patterns: { write: ['**'], read: ['**'] },
      commands: ['*'],
    })
    await harness.prompt(session, '/permit only-always')
    const ask = await harness.openAsk(session)
    expect(ask.automatic).toBe(false)
    await harness.answer(ask, { outcome: 'reject' })
  })

  it('R19 S7 X7 a policy that grows while the agent is running applies to its next permission once it is confirmed', async () => {
    const { place, session } = await start({ enabled: true })
    await harness.prompt(session, '/write a.txt one')
    await harness.answer(await harness.openAsk(session), { outcome: 'approve' })
    await writeFile(
      join(place, '.signalbox', 'settings.json'),
      JSON.stringify({ enabled: true, file_patterns: { write: ['*.txt'] } }),
    )
    await harness.prompt(session, '/write a.txt two')
    await harness.answer(await harness.openAsk(session), { outcome: 'reject' })
    const { pending } = await harness.api.get<{ pending: { hash: string } }>(`/api/policy?sessionId=${session.id}`)
    await harness.api.post('/api/policy/confirm', { workspaceRoot: place, hash: pending.hash })
    await harness.say(session, '/write a.txt three')
    expect(await read(place, 'a.txt')).toContain('three')
  })
})
