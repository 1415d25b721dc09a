import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { openAdminHarness, packages, type AdminAsk, type AdminHarness } from '../conformance/administration-harness.ts'
import { approve, reject } from '../conformance/mcp-harness.ts'
import { openChatsHarness, type ChatsHarness } from '../conformance/chats/harness.ts'
import { openSlackDriver } from '../conformance/chats/slack-driver.ts'
import { newToken } from '../conformance/work.ts'
import { signIn, type Person } from '../conformance/people.ts'
import type { Api } from '../support/api.ts'
import { usualDatabases } from '../support/server.ts'
import { until } from '../support/until.ts'

/**
 * Who may answer what an agent asks of administrators, written by hand. `yes`: the answer counts. A code: it is refused
 * with it. The same for every kind, from every surface.
 */
const table = {
  'owner over the socket': 'yes',
  'owner with a token': 'yes',
  'global admin': 'yes',
  "the group's admin": 'yes',
  "the group's admin in a browser": 'yes',
  "the group's admin with a read-only token": 'read_only_token',
  'an admin who was removed': 'ask_not_found',
  'an admin who was made after it was asked': 'yes',
  'an admin who was an owner before': 'ask_not_found',
  'admin of another group': 'ask_not_found',
  'member whose message led to it': 'needs_role',
  'another member': 'needs_role',
  stranger: 'ask_not_found',
  "the agent's own token": 'agents_never_answer',
  "an agent's token of the group's admin": 'agents_never_answer',
  "an agent's token of the owner": 'agents_never_answer',
} as const
type Who = keyof typeof table

const kinds = {
  packages,
  mcp_server: { name: 'files', server: { url: 'https://files.example.com/mcp' }, reason: 'to look' },
  create_agent: { name: 'Scout', instructions: 'Look.' },
  credential: { name: 'TOKEN', host: 'api.example.com', reason: 'to call' },
} as const
type Kind = keyof typeof kinds
const kindNames = Object.keys(kinds) as Kind[]

/** What the command line says when it fails. */
async function failed(running: Promise<{ code: number | null; stdout: string; stderr: string }>): Promise<string> {
  const { code, stdout, stderr } = await running
  return code === 0 ? 'done' : stdout + stderr
}

const answerPath = ({ id }: { id: string }) => `/api/asks/${id}/answer`

/** As its agent asks over HTTP; test/conformance/administration.test.ts has the tools. */
const asked = (all: AdminHarness, kind: Kind): Promise<AdminAsk> =>
  all.agentApi.post<AdminAsk>(`/api/sessions/${all.sessionId}/asks`, {
    title: 'May I?',
    subject: { kind, ...kinds[kind] },
  })

describe.each(usualDatabases)('who answers administrators’ asks on %s', (database) => {
  let all: AdminHarness
  let callers: Record<Who, { api: Api; before?: () => Promise<unknown>; after?: () => Promise<unknown> }>
  beforeAll(async () => {
    all = await openAdminHarness({ database })
    const { server } = all.mcp
    const person = async (displayName: string): Promise<Person> =>
      signIn(server, (await all.owner.post<{ id: string }>('/api/users', { displayName })).id)
    const agentOf = async (api: Api) => server.api((await newToken(api, { name: 'agent', scope: 'agent' })).token)
    const [removed, late, was, other] = [
      await person('Rita'),
      await person('Lena'),
      await person('Walt'),
      await person('Mona'),
    ]
    await all.grant(removed, 'admin', all.group)
    await all.grant(was, 'owner')
    await all.owner.put(`/api/agent-groups/${all.group.id}/members/${other.id}`)
    const ownerToken = (await newToken(all.owner, { name: 'own' })).token
    const readOnly = (await newToken(all.gina.api, { name: 'read', scope: 'read' })).token
    callers = {
      'owner over the socket': { api: server.api() },
      'owner with a token': { api: server.api(ownerToken) },
      'global admin': { api: all.gil.api },
      "the group's admin": { api: all.gina.api },
      "the group's admin in a browser": { api: server.tcp({ ...all.gina.login, origin: server.address }) },
      "the group's admin with a read-only token": { api: server.api(readOnly) },
      'an admin who was removed': {
        api: removed.api,
        before: () => all.revoke(removed, 'admin', all.group),
        after: () => all.grant(removed, 'admin', all.group),
      },
      'an admin who was made after it was asked': {
        api: late.api,
        before: () => all.grant(late, 'admin', all.group),
        after: () => all.revoke(late, 'admin', all.group),
      },
      'an admin who was an owner before': {
        api: was.api,
        before: () => all.revoke(was, 'owner'),
        after: () => all.grant(was, 'owner'),
      },
      'admin of another group': { api: all.otto.api },
      'member whose message led to it': { api: all.mel.api },
      'another member': { api: other.api },
      stranger: { api: all.stan.api },
      "the agent's own token": { api: all.agentApi },
      "an agent's token of the group's admin": { api: await agentOf(all.gina.api) },
      "an agent's token of the owner": { api: await agentOf(all.owner) },
    }
  })
  afterAll(() => all?.[Symbol.asyncDispose]())

  it.each(kindNames.flatMap((kind) => (Object.keys(table) as Who[]).map((who) => [kind, who] as const)))(
    'C7 %s: %s',
    async (kind, who) => {
      const ask = await asked(all, kind)
      const { api, before, after } = callers[who]
      await before?.()
      try {
        const reply = await api.send('POST', answerPath(ask), { body: reject('no') })
        const code = reply.status === 200 ? 'yes' : (reply.body as { error: { code: string } }).error.code
        expect(code).toBe(table[who])
        expect((await all.ask(ask.id)).status).toBe(table[who] === 'yes' ? 'answered' : 'open')
      } finally {
        await after?.()
        await all.owner.send('POST', answerPath(ask), { body: reject('the end') })
      }
    },
  )

  it('C7 two at once: one counts, the other learns who was first', async () => {
    const ask = await asked(all, 'packages')
    const given = await Promise.all(
      [all.gina.api, all.gil.api].map((api) => api.send('POST', answerPath(ask), { body: reject('no') })),
    )
    expect(given.map(({ status }) => status).toSorted((a, b) => a - b)).toEqual([200, 409])
    const late = given.find(({ status }) => status === 409)?.body as { error: { code: string; message: string } }
    expect(late.error).toMatchObject({ code: 'already_answered', message: expect.stringContaining('user:') })
  })

  it('C7 the command line answers like everything else, and shows exactly what will be done and its hash', async () => {
    const { server } = all.mcp
    const ask = await asked(all, 'mcp_server')
    const shown = await server.cli('asks', 'show', ask.id)
    expect(shown.stdout).toContain('files.example.com')
    expect(shown.stdout).toContain(ask.subjectHash)
    const rejectAs = (token: string) =>
      server.cli('answer', ask.id, 'reject', '--reason', 'no', '--json', '--token', token, '--url', server.address)
    const refused: [who: Who, token: string][] = [
      ['admin of another group', all.otto.token],
      ['member whose message led to it', all.mel.token],
      ['stranger', all.stan.token],
      ["the agent's own token", all.token],
    ]
    const codes = await Promise.all(
      refused.map(async ([who, token]) => [
        who,
        /ask_not_found|needs_role|agents_never_answer/.exec(await failed(rejectAs(token)))?.[0],
      ]),
    )
    expect(codes).toEqual(refused.map(([who]) => [who, table[who]]))
    expect((await all.ask(ask.id)).status).toBe('open')
    expect((await rejectAs(all.gina.token)).code).toBe(0)
    expect(await all.ask(ask.id)).toMatchObject({ status: 'answered', answeredBy: `user:${all.gina.id}` })
  })

  it('C7 over MCP an agent has no tool that answers, and those that decide something else do not take this ask', async () => {
    await using agent = await all.connect()
    const { ask, done } = await agent.begin('install_packages', packages)
    const { tools } = await agent.client.listTools()
    const deciding = tools.map(({ name }) => name).filter((name) => /answer|approv|grant|accept|decide/i.test(name))
    // The first applies a diff that a person approved, and the others ask.
    expect(deciding.toSorted()).toEqual(['accept_diff', 'ask_approval', 'check_auto_approve'])
    for (const name of ['accept_diff', 'ask_approval'])
      expect((await agent.client.callTool({ name, arguments: { request_id: ask.id } })).isError).toBe(true)
    expect((await all.ask(ask.id)).status).toBe('open')
    await all.gina.api.post(answerPath(ask), reject('no'))
    expect(await done).toMatchObject({ status: 'rejected' })
  })

  it('C7 an agent can neither open an ask for another group, nor name who answers, nor apply it', async () => {
    const path = `/api/sessions/${all.sessionId}/asks`
    const subject = { kind: 'packages', ...packages, agentGroupId: all.elsewhere.id, after: { apt: [], npm: [] } }
    const forged = await all.agentApi.post<AdminAsk>(path, { title: 'x', subject })
    expect(forged).toMatchObject({ agentGroupId: all.group.id, subject: { after: { apt: ['jq'] } } })
    await all.owner.post(answerPath(forged), reject('the end'))
    const named = await all.agentApi.refused('POST', path, { title: 'x', subject, answerers: [all.mel.id] })
    expect(named.code).toBe('answerers_do_not_fit')
  })
})

describe('the person whose message led to it', () => {
  const boss = async (all: AdminHarness) => {
    await all.grant(all.mel, 'admin', all.group)
    return asked(all, 'packages')
  }

  it('C7 may answer it if they are an admin', async () => {
    await using all = await openAdminHarness()
    const ask = await boss(all)
    expect(ask.requestedBy).toBe(all.mel.id)
    expect((await all.mel.api.post<AdminAsk>(answerPath(ask), reject('no'))).status).toBe('answered')
  })

  it('C7 may not with approvals.separate_requester; others are asked instead', async () => {
    await using all = await openAdminHarness({
      config: '[approvals]\nseparate_requester = true\n',
    })
    await all.revoke(all.gina, 'admin', all.group)
    const ask = await boss(all)
    expect(ask.circle).toBe('admins')
    const refused = await all.mel.api.refused('POST', answerPath(ask), approve)
    expect(refused.code).toBe('not_requester')
    const inbox = await all.mel.api.get<{ items: { mine: boolean }[] }>('/api/inbox')
    expect(inbox.items.filter(({ mine }) => mine)).toEqual([])
    expect((await all.gil.api.post<AdminAsk>(answerPath(ask), reject('no'))).status).toBe('answered')
  })
})

describe('in a chat', () => {
  let harness: ChatsHarness
  beforeAll(async () => {
    harness = await openChatsHarness(openSlackDriver, { agent: 'tools' })
  })
  afterAll(() => harness?.[Symbol.asyncDispose]())

  const install = (names: string[]) =>
    `tool ${JSON.stringify({ name: 'install_packages', arguments: { apt: names, reason: 'to read JSON' } })}`
  const openAbout = (name: string) =>
    until(
      async () => {
        const { asks } = await harness.api.get<{ asks: AdminAsk[] }>('/api/asks?kind=packages&status=open')
        return asks.find(({ subject }) => JSON.stringify(subject['apt']).includes(name))
      },
      { what: `an ask about ${name}` },
    )
  const now = (id: string) => harness.api.get<AdminAsk>(`/api/asks/${id}`)

  it('C7 the admins get a card that says all; a click or a word of anyone else counts nothing, theirs does', async () => {
    const ann = await harness.member('Ann')
    const [gina, eve, otto] = [await harness.linked('Gina'), await harness.linked('Eve'), await harness.linked('Otto')]
    await harness.api.post(`/api/users/${gina.userId}/roles`, { role: 'admin', agentGroupId: harness.groupId })
    const other = await harness.api.post<{ id: string }>('/api/agent-groups', { name: 'Other' })
    await harness.api.post(`/api/users/${otto.userId}/roles`, { role: 'admin', agentGroupId: other.id })
    const root = ann.mentions(install(['jq']))
    const ask = await openAbout('jq')
    expect(ask).toMatchObject({ answerers: [gina.userId], requestedBy: ann.userId })
    const card = await until(() => gina.direct().find(({ buttons }) => buttons.length > 0), { what: 'the card' })
    expect(card.text).toContain('jq')
    expect(card.text).toContain(ask.subjectHash)
    expect([...ann.direct(), ...eve.direct(), ...otto.direct()].filter(({ buttons }) => buttons.length > 0)).toEqual([])
    for (const forger of [ann, eve, otto]) forger.clicks(card, 'Approve')
    for (const forger of [ann, eve, otto]) forger.says('approve', root)
    // What they said has been handled once a later message of the same conversation was.
    ann.mentions('/status', root)
    await until(() => harness.driver.posted(root).length > 0, { what: 'a reply' })
    expect((await now(ask.id)).status).toBe('open')
    gina.clicks(card, 'Approve')
    await until(async () => (await now(ask.id)).status === 'consumed', { what: 'the effect' })
    expect((await now(ask.id)).answeredBy).toBe(`user:${gina.userId}`)
    const edited = await until(() => gina.direct().find((one) => one.id === card.id && one.buttons.length === 0), {
      what: 'the edited card',
    })
    expect(edited.text).toContain('Approved by Gina')
    const second = harness.driver.posted(root).length
    ann.mentions(install(['ripgrep']), root)
    const next = await openAbout('ripgrep')
    gina.says('reject not now', root)
    await until(async () => (await now(next.id)).status === 'answered', { what: 'the rejection' })
    expect(await now(next.id)).toMatchObject({ answer: { outcome: 'reject', reason: 'not now' } })
    await until(() => harness.driver.posted(root).length > second, { what: 'what the agent says about it' })
  })

  it('C7 a card outlives the role of the person who got it; of an answer in the chat and one in the dashboard one counts', async () => {
    const bob = await harness.member('Bob')
    const [rita, gus] = [await harness.linked('Rita'), await harness.linked('Gus')]
    const role = (userId: string) => `/api/users/${userId}/roles`
    for (const { userId } of [rita, gus])
      await harness.api.post(role(userId), { role: 'admin', agentGroupId: harness.groupId })
    const root = bob.mentions(install(['fd-find']))
    const ask = await openAbout('fd-find')
    const [hers, his] = await Promise.all(
      [rita, gus].map((admin) =>
        until(() => admin.direct().find(({ buttons, text }) => buttons.length > 0 && text.includes('fd-find')), {
          what: 'the card',
        }),
      ),
    )
    await harness.api.delete(`${role(rita.userId)}/admin?agentGroupId=${harness.groupId}`)
    rita.clicks(hers!, 'Approve')
    bob.mentions('/status', root)
    await until(() => harness.driver.posted(root).length > 0, { what: 'a reply' })
    expect((await now(ask.id)).status).toBe('open')
    const { api } = await signIn(harness.server, gus.userId)
    gus.clicks(his!, 'Approve')
    const { status } = await api.send('POST', answerPath(ask), { body: reject('too late or first') })
    await until(async () => (await now(ask.id)).status !== 'open', { what: 'the answer' })
    // Whichever came first counts, and the other was told.
    expect([200, 409]).toContain(status)
    const { answer } = await now(ask.id)
    expect(answer).toMatchObject({ outcome: status === 200 ? 'reject' : 'approve' })
  })
})
