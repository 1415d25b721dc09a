import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { settingsOf } from '../../src/app/import/engage.ts'
import { importSeed } from '../../src/app/import/import-seed.ts'
import type { SeedRow } from '../../src/app/import/rows.ts'
import { defaultContainerConfig } from '../../src/domain/agent-group/container-config.ts'
import { loadContainerConfig } from '../../src/domain/agent-group/store-container-config.ts'
import type { AgentGroupId } from '../../src/domain/user/id.ts'
import { iso } from '../../src/lib/clock.ts'
import { nanoclaw } from '../support/nanoclaw.ts'
import { describeBoth, workRepo, type World } from '../world.ts'
import { chatHarness, sender } from './chat-harness.ts'

async function bring(world: World, file: string, dryRun = false) {
  const done = await importSeed(world.database, { file, now: iso(world.clock.now()), dryRun })
  if (!done.ok) throw new Error(done.fault.message)
  return done.value
}

const groupAt = async (world: World, folder: string): Promise<AgentGroupId> =>
  (
    await world.database.read
      .selectFrom('agent_groups')
      .select('id')
      .where('folder', '=', folder)
      .executeTakeFirstOrThrow()
  ).id

describeBoth('C1 the import of a NanoClaw database', (open) => {
  it('takes every table, counts it, and names what it leaves out', async () => {
    await using world = await open()
    using from = nanoclaw()
    const { tables, leftOut, changed } = await bring(world, from.file)
    expect(Object.fromEntries(tables.map((row) => [row.table, [row.read, row.imported, row.leftOut]]))).toEqual({
      agent_groups: [2, 2, 0],
      messaging_groups: [4, 4, 0],
      messaging_group_agents: [5, 5, 0],
      users: [5, 5, 0],
      user_roles: [4, 2, 1],
      agent_group_members: [1, 1, 0],
      user_dms: [1, 1, 0],
      sessions: [3, 3, 0],
      pending_questions: [1, 1, 0],
      agent_destinations: [6, 5, 1],
      pending_approvals: [4, 3, 1],
      unregistered_senders: [1, 1, 0],
      chat_sdk_kv: [2, 1, 1],
      chat_sdk_subscriptions: [1, 1, 0],
      chat_sdk_locks: [2, 1, 1],
      chat_sdk_lists: [2, 2, 0],
      container_configs: [2, 2, 0],
    })
    expect(leftOut).toEqual([
      { table: 'user_roles', id: 'auditor slack:U9', reason: 'no such role here' },
      {
        table: 'agent_destinations',
        id: 'ag-ops: gone',
        reason: 'its target mg-gone is not in the file, or was left out',
      },
      { table: 'pending_approvals', id: 'a-cli', reason: 'the action cli_command does not exist here' },
      { table: 'chat_sdk_kv', id: 'dedupe:slack:1', reason: 'expired' },
      { table: 'chat_sdk_locks', id: 'slack:C100', reason: 'expired' },
    ])
    expect(changed.map(({ table, id }) => `${table} ${id}`)).toEqual([
      'container_configs ag-andy',
      'container_configs ag-andy',
      'container_configs ag-andy',
      'messaging_group_agents w-odd',
      'agent_destinations ag-ops: ann (private)',
    ])
  })

  it('takes over every column of the container configs, and names what it can not use', async () => {
    await using world = await open()
    using from = nanoclaw()
    const { changed } = await bring(world, from.file)
    const config = async (folder: string) => loadContainerConfig(world.database.read, await groupAt(world, folder))
    expect(await config('andy')).toEqual({
      ...defaultContainerConfig,
      agentGroupId: await groupAt(world, 'andy'),
      provider: 'claude',
      model: 'opus',
      effort: 'high',
      imageTag: 'nanoclaw-agent:andy',
      assistantName: 'Andy',
      maxMessagesPerPrompt: 10,
      skills: ['sums'],
      mcpServers: { docs: { command: 'docs', args: ['--fast'], env: { KEY: 'k' } } },
      packagesApt: ['jq'],
      packagesNpm: ['typescript@5.4.0'],
      additionalMounts: [{ hostPath: '/srv/data', containerPath: '/workspace/extra/data', readOnly: false }],
      cliScope: 'global',
      vouchedServers: [],
      updatedAt: '2026-01-02T10:00:00.000Z',
    })
    expect(await config('ops')).toMatchObject({ ...defaultContainerConfig, model: 'sonnet' })
    const reasons = changed.filter(({ table }) => table === 'container_configs').map(({ reason }) => reason)
    expect(reasons).toEqual([
      'packages_apt: left out "two words"',
      'additional_mounts: left out {"hostPath":"~/x","containerPath":null,"readOnly":true}',
      'mcp_servers: left out bad',
    ])
  })

  it('gives people their identities, roles and groups', async () => {
    await using world = await open()
    using from = nanoclaw()
    await bring(world, from.file)
    const { read } = world.database
    const people = await read
      .selectFrom('users')
      .innerJoin('user_identities', 'user_identities.user_id', 'users.id')
      .select(['identity', 'display_name', 'kind', 'created_at'])
      .orderBy('identity')
      .execute()
    expect(people.map(({ identity, display_name }) => [identity, display_name])).toEqual([
      ['chat-teams:29:teams-user', 'Cleo'],
      ['discord:77', 'discord:77'],
      ['email:dora@example.org', 'Dora'],
      ['slack:U9', 'Ben'],
      ['tg:123', 'Ann'],
    ])
    const roles = await read
      .selectFrom('user_roles')
      .innerJoin('user_identities', 'user_identities.user_id', 'user_roles.user_id')
      .select(['identity', 'role', 'agent_group_id', 'granted_at'])
      .orderBy('role')
      .execute()
    expect(roles).toEqual([
      {
        identity: 'discord:77',
        role: 'admin',
        agent_group_id: await groupAt(world, 'andy'),
        granted_at: '2026-01-05T10:00:00.000Z',
      },
      { identity: 'tg:123', role: 'owner', agent_group_id: null, granted_at: '2026-01-02T10:00:00.000Z' },
    ])
  })

  it('leaves the first owner of this server the first, and a known identity with its person', async () => {
    await using world = await open()
    const { userId } = await world.person('Otto')
    await world.do({ type: 'role.grant', userId, role: 'owner', agentGroupId: null })
    await world.do({ type: 'identity.link', userId, identity: 'slack:U9' })
    const first = await world.app.read.firstOwner()
    using from = nanoclaw()
    const { tables } = await bring(world, from.file)
    expect(await world.app.read.firstOwner()).toBe(first)
    expect(tables.find(({ table }) => table === 'users')).toMatchObject({ imported: 4, unchanged: 1 })
    const members = await world.database.read.selectFrom('agent_group_members').select('user_id').execute()
    expect(members).toEqual([{ user_id: userId }])
    const owners = await world.database.read.selectFrom('sessions').select('owner_user_id').distinct().execute()
    expect(owners).toEqual([{ owner_user_id: userId }])
  })

  it('keeps sessions as history, and asks with them', async () => {
    await using world = await open()
    using from = nanoclaw()
    await bring(world, from.file)
    const { read } = world.database
    const sessions = await read
      .selectFrom('sessions')
      .select(['id', 'status', 'thread_id', 'last_active' as never, 'created_at', 'session_mode', 'workspace_root'])
      .orderBy('created_at')
      .execute()
    expect(sessions).toMatchObject([
      { status: 'completed', thread_id: null, session_mode: 'shared', workspace_root: join(from.root, 'groups/ops') },
      { id: '7c9e6679-7425-40de-944b-e07fc1f90ae7', status: 'interrupted', session_mode: null },
      { status: 'interrupted', thread_id: 'C100:17.5', last_active: '2026-02-01T08:00:00.000Z' },
    ])
    const asks = await read
      .selectFrom('asks')
      .select(['kind', 'status', 'title', 'subject'])
      .orderBy('created_at')
      .execute()
    expect(asks.map(({ kind, status, title }) => [kind, status, title])).toEqual([
      ['question', 'interrupted', 'Which branch?'],
      ['packages', 'interrupted', 'Install jq?'],
      ['mcp_server', 'consumed', 'Add an MCP server?'],
      ['credential', 'expired', 'Use the key?'],
    ])
    expect(JSON.parse(asks[0]!.subject)).toMatchObject({
      question: 'Which branch?',
      options: [
        { label: 'main', value: 'main' },
        { label: 'next', value: 'next' },
      ],
    })
    expect(await world.app.read.firstOwner()).toBeDefined()
  })

  it('writes wirings with the destinations they had', async () => {
    await using world = await open()
    using from = nanoclaw()
    await bring(world, from.file)
    const { read } = world.database
    const wirings = await read
      .selectFrom('messaging_group_agents')
      .innerJoin('messaging_groups', 'messaging_groups.id', 'messaging_group_id')
      .leftJoin('agent_destinations', 'agent_destinations.wiring_id', 'messaging_group_agents.id')
      .select([
        'platform_id',
        'engage_mode',
        'engage_pattern',
        'sender_scope',
        'session_mode',
        'priority',
        'local_name',
      ])
      .select(['trigger_rules', 'response_scope'])
      .orderBy('messaging_group_agents.created_at')
      .execute()
    expect(wirings.map(({ trigger_rules: _rules, response_scope: _scope, ...row }) => Object.values(row))).toEqual([
      ['C100', 'pattern', '.', 'all', 'shared', 0, 'dev-channel'],
      ['-100200', 'pattern', '(?i)^andy\\b', 'all', 'per-thread', 3, 'Family'],
      ['901', 'mention', null, 'known', 'agent-shared', 0, 'guild'],
      ['901', 'mention', null, 'all', 'shared', 0, 'guild'],
      ['123', 'pattern', '.', 'all', 'shared', 0, 'ann-private'],
    ])
    expect(wirings[1]).toMatchObject({ trigger_rules: '{"pattern":"(?i)^andy\\\\b"}', response_scope: 'triggered' })
    const free = await read
      .selectFrom('agent_destinations')
      .select(['local_name', 'target_type', 'target_id'])
      .where('wiring_id', 'is', null)
      .execute()
    expect(free).toEqual([{ local_name: 'ops', target_type: 'agent', target_id: await groupAt(world, 'ops') }])
    const strangers = await read.selectFrom('unregistered_senders').selectAll().execute()
    expect(strangers).toMatchObject([{ user_id: 'tg:666', platform_id: '-100200', message_count: 7 }])
  })

  it('changes nothing the second time, nor in a dry run', async () => {
    await using world = await open()
    using from = nanoclaw()
    const empty = await world.tables()
    const tried = await bring(world, from.file, true)
    expect(await world.tables()).toEqual(empty)
    const first = await bring(world, from.file)
    expect(tried).toEqual(first)
    const full = await world.tables()
    expect(full).not.toEqual(empty)
    const second = await bring(world, from.file)
    expect(await world.tables()).toEqual(full)
    expect(second.tables.filter(({ imported }) => imported > 0)).toEqual([])
  })

  it('brings all or nothing', async () => {
    await using world = await open()
    const before = await world.tables()
    // NUL is no text for PostgreSQL, and the last table is written last; SQLite is refused by a trigger.
    using from = nanoclaw(`update chat_sdk_lists set value = 'a' || char(0)`)
    if (world.kind === 'sqlite')
      world.database.sqlite?.exec(
        `create trigger refuse before insert on chat_sdk_lists begin select raise(abort, 'refused'); end`,
      )
    await expect(bring(world, from.file)).rejects.toThrow()
    expect(await world.tables()).toEqual(before)
  })

  it('after it a message in a wired chat starts a session of its group', async () => {
    await using world = await open()
    using from = nanoclaw()
    await bring(world, from.file)
    const harness = await chatHarness(world)
    const groupId = await groupAt(world, 'andy')
    await world.do({ type: 'agent_group.update', id: groupId, repoId: workRepo.id })
    const before = (await harness.sessions()).length
    const taken = await harness.say('hello', { chat: 'C100', from: sender('U9', 'Ben'), mention: false })
    expect(taken).toMatchObject({ status: 'done', deliveries: [{ outcome: 'delivered' }] })
    const sessions = await harness.sessions()
    expect(sessions).toHaveLength(before + 1)
    expect(sessions.find(({ status }) => status === 'active')).toMatchObject({ agent_group_id: groupId })
    const stranger = await harness.say('let me in', { chat: 'C100', from: sender('U666', 'Mallory') })
    expect(stranger).toMatchObject({ deliveries: [{ outcome: 'refused', detail: 'unknown_sender_strict' }] })
  })

  it('uses the folders of the groups where they are, and another name for a folder that is taken', async () => {
    await using world = await open()
    using from = nanoclaw()
    mkdirSync(join(from.root, 'groups/andy'), { recursive: true })
    await world.do({
      type: 'agent_group.create',
      id: '0192f0c1-2d3e-7a4b-8c5d-6e7f8091a2aa' as AgentGroupId,
      name: 'Ops',
      folder: 'ops',
      agentProvider: null,
      repoId: null,
      workspaceRoot: null,
      agent: null,
      model: null,
    })
    await bring(world, from.file)
    const groups = await world.database.read
      .selectFrom('agent_groups')
      .select(['folder', 'workspace_root', 'model', 'agent_provider'])
      .orderBy('folder')
      .execute()
    expect(groups).toEqual([
      { folder: 'andy', workspace_root: join(from.root, 'groups/andy'), model: null, agent_provider: 'claude' },
      { folder: 'ops', workspace_root: null, model: null, agent_provider: null },
      { folder: 'ops-2', workspace_root: null, model: null, agent_provider: null },
    ])
  })

  it('refuses a file that is something else, and says so', async () => {
    await using world = await open()
    using from = nanoclaw('drop table messaging_group_agents')
    const before = await world.tables()
    const other = join(from.root, 'text')
    writeFileSync(other, 'hello, this is not a database at all'.repeat(100))
    for (const [file, message] of [
      [from.file, /not a NanoClaw database: it has no table messaging_group_agents/],
      [other, /can't be read as a SQLite database/],
      [join(from.root, 'none'), /was not found/],
    ] as const) {
      const done = await importSeed(world.database, { file, now: iso(0), dryRun: false })
      expect(done).toMatchObject({ ok: false, fault: { message: expect.stringMatching(message) } })
    }
    expect(await world.tables()).toEqual(before)
  })
})

describe('C1 trigger_rules and response_scope', () => {
  const wiring = (more: Partial<SeedRow<'messaging_group_agents'>>) =>
    settingsOf({
      id: 'w',
      messaging_group_id: 'm',
      agent_group_id: 'a',
      trigger_rules: null,
      response_scope: 'all',
      engage_mode: null,
      engage_pattern: null,
      sender_scope: null,
      ignored_message_policy: null,
      session_mode: null,
      priority: null,
      created_at: null,
      ...more,
    })
  it.each([
    [{ trigger_rules: '{"pattern":"^hi"}' }, 'pattern', '^hi', 'all', null],
    [{ trigger_rules: '"^hi"' }, 'pattern', '^hi', 'all', null],
    [{}, 'pattern', '.', 'all', null],
    [{ trigger_rules: '{"requiresTrigger":false}', response_scope: 'triggered' }, 'pattern', '.', 'all', null],
    [{ response_scope: 'triggered' }, 'mention', null, 'all', null],
    [{ response_scope: 'allowlisted' }, 'mention', null, 'known', null],
    [{ trigger_rules: '{"requiresTrigger":true}' }, 'mention', null, 'all', null],
    [{ trigger_rules: 'not JSON' }, 'mention', null, 'all', /can't be read/],
    [{ trigger_rules: '{"pattern":"(a)\\\\1"}' }, 'mention', null, 'all', /can't be used/],
    [{ engage_mode: 'mention-sticky', sender_scope: 'known' }, 'mention-sticky', null, 'known', null],
    [{ engage_mode: 'pattern', engage_pattern: null }, 'pattern', '.', 'all', null],
  ] as const)('%j become %s %s %s', (more, mode, pattern, scope, changed) => {
    const result = wiring(more)
    expect(result.settings).toMatchObject({ engageMode: mode, engagePattern: pattern, senderScope: scope })
    expect(result.changed ?? '').toMatch(changed ?? /^$/)
  })
})
