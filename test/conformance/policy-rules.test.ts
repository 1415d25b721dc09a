import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { Api } from '../support/api.ts'
import { databases } from '../support/server.ts'
import { until } from '../support/until.ts'
import type { McpHarness } from './mcp-harness.ts'
import { openOperationsHarness } from './operations-harness.ts'
import { newPerson } from './people.ts'
import type { Ask } from './shapes.ts'
import { openAsk, startSession } from './work.ts'

type Rule = {
  id: string
  workspaceRoot: string
  rule: { kind: string; pattern: string }
  status: string
  askId: string | null
  evidence: number
  proposedBy: string
  decidedBy: string | null
}

const always = { outcome: 'approve', always: true }

describe.each(databases)('rules proposed by "always" on %s', (database) => {
  let harness: McpHarness
  let agent: Api
  beforeAll(async () => {
    harness = await openOperationsHarness({ database })
    agent = harness.server.api(harness.token)
  })
  afterAll(() => harness?.[Symbol.asyncDispose]())

  async function work(settings?: Record<string, unknown>) {
    const place = await harness.place()
    if (settings) await place.policy(settings)
    const session = await startSession(agent, { workspaceRoot: place.path })
    const command = (text: string, more: Record<string, unknown> = {}): Promise<Ask> =>
      openAsk(agent, session, { subject: { kind: 'command', command: text, cwd: place.path }, ...more })
    const rules = async (): Promise<Rule[]> =>
      (await harness.owner.get<{ rules: Rule[] }>(`/api/policy/rules?workspaceRoot=${encodeURIComponent(place.path)}`))
        .rules
    const proposed = (count = 1) =>
      until(async () => {
        const found = await rules()
        return found.length >= count ? found : null
      })
    const propose = async (text: string): Promise<Rule> => {
      const ask = await command(text)
      await harness.answer(ask, always)
      return until(async () => (await rules()).find(({ askId }) => askId === ask.id))
    }
    /** Waits until all earlier answers are handled. */
    const settled = async () => {
      await propose('echo settled')
    }
    return { place, session, command, rules, proposed, propose, settled }
  }

  it('B3 proposed with evidence, confirmed by a person, automatic from then on, asked again once revoked', async () => {
    const { command, place, proposed } = await work()
    await harness.answer(await command('make lint'), { outcome: 'approve' })
    const ask = await command('make lint')
    await harness.answer(ask, always)
    const [rule] = await proposed()
    expect(rule).toMatchObject({
      workspaceRoot: place.path,
      rule: { kind: 'command', pattern: 'make lint' },
      status: 'proposed',
      askId: ask.id,
      evidence: 2,
      proposedBy: expect.stringMatching(/^user:/),
      decidedBy: null,
    })
    expect(await command('make lint')).toMatchObject({ status: 'open' })
    const confirmed = await harness.owner.post(`/api/policy/rules/${rule!.id}/confirm`)
    expect(confirmed).toMatchObject({ status: 'confirmed', decidedBy: expect.stringMatching(/^user:/) })
    const answered = await until(async () => {
      const next = await command('make lint')
      return next.status === 'answered' ? next : null
    })
    expect(answered).toMatchObject({ automatic: true, answeredBy: 'policy:command:make lint' })
    expect(await command('make lint --fix')).toMatchObject({ status: 'open' })
    expect(await command('make lint; id')).toMatchObject({ status: 'open' })
    expect(await command('make lint', { riskLevel: 'high' })).toMatchObject({ status: 'open' })
    await harness.owner.post(`/api/policy/rules/${rule!.id}/revoke`)
    await until(async () => (await command('make lint')).status === 'open')
  })

  it('B3 never silently: an approval without "always" proposes nothing, however often it is given', async () => {
    const { command, rules, settled } = await work()
    for (let n = 0; n < 5; n += 1) await harness.answer(await command('make all'), { outcome: 'approve' })
    await settled()
    expect((await rules()).map(({ rule }) => rule.pattern)).toEqual(['echo settled'])
  })

  it('B3 a rule applies only in its own workspace', async () => {
    const [one, other] = [await work(), await work()]
    const rule = await one.propose('make one')
    await harness.owner.post(`/api/policy/rules/${rule.id}/confirm`)
    await until(async () => (await one.command('make one')).status === 'answered')
    expect(await other.command('make one')).toMatchObject({ status: 'open' })
  })

  it('B3 a policy that is switched off, or has faults, switches confirmed rules off too', async () => {
    const { place, command, propose } = await work()
    const rule = await propose('make one')
    await harness.owner.post(`/api/policy/rules/${rule.id}/confirm`)
    await until(async () => (await command('make one')).status === 'answered')
    await place.policy({ enabled: false })
    expect(await command('make one')).toMatchObject({ status: 'open' })
    await place.write('.signalbox/settings.json', '{')
    expect(await command('make one')).toMatchObject({ status: 'open' })
    await place.policy({ enabled: true })
    expect(await command('make one')).toMatchObject({ status: 'answered' })
  })

  it('B3 what is never automatic is not proposed: protected files, launchers, several files', async () => {
    const { place, session, command, rules, settled } = await work()
    for (const text of ['sudo make', 'sh -c "make"', 'make; id', 'env A=1 make', 'make > out'])
      await harness.answer(await command(text), always)
    for (const filePath of ['.envrc', '.git/config', '.signalbox/settings.json', '.vscode/tasks.json', '../out.txt']) {
      const ask = await openAsk(agent, session, { subject: { kind: 'diff', filePath, diff: 'x\n' } })
      await harness.answer(ask, always)
    }
    await settled()
    expect((await rules()).map(({ rule }) => rule.pattern)).toEqual(['echo settled'])
    expect(place.path).toBe(session.workspaceRoot)
  })

  it('B3 a file approved "always" is proposed as exactly that file', async () => {
    const { session, proposed } = await work()
    const subject = { kind: 'diff', filePath: 'docs/a.md', diff: 'hello\n' }
    await harness.answer(await openAsk(agent, session, { subject }), always)
    const [rule] = await proposed()
    expect(rule).toMatchObject({ rule: { kind: 'write', pattern: 'docs/a.md' } })
    await harness.owner.post(`/api/policy/rules/${rule!.id}/confirm`)
    const again = await until(async () => {
      const ask = await openAsk(agent, session, { subject })
      return ask.status === 'open' ? null : ask
    })
    expect(again).toMatchObject({ automatic: true, answeredBy: 'policy:file_pattern:write:docs/a.md' })
    expect(await openAsk(agent, session, { subject: { ...subject, filePath: 'docs/b.md' } })).toMatchObject({
      status: 'open',
    })
  })

  it('B3 R3 neither agents nor people without the admin role confirm, dismiss or revoke', async () => {
    const { propose, command } = await work()
    const { id } = await propose('make mine')
    const ann = await newPerson(harness.server, 'Ann')
    for (const verb of ['confirm', 'dismiss', 'revoke'])
      for (const api of [agent, ann.api]) {
        const refused = await api.refused('POST', `/api/policy/rules/${id}/${verb}`)
        expect([403, 404]).toContain(refused.status)
      }
    expect(await command('make mine')).toMatchObject({ status: 'open' })
  })

  it('B3 a dismissed rule answers nothing and can’t be confirmed by mistake', async () => {
    const { propose, command } = await work()
    const { id } = await propose('make nothing')
    expect(await harness.owner.post(`/api/policy/rules/${id}/dismiss`)).toMatchObject({ status: 'dismissed' })
    expect((await harness.owner.refused('POST', `/api/policy/rules/${id}/confirm`)).status).toBe(409)
    expect((await harness.owner.refused('POST', `/api/policy/rules/${id}/revoke`)).status).toBe(409)
    expect(await command('make nothing')).toMatchObject({ status: 'open' })
  })

  it('B3 the same rule is not proposed twice at once', async () => {
    const { command, rules, settled } = await work()
    for (let n = 0; n < 3; n += 1) await harness.answer(await command('make again'), always)
    await settled()
    const same = (await rules()).filter(({ rule, status }) => rule.pattern === 'make again' && status === 'proposed')
    expect(same).toHaveLength(1)
  })

  it('B3 over the command line: answer --always, policy rules, confirm, revoke', async () => {
    const { command, proposed, place } = await work()
    const ask = await command('make cli')
    expect(await harness.server.cli('answer', ask.id, 'approve', '--always')).toMatchObject({ code: 0 })
    const [rule] = await proposed()
    const listed = await harness.server.cli('policy', 'rules', '--workspace', place.path, '--json')
    expect(JSON.parse(listed.stdout)).toMatchObject({ rules: [{ id: rule!.id, status: 'proposed' }] })
    expect(await harness.server.cli('policy', 'confirm', rule!.id)).toMatchObject({ code: 0 })
    await until(async () => (await command('make cli')).status === 'answered')
    expect(await harness.server.cli('policy', 'revoke', rule!.id)).toMatchObject({ code: 0 })
    await until(async () => (await command('make cli')).status === 'open')
  })

  it('B3 a confirmed rule survives kill -9', async () => {
    const { propose, session, place } = await work()
    const { id } = await propose('make lasting')
    await harness.owner.post(`/api/policy/rules/${id}/confirm`)
    await harness.crash()
    agent = harness.server.api(harness.token)
    const ask = await openAsk(agent, session, {
      subject: { kind: 'command', command: 'make lasting', cwd: place.path },
    })
    expect(ask).toMatchObject({ status: 'answered', automatic: true })
  })
})
