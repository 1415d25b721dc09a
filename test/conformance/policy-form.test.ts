import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { Api } from '../support/api.ts'
import { databases } from '../support/server.ts'
import { until } from '../support/until.ts'
import type { McpHarness } from './mcp-harness.ts'
import { openOperationsHarness } from './operations-harness.ts'
import type { Ask } from './shapes.ts'
import { openAsk, startSession } from './work.ts'

type Rule = { id: string; status: string; evidence: number; decidedBy: string | null; rule: { pattern: string } }
type Replay = { asks: number; answered: number; differ: { chose: string }[] }

describe.each(databases)('rules that people make themselves on %s', (database) => {
  let harness: McpHarness
  beforeAll(async () => {
    harness = await openOperationsHarness({ database })
  })
  afterAll(() => harness?.[Symbol.asyncDispose]())
  // After a restart at another port.
  const agentNow = (): Api => harness.server.api(harness.token)

  async function work() {
    const place = await harness.place()
    const session = await startSession(agentNow(), { workspaceRoot: place.path })
    const command = (text: string): Promise<Ask> =>
      openAsk(agentNow(), session, { subject: { kind: 'command', command: text, cwd: place.path } })
    const body = (kind: string, pattern: string) => ({ workspaceRoot: place.path, rule: { kind, pattern } })
    const add = (kind: string, pattern: string) => harness.owner.post<Rule>('/api/policy/rules', body(kind, pattern))
    const refused = (kind: string, pattern: string) =>
      harness.owner.refused('POST', '/api/policy/rules', body(kind, pattern))
    return { place, command, body, add, refused }
  }

  it('B7 is in force at once, for exactly that, and is revoked like others', async () => {
    const { command, add } = await work()
    expect(await command('git status')).toMatchObject({ status: 'open' })
    const rule = await add('command', 'git  status')
    expect(rule).toMatchObject({ status: 'confirmed', evidence: 0, decidedBy: expect.stringMatching(/^user:/) })
    expect(await command('git status')).toMatchObject({ status: 'answered', automatic: true })
    for (const other of ['git status --short', 'git status; id', 'git stash'])
      expect(await command(other)).toMatchObject({ status: 'open' })
    await harness.server.restart()
    expect(await command('git status')).toMatchObject({ status: 'answered' })
    await harness.owner.post(`/api/policy/rules/${rule.id}/revoke`)
    await until(async () => (await command('git status')).status === 'open')
  })

  it('B7 confirms what was suggested, and is refused if it is in force', async () => {
    const { command, add, refused } = await work()
    await harness.answer(await command('make lint'), { outcome: 'approve', always: true })
    const rule = await until(async () => {
      const { rules } = await harness.owner.get<{ rules: Rule[] }>('/api/policy/rules?status=proposed')
      return rules.find((one) => one.rule.pattern === 'make lint')
    })
    expect(await add('command', 'make lint')).toMatchObject({ id: rule.id, status: 'confirmed', evidence: 1 })
    expect(await refused('command', 'make lint')).toMatchObject({ status: 409, code: 'rule_exists' })
  })

  it.for([
    ['command', 'git status; id'],
    ['command', 'rm -rf $HOME'],
    ['command', 'sudo reboot'],
    ['command', 'bash'],
    ['command', 'ls *'],
    ['command', 'git st\u200batus'],
    ['write', '/etc/passwd'],
    ['write', '../secrets'],
    ['write', 'docs/../.envrc'],
    ['write', 'docs//a.md'],
    ['write', '.git/config'],
    ['write', 'CLAUDE.md'],
    ['write', 'sub/.signalbox/settings.json'],
    ['write', 'docs/**'],
    ['read', '.ssh/id_rsa'],
    ['tool', 'Web*'],
  ])('S7 never makes a rule of what is never automatic: %s %s', async ([kind, pattern]) => {
    const { refused } = await work()
    expect(await refused(kind!, pattern!)).toMatchObject({ status: 400, code: 'never_automatic' })
  })

  it('S7 agents, and people who administer nothing, make no rules', async () => {
    const { body } = await work()
    expect((await agentNow().refused('POST', '/api/policy/rules', body('command', 'id'))).status).toBe(403)
  })

  it('B7 the back-test says what a rule would have answered before it is made, and makes nothing', async () => {
    const { command, place } = await work()
    await harness.answer(await command('make all'), { outcome: 'approve' })
    await harness.answer(await command('make all'), { outcome: 'reject' })
    const rules = [{ kind: 'command', pattern: 'make all' }]
    const told = await harness.owner.post<Replay>('/api/policy/test', { workspaceRoot: place.path, rules })
    expect(told).toMatchObject({ asks: 2, answered: 2, differ: [{ chose: 'reject' }] })
    expect(await command('make all')).toMatchObject({ status: 'open' })
    const without = await harness.owner.post<Replay>('/api/policy/test', { workspaceRoot: place.path })
    expect(without).toMatchObject({ answered: 0 })
  })
})
