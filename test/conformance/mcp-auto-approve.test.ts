import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { until } from '../support/until.ts'
import { approve, openMcpHarness, reject, resource, type McpHarness } from './mcp-harness.ts'

const terminal = (command: string, more: Record<string, unknown> = {}) => ({
  tool_name: command,
  kind: 'terminal_command',
  ...more,
})

describe('check_auto_approve', () => {
  let harness: McpHarness
  beforeAll(async () => {
    harness = await openMcpHarness({ config: '[commands]\nstatus = "git status"\nlist = "ls *"\n' })
  })
  afterAll(() => harness?.[Symbol.asyncDispose]())

  it('R8 R19 a command that the policy lists and the registry has is automatic, by its rule', async () => {
    await using agent = await harness.connect()
    await agent.place.policy({ enabled: true, commands: ['git status', 'ls *'] })
    expect(await agent.call('check_auto_approve', terminal('git status'))).toEqual({
      auto_approved: true,
      matched_rule: 'command:git status',
      isError: false,
    })
    expect(await agent.call('check_auto_approve', terminal('ls src docs'))).toMatchObject({
      auto_approved: true,
      matched_rule: 'command:ls *',
    })
  })

  it.each([
    'git status; rm -rf /',
    'git status && id',
    'git status | tee x',
    'git status > x',
    'git status\nid',
    'ls $(id)',
    'ls `id`',
    'ls src & id',
    'ls --color=x',
    'sudo git status',
    'env A=1 git status',
    'git  status --short',
  ])('R8 R19 %j matches no rule: it is asked', async (command) => {
    await using agent = await harness.connect({ place: null })
    await agent.place.policy({ enabled: true, commands: ['git status', 'ls *'] })
    const { ask, done } = await agent.begin('check_auto_approve', terminal(command))
    expect(ask).toMatchObject({ kind: 'command', subject: { command, cwd: agent.place.path } })
    await harness.answer(ask, reject())
    expect(await done).toEqual({ auto_approved: false, matched_rule: null, isError: false })
  })

  it('R8 a terminal command that no rule answers is asked and blocks; approved it is operator:approved', async () => {
    await using agent = await harness.connect()
    const { ask, done } = await agent.begin(
      'check_auto_approve',
      terminal('make all', { context: { risk_level: 'high' } }),
    )
    expect(ask).toMatchObject({ kind: 'command', riskLevel: 'high', status: 'open', title: 'make all' })
    expect((await agent.detail()).lastTool).toBe('check_auto_approve')
    await harness.answer(ask, approve)
    expect(await done).toEqual({ auto_approved: true, matched_rule: 'operator:approved', isError: false })
  })

  it('R8 without a progress token it is pending, and answered by request_id', async () => {
    await using agent = await harness.connect()
    const pending = await agent.call('check_auto_approve', terminal('make all'))
    expect(pending).toMatchObject({ status: 'pending', auto_approved: false, matched_rule: null })
    const { request_id } = pending
    const again = agent.call('check_auto_approve', { request_id })
    await harness.answer({ id: String(request_id) }, approve)
    expect(await again).toMatchObject({ auto_approved: true, matched_rule: 'operator:approved' })
    expect(await agent.call('check_auto_approve', { request_id })).toMatchObject({ auto_approved: true })
  })

  it('R8 two commands may be asked about at once, each with its own answer', async () => {
    await using agent = await harness.connect()
    const calls = ['one', 'two'].map((name) => agent.call('check_auto_approve', terminal(name), { held: true }))
    const asks = await until(async () => {
      const open = await resource<{ id: string; title: string }[]>(agent.client, 'inbox')
      return open.length === 2 ? open : null
    })
    for (const ask of asks) await harness.answer(ask, ask.title === 'one' ? approve : reject())
    expect((await Promise.all(calls)).map(({ auto_approved }) => auto_approved)).toEqual([true, false])
  })

  it('R8 a command of critical risk is never automatic', async () => {
    await using agent = await harness.connect()
    await agent.place.policy({ enabled: true, commands: ['git status'] })
    const input = terminal('git status', { context: { risk_level: 'critical' } })
    const { ask, done } = await agent.begin('check_auto_approve', input)
    await harness.answer(ask, approve)
    expect(await done).toMatchObject({ matched_rule: 'operator:approved' })
  })

  it('R8 tools and files: the rule by name, or null at once, and no one is asked', async () => {
    await using agent = await harness.connect()
    await agent.place.policy({
      enabled: true,
      tools: ['web_search'],
      file_patterns: { write: ['docs/**'], read: ['src/**'] },
    })
    const check = (input: Record<string, unknown>) => agent.call('check_auto_approve', input)
    expect(await check({ tool_name: 'web_search' })).toEqual({
      auto_approved: true,
      matched_rule: 'tool:web_search',
      isError: false,
    })
    const file = (tool_name: string, file_path: string) => ({
      tool_name,
      kind: 'file_operation',
      context: { file_path },
    })
    expect(await check(file('write_file', 'docs/a.md'))).toMatchObject({ matched_rule: 'file_pattern:write:docs/**' })
    expect(await check(file('read_file', 'src/a.ts'))).toMatchObject({ matched_rule: 'file_pattern:read:src/**' })
    const no = { auto_approved: false, matched_rule: null, isError: false }
    expect(await check(file('write_file', 'src/a.ts'))).toEqual(no)
    expect(await check(file('write_file', 'docs/../src/a.ts'))).toEqual(no)
    expect(await check(file('write_file', '../docs/a.md'))).toEqual(no)
    expect(await check(file('write_file', '.signalbox/settings.json'))).toEqual(no)
    expect(await check({ tool_name: 'delete_everything' })).toEqual(no)
    expect(await check({ tool_name: 'web_search', context: { risk_level: 'critical' } })).toEqual(no)
    expect(await resource(agent.client, 'inbox')).toEqual([])
  })

  it('R8 R19 no policy, one that is off, and one that can’t be read: everything is asked', async () => {
    await using agent = await harness.connect()
    const check = () => agent.call('check_auto_approve', { tool_name: 'web_search' })
    expect(await check()).toMatchObject({ auto_approved: false, matched_rule: null })
    await agent.place.policy({ tools: ['web_search'] })
    expect(await check()).toMatchObject({ auto_approved: false })
    await agent.place.policy({ enabled: true, tools: ['web_search'] })
    await until(async () => (await check())['auto_approved'])
    await agent.place.write('.signalbox/settings.json', '{ "enabled": true, "tools": [')
    await until(async () => (await check())['auto_approved'] === false)
  })

  it.each([
    ['no tool_name', {}, /tool_name/],
    ['an unknown kind', { tool_name: 'x', kind: 'other' }, /kind/],
    ['an unknown field', { tool_name: 'x', cwd: '/' }, /cwd/],
    ['an unknown field in context', { tool_name: 'x', context: { path: 'x' } }, /path/],
    ['an unknown risk', { tool_name: 'x', context: { risk_level: 'none' } }, /risk_level/],
  ])('R8 with %s it is refused', async (_what, input, why) => {
    await using agent = await harness.connect({ place: null })
    const said = await agent.call('check_auto_approve', input)
    expect([said.isError, said['error_message']]).toEqual([true, expect.stringMatching(why)])
  })

  it('R8 auto_check is the same tool', async () => {
    await using agent = await harness.connect()
    const { ask, done } = await agent.begin('auto_check', terminal('make'))
    await harness.answer(ask, approve)
    expect(await done).toMatchObject({ auto_approved: true, matched_rule: 'operator:approved' })
  })

  it('R8 a cancelled ask for a command, or one whose session ended, is not an approval', async () => {
    await using agent = await harness.connect()
    const first = await agent.begin('check_auto_approve', terminal('make'))
    await harness.owner.post(`/api/asks/${first.ask.id}/cancel`)
    expect(await first.done).toMatchObject({ auto_approved: false, matched_rule: null })
    const second = await agent.begin('check_auto_approve', terminal('make'))
    await harness.owner.post(`/api/sessions/${agent.sessionId}/terminate`)
    expect(await second.done).toMatchObject({ auto_approved: false, matched_rule: null })
  })
})
