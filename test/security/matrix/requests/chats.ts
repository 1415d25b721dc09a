import { createHash, randomUUID } from 'node:crypto'
import type { MatrixSetup } from '../setup.ts'
import type { Prepare, Prepared, Spec, Specs } from '../spec.ts'

const at = '2026-01-01T00:00:00.000Z'

/** The group of `memb` and `gadm`. */
export const theGroup: Prepare = async ({ group }) => ({ id: group, agentToken: '', marker: group })
/** A new one without members. */
export const anotherGroup: Prepare = async ({ owner }) => {
  const { id } = await owner.post<{ id: string }>('/api/agent-groups', { name: `Group ${randomUUID()}` })
  return { id, agentToken: '', marker: id }
}

export const newChatBody = () => ({ channelType: 'slack', platformId: `C${randomUUID()}`, isGroup: true })

/** A chat in which nobody listens. */
export const lonelyChat: Prepare = async ({ owner }) => {
  const { id } = await owner.post<{ id: string }>('/api/chats', newChatBody())
  return { id, agentToken: '', marker: id }
}
/** A chat in which the group listens. */
export const wiredChat: Prepare = async (setup) => {
  const { id } = await lonelyChat(setup)
  const wiring = await setup.owner.post<{ id: string }>('/api/wirings', { chatId: id, agentGroupId: setup.group })
  return { id, agentToken: '', marker: id, more: { wiringId: wiring.id } }
}
const wiring: Prepare = async (setup) => {
  const { more } = await wiredChat(setup)
  const id = String(more?.['wiringId'])
  return { id, agentToken: '', marker: id }
}

/** Another group, a chat in which it listens, and its wiring. */
const elsewhere: Prepare = async (setup) => {
  const { id: agentGroupId } = await anotherGroup(setup)
  const { id: chatId } = await lonelyChat(setup)
  const { id } = await setup.owner.post<{ id: string }>('/api/wirings', { chatId, agentGroupId })
  return { id, agentToken: '', more: { agentGroupId, chatId } }
}

/** A destination of the group; its name occurs nowhere else. */
export const destination: Prepare = async (setup) => {
  const { id } = await lonelyChat(setup)
  const localName = `to-${randomUUID()}`
  const body = { agentGroupId: setup.group, targetType: 'channel', targetId: id, localName }
  await setup.owner.post('/api/destinations', body)
  return { id, agentToken: '', marker: localName, params: { agentGroupId: setup.group, localName } }
}

/** A credential that requests of the group get. */
export const credential: Prepare = async ({ look, group }) => {
  const id = randomUUID()
  await look.change(
    'insert into credentials (id, agent_group_id, host, name, sealed, granted_at) values (?, ?, ?, ?, ?, ?)',
    id,
    group,
    'api.example.com',
    `n${id}`,
    'sealed',
    at,
  )
  return { id: group, agentToken: '', marker: id, params: { credentialId: id } }
}

const stranger = async ({ look }: MatrixSetup, group: string | null): Promise<Prepared> => {
  const identity = `slack:U${randomUUID()}`
  await look.change(
    `insert into unregistered_senders
       (channel_type, platform_id, user_id, reason, agent_group_id, message_count, first_seen, last_seen)
     values (?, ?, ?, ?, ?, ?, ?, ?)`,
    'slack',
    `C${randomUUID()}`,
    identity,
    'unknown_sender_strict',
    group,
    1,
    at,
    at,
  )
  return { id: identity, agentToken: '', marker: identity }
}
export const strangerOfGroup: Prepare = (setup) => stranger(setup, setup.group)
const strangerElsewhere: Prepare = (setup) => stranger(setup, null)

/** Written to the table: adding one needs a platform. It is stopped, so that nothing connects. */
export const instance: Prepare = async ({ look }) => {
  const id = randomUUID()
  await look.change(
    `insert into chat_instances (id, platform, name, title, credentials, wanted, created_at, updated_at)
     values (?, ?, ?, ?, ?, ?, ?, ?)`,
    id,
    'slack',
    `n${id}`,
    'Example',
    'sealed',
    'stopped',
    at,
    at,
  )
  return { id, agentToken: '', marker: id }
}

/** A code that a chat gave out. */
export const codeFromChat: Prepare = async ({ look }) => {
  const code = randomUUID().replaceAll('-', '').slice(0, 8).toUpperCase()
  await look.change(
    'insert into identity_codes (code_hash, identity, expires_at) values (?, ?, ?)',
    createHash('sha256').update(code).digest('hex'),
    `slack:U${randomUUID()}`,
    '2999-01-01T00:00:00.000Z',
  )
  return { id: '', agentToken: '', more: { code } }
}
const enter: Spec = { on: codeFromChat, fresh: true, bodyOf: ({ more }) => ({ code: more?.['code'] }) }

export const credentials = { bot_token: 'xoxb-1-matrix', app_token: 'xapp-1-matrix' }

const change = (on: Prepare, body?: unknown): Spec => ({ on, fresh: true, ...(body !== undefined && { body }) })

const withoutMarker = ({ marker: _marker, ...rest }: Prepared): Prepared => rest

const webChat: Spec['paramsOf'] = (_subject, { group }) => ({ agentGroupId: group })

export const chatRequests: Specs = {
  'GET /api/agent-groups': { on: theGroup },
  'GET /api/agent-groups/{id}': { on: theGroup },
  'POST /api/agent-groups': { fresh: true, bodyOf: () => ({ name: `New ${randomUUID()}` }) },
  'PATCH /api/agent-groups/{id}': change(theGroup, { model: 'another' }),
  'DELETE /api/agent-groups/{id}': change(anotherGroup),
  'DELETE /api/agent-groups/{id} ~ their own': {
    on: async (setup) => {
      const made = await anotherGroup(setup)
      const body = { role: 'admin', agentGroupId: made.id }
      await setup.owner.post(`/api/users/${setup.persons.gadm.id}/roles`, body)
      return made
    },
    fresh: true,
  },
  'GET /api/agent-groups/{id}/members': {
    on: async (setup) => ({ ...(await theGroup(setup)), marker: setup.persons.memb.id }),
  },
  'GET /api/agent-groups/{id}/config': { on: theGroup },
  'PATCH /api/agent-groups/{id}/config': change(theGroup, { model: 'another' }),
  'PATCH /api/agent-groups/{id} ~ another group': change(anotherGroup, { model: 'another' }),
  'PATCH /api/agent-groups/{id}/config ~ of another group': change(anotherGroup, { model: 'another' }),
  'PATCH /api/agent-groups/{id}/config ~ what it may touch': {
    ...change(theGroup),
    bodyOf: () => ({ networkHosts: [`${randomUUID()}.example.com`] }),
  },
  'GET /api/agent-groups/{id}/instructions': { on: async (setup) => withoutMarker(await theGroup(setup)) },
  'PUT /api/agent-groups/{id}/instructions': change(theGroup, { text: 'Be brief.' }),
  'GET /api/agent-groups/{id}/dependents': { on: async (setup) => withoutMarker(await theGroup(setup)) },
  'GET /api/agent-groups/{id}/spending': { on: async (setup) => withoutMarker(await theGroup(setup)) },
  'GET /api/agent-groups/{id}/credentials': { on: credential },
  'DELETE /api/agent-groups/{id}/credentials/{credentialId}': change(credential),
  'GET /api/chats': { on: wiredChat },
  'GET /api/chats ~ nobody listens there': { on: lonelyChat },
  'GET /api/chats/{id}': { on: wiredChat },
  'GET /api/chats/{id} ~ nobody listens there': { on: lonelyChat },
  'POST /api/chats': { fresh: true, bodyOf: newChatBody },
  'PATCH /api/chats/{id}': change(wiredChat, { unknownSenderPolicy: 'public' }),
  'DELETE /api/chats/{id}': change(wiredChat),
  'POST /api/chats/{id}/deny': change(wiredChat),
  'POST /api/chats/{id}/test': change(wiredChat),
  'GET /api/wirings': { on: wiring },
  'POST /api/wirings': {
    on: lonelyChat,
    fresh: true,
    bodyOf: ({ id }, { group }) => ({ chatId: id, agentGroupId: group }),
  },
  'PATCH /api/wirings/{id}': change(wiring, { verbosity: 'verbose' }),
  'PATCH /api/wirings/{id} ~ of another group': change(elsewhere, { verbosity: 'verbose' }),
  'POST /api/wirings ~ of another group': {
    on: async (setup) => ({ ...(await lonelyChat(setup)), more: { agentGroupId: (await anotherGroup(setup)).id } }),
    fresh: true,
    bodyOf: ({ id, more }) => ({ chatId: id, ...more }),
  },
  'DELETE /api/wirings/{id}': change(wiring),
  'GET /api/destinations': { on: destination },
  'POST /api/destinations': {
    on: lonelyChat,
    fresh: true,
    bodyOf: ({ id }, { group }) => ({ agentGroupId: group, targetType: 'channel', targetId: id }),
  },
  'POST /api/destinations ~ where the group listens': {
    on: wiredChat,
    fresh: true,
    bodyOf: ({ id }, { group }) => ({
      agentGroupId: group,
      targetType: 'channel',
      targetId: id,
      localName: `to-${randomUUID()}`,
    }),
  },
  'POST /api/destinations ~ to another agent group': {
    on: anotherGroup,
    fresh: true,
    bodyOf: ({ id }, { group }) => ({ agentGroupId: group, targetType: 'agent', targetId: id }),
  },
  'POST /api/destinations ~ of another group': {
    on: elsewhere,
    fresh: true,
    bodyOf: ({ more }) => ({
      agentGroupId: more?.['agentGroupId'],
      targetType: 'channel',
      targetId: more?.['chatId'],
      localName: `to-${randomUUID()}`,
    }),
  },
  'DELETE /api/destinations/{agentGroupId}/{localName}': change(destination),
  'GET /api/strangers': { on: strangerOfGroup },
  'GET /api/strangers ~ of another group': { on: strangerElsewhere },
  'GET /api/chat-platforms': {},
  'GET /api/chat-platforms/{name}/manifest': { paramsOf: () => ({ name: 'slack' }) },
  'GET /api/chat-instances': { on: instance },
  'GET /api/chat-instances/{id}': { on: instance },
  'POST /api/chat-instances': {
    fresh: true,
    bodyOf: () => ({ platform: 'slack', name: `n${randomUUID()}`, credentials, check: false }),
  },
  'PATCH /api/chat-instances/{id}': change(instance, { title: 'Another' }),
  'POST /api/chat-instances/{id}/start': change(instance),
  'POST /api/chat-instances/{id}/stop': change(instance),
  'POST /api/chat-instances/{id}/check': change(instance),
  'DELETE /api/chat-instances/{id}': change(instance),
  'POST /api/identities/claim ~ a code from a chat': enter,
  'POST /api/identities/claim ~ a wrong code from a chat': { body: { code: 'AAAA-BBBB' } },
  'POST /api/identities/codes': enter,
  'GET /api/web-chats': { on: theGroup },
  'GET /api/web-chats/{agentGroupId}/messages': { paramsOf: webChat },
  'POST /api/web-chats/{agentGroupId}/messages': {
    on: theGroup,
    fresh: true,
    paramsOf: webChat,
    body: { text: '/signalbox help' },
  },
  // A message of nobody's: each has only those of their own chat.
  'POST /api/web-chats/{agentGroupId}/press': {
    on: theGroup,
    paramsOf: webChat,
    bodyOf: () => ({ messageId: randomUUID(), action: 'ask:x:approve' }),
  },
  'GET /api/web-chats/{agentGroupId}/files/{messageId}': {
    on: theGroup,
    paramsOf: (_subject, { group }) => ({ agentGroupId: group, messageId: randomUUID() }),
  },
}
