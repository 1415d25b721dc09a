import { describe, expect, it } from 'vitest'
import '../../support/chats/loopback-guard.ts'
import { openWorld, type World } from '../../world.ts'
import { fakePlatform, openRoutes, tokenFor } from './chats-harness.ts'

const secret = 'xoxb-very-secret-0123456789'

async function open(stack: AsyncDisposableStack, options: { chats?: null } = {}) {
  const world: World = stack.use(await openWorld('sqlite'))
  const { port, seen } = fakePlatform()
  const { send } = openRoutes(world, 'chats' in options ? null : port)
  const grant = async (name: string, role: 'owner' | 'admin' | null) => {
    const person = await world.person(name)
    if (role) await world.do({ type: 'role.grant', userId: person.userId, role, agentGroupId: null })
    return person
  }
  const owner = await grant('Olu', 'owner')
  const [ownerToken, adminToken] = [await tokenFor(world, owner), await tokenFor(world, await grant('Ada', 'admin'))]
  const readToken = await tokenFor(world, owner, 'read')
  const add = (more: Record<string, unknown> = {}, token = ownerToken) =>
    send('POST', '/api/chat-instances', {
      token,
      body: { platform: 'slack', credentials: { botToken: secret }, ...more },
    })
  return { world, seen, send, owner, ownerToken, adminToken, readToken, add }
}
type Added = { instance: { id: string; name: string; title: string; state: string }; self: unknown; warnings: unknown }
const codeOf = ({ body }: { body: unknown }) => (body as { error?: { code: string } }).error?.code ?? 'ok'

describe('an instance', () => {
  it('is added after the platform was asked, and its credentials are never seen again', async () => {
    await using stack = new AsyncDisposableStack()
    const { world, seen, send, ownerToken, add } = await open(stack)
    const added = await add()
    expect(added.status).toBe(201)
    const { instance, self, warnings } = added.body as Added
    expect([instance.name, instance.title, warnings]).toEqual(['slack', 'Example Ltd', ['Files cannot be read.']])
    expect(self).toMatchObject({ handle: 'U0' })
    expect(seen.checked).toEqual([{ botToken: secret }])
    const list = await send('GET', '/api/chat-instances', { token: ownerToken })
    const one = await send('GET', `/api/chat-instances/${instance.id}`, { token: ownerToken })
    for (const { text } of [added, list, one]) {
      expect(text).not.toContain(secret)
      expect(text).not.toContain('sealed')
    }
    const tables = await world.tables()
    expect(JSON.stringify(tables)).not.toContain(secret)
    // In the row and nowhere else: not in the log, not among the commands.
    const { chat_instances: rows, ...others } = tables
    expect(JSON.stringify(rows)).toContain(`sealed ${instance.id} botToken`)
    expect(JSON.stringify(others)).not.toContain('sealed')
  })

  it('is refused with wrong or narrow credentials, unless nobody asks the platform', async () => {
    await using stack = new AsyncDisposableStack()
    const { seen, add } = await open(stack)
    expect(codeOf(await add({ credentials: { botToken: 'wrong' } }))).toBe('credentials_refused')
    const narrow = await add({ credentials: { botToken: 'narrow' } })
    expect(narrow.body).toMatchObject({ error: { code: 'scopes_missing', details: { missing: ['chat:write'] } } })
    const unchecked = await add({ credentials: { botToken: 'wrong' }, check: false })
    expect([unchecked.status, (unchecked.body as Added).self, seen.checked.length]).toEqual([201, null, 2])
  })

  it('needs the fields of its platform; a refusal names them, not their values', async () => {
    await using stack = new AsyncDisposableStack()
    const { seen, add } = await open(stack)
    const missing = await add({ credentials: { appToken: secret } })
    expect(missing.body).toMatchObject({
      error: { code: 'credentials_do_not_fit', message: 'Slack needs Bot token.', hint: 'Under OAuth.' },
    })
    const unknown = await add({ credentials: { botToken: 'x', password: secret } })
    expect(unknown.body).toMatchObject({
      error: { code: 'credentials_do_not_fit', details: { unknown: ['password'] } },
    })
    expect(codeOf(await add({ platform: 'irc' }))).toBe('platform_not_found')
    for (const { text } of [missing, unknown]) expect(text).not.toContain(secret)
    expect(seen.checked).toEqual([])
  })

  it('is for owners, who are checked before the platform is asked', async () => {
    await using stack = new AsyncDisposableStack()
    const { world, seen, send, add, adminToken, readToken, ownerToken } = await open(stack)
    const nobody = await tokenFor(world, await world.person('Ned'))
    expect(codeOf(await add({}, adminToken))).toBe('needs_role')
    expect(codeOf(await add({}, readToken))).toBe('read_only_token')
    expect(codeOf(await add({}, nobody))).toBe('needs_role')
    expect(seen.checked).toEqual([])
    const { instance } = (await add()).body as Added
    for (const action of ['start', 'stop', 'check']) {
      const path = `/api/chat-instances/${instance.id}/${action}`
      expect([action, codeOf(await send('POST', path, { token: adminToken }))]).toEqual([action, 'needs_role'])
      expect([action, codeOf(await send('POST', path, { token: readToken }))]).toEqual([action, 'read_only_token'])
      expect([action, (await send('POST', path, { token: ownerToken })).status]).toEqual([action, 200])
    }
    expect((await send('GET', '/api/chat-instances', { token: adminToken })).status).toBe(200)
    expect(codeOf(await send('GET', '/api/chat-instances', { token: nobody }))).toBe('needs_role')
    expect(codeOf(await send('GET', '/api/chat-platforms', { token: nobody }))).toBe('needs_role')
  })

  it('has one name; one that was removed comes back with its id and new credentials', async () => {
    await using stack = new AsyncDisposableStack()
    const { world, seen, send, ownerToken, add } = await open(stack)
    const { instance } = (await add()).body as Added
    expect(codeOf(await add())).toBe('instance_exists')
    expect(seen.checked.length).toBe(1)
    const path = `/api/chat-instances/${instance.id}`
    expect((await send('DELETE', path, { token: ownerToken })).status).toBe(200)
    expect(codeOf(await send('GET', path, { token: ownerToken }))).toBe('instance_not_found')
    const again = (await add()).body as Added
    expect(again.instance.id).toBe(instance.id)
    const { chat_instances: rows } = await world.tables()
    expect(JSON.stringify(rows)).toContain(`sealed ${instance.id}`)
  })

  it('gets new credentials only if they work', async () => {
    await using stack = new AsyncDisposableStack()
    const { seen, send, ownerToken, add } = await open(stack)
    const { instance } = (await add()).body as Added
    const update = (body: unknown) => send('PATCH', `/api/chat-instances/${instance.id}`, { token: ownerToken, body })
    expect(codeOf(await update({ credentials: { botToken: 'wrong' } }))).toBe('credentials_refused')
    expect((await update({ title: 'Ours' })).body).toMatchObject({ instance: { title: 'Ours' }, self: null })
    expect((await update({ credentials: { botToken: secret } })).status).toBe(200)
    expect(seen.checked.length).toBe(3)
  })
})

it('chats that are turned off say so to those who may know', async () => {
  await using stack = new AsyncDisposableStack()
  const { send, add, ownerToken, adminToken } = await open(stack, { chats: null })
  expect([(await add()).status, codeOf(await add())]).toEqual([503, 'chats_off'])
  expect(codeOf(await add({}, adminToken))).toBe('needs_role')
  expect((await send('GET', '/api/chat-platforms', { token: ownerToken })).status).toBe(503)
  expect((await send('GET', '/api/chat-instances', { token: ownerToken })).body).toEqual({ instances: [] })
  expect((await send('POST', '/chat/0192f0c1-2d3e-7a4b-8c5d-6e7f8091a2b3/events', { body: {} })).status).toBe(404)
})

it('a test message goes through the platform to a chat that exists', async () => {
  await using stack = new AsyncDisposableStack()
  const { seen, send, ownerToken, readToken } = await open(stack)
  const chat = await send('POST', '/api/chats', {
    token: ownerToken,
    body: { channelType: 'slack', platformId: 'slack:C1', name: 'general' },
  })
  const { id } = chat.body as { id: string }
  expect((await send('POST', `/api/chats/${id}/test`, { token: ownerToken })).status).toBe(202)
  expect(codeOf(await send('POST', `/api/chats/${id}/test`, { token: readToken }))).toBe('read_only_token')
  const nowhere = '/api/chats/0192f0c1-2d3e-7a4b-8c5d-6e7f8091a2b3/test'
  expect(codeOf(await send('POST', nowhere, { token: ownerToken }))).toBe('chat_not_found')
  expect(seen.tested).toEqual([id])
})

it('the manifest is for pasting', async () => {
  await using stack = new AsyncDisposableStack()
  const { send, ownerToken } = await open(stack)
  const at = (name: string) => send('GET', `/api/chat-platforms/${name}/manifest`, { token: ownerToken })
  expect((await at('slack')).body).toEqual({ manifest: '{"display_information":{}}' })
  expect(codeOf(await at('irc'))).toBe('manifest_not_found')
  expect((await send('GET', '/api/chat-platforms', { token: ownerToken })).body).toMatchObject({
    platforms: [
      { name: 'slack', hasManifest: true, fields: [{ name: 'botToken', secret: true }, { name: 'appToken' }] },
    ],
  })
})

describe('codes from a chat', () => {
  it('show their identity first, then link it; attempts are limited', async () => {
    await using stack = new AsyncDisposableStack()
    const { world, send } = await open(stack)
    const { hashOfLinkCode } = await import('../../../src/lib/link-code.ts')
    const ann = await world.person('Ann')
    const token = await tokenFor(world, ann)
    const offer = { type: 'identity.offer' as const, identity: 'slack:U1', codeHash: hashOfLinkCode('K7QM-2XWD') }
    await world.do({ ...offer, expiresAt: '2031-01-01T00:00:00.000Z' }, { kind: 'system', name: 'chat' })
    const enter = (path: string, code: string) => send('POST', `/api/identities/${path}`, { token, body: { code } })
    expect((await enter('codes', 'k7qm 2xwd')).body).toEqual({ identity: 'slack:U1' })
    expect(codeOf(await enter('codes', 'AAAA-AAAA'))).toBe('code_not_valid')
    const linked = await enter('claim', 'k7qm2xwd')
    expect(linked.body).toMatchObject({ id: ann.userId, identities: [{ identity: 'slack:U1' }] })
    expect(codeOf(await enter('claim', 'K7QM-2XWD'))).toBe('code_not_valid')
    const tried = await Promise.all(Array.from({ length: 40 }, () => enter('claim', 'AAAA-AAAA')))
    expect(tried.filter((one) => codeOf(one) === 'too_many_codes').length).toBe(14)
    expect(tried.at(-1)?.headers.get('retry-after')).toBe('600')
  })
})
