import { randomUUID } from 'node:crypto'
import { newPasskey, newPerson, type Person } from '../../../conformance/people.ts'
import { newToken } from '../../../conformance/work.ts'
import { people, type CallerName } from '../callers.ts'
import type { MatrixSetup } from '../setup.ts'
import type { Prepare, Prepared, Spec, Specs } from '../spec.ts'

export const identity = () => `email:${randomUUID()}@example.org`

/** A person who is not one of the callers, with an optional role. */
export const somebody =
  (role?: string): Prepare =>
  async (setup) => {
    const { owner } = setup
    const known = identity()
    const body = { displayName: `Somebody ${known}`, identities: [known] }
    const { id } = await owner.post<{ id: string }>('/api/users', body)
    if (role !== undefined) await owner.send('POST', `/api/users/${id}/roles`, { body: { role } })
    return { id, agentToken: '', params: { identity: known, role: role ?? '' }, marker: id }
  }

/** The caller's own id; for agents and dead tokens, the id of their person. */
export const oneself = ({ persons }: MatrixSetup, caller: CallerName): string =>
  persons[people.find((name) => name === caller) ?? 'self'].id
const ofOneself: Spec = { paramsOf: (_subject, setup, caller) => ({ id: oneself(setup, caller) }) }

export const withCode =
  (role?: string): Prepare =>
  async (setup) => {
    const person: Person = await newPerson(setup.server, 'Somebody with a code')
    if (role !== undefined) await setup.owner.post(`/api/users/${person.id}/roles`, { role })
    const { code } = await person.api.post<{ code: string }>('/api/me/link-codes')
    return { id: person.id, agentToken: '', more: { code } }
  }
/** A link code, and an identity of an admin. */
const taking: Prepare = async (setup) => {
  const { more } = await withCode()(setup)
  const { params } = await somebody('admin')(setup)
  return { id: '', agentToken: '', more: { ...more, identity: params?.['identity'] } }
}
const claim: Spec = { fresh: true, bodyOf: ({ more }) => ({ identity: identity(), code: more?.['code'] }) }

export const tokenOf =
  (name: 'self' | 'own'): Prepare =>
  async (setup) => {
    const { id } = await newToken(setup.persons[name].api, { name: `to be found ${randomUUID()}` })
    return { id, agentToken: '', marker: id }
  }

const device: Prepare = async (setup) => {
  const { subscription } = setup.push.browser()
  const { id } = await setup.persons.self.api.post<{ id: string }>('/api/push/devices', subscription)
  return { id, agentToken: '', marker: id }
}

const passkeyOfSelf: Prepare = async ({ server, persons: { self } }) => {
  const { id } = await newPasskey(server, self)
  return { id, agentToken: '' }
}
/** By the code it shows. */
const waitingDevice: Prepare = async ({ server }) => {
  const { code } = await server.tcp({ origin: server.address }).post<{ code: string }>('/login/device')
  return { id: code, agentToken: '' }
}

const quiet: Prepare = async () => ({ id: '', agentToken: '' })
const settings: Prepare = async (setup) => ({
  ...(await quiet(setup)),
  more: { settings: await setup.persons.self.api.get('/api/push/settings') },
})
const grant = (role: string, more: (setup: MatrixSetup) => Record<string, unknown> = () => ({})): Spec => ({
  on: somebody(),
  fresh: true,
  bodyOf: (_subject, setup) => ({ role, ...more(setup) }),
})
const grantOneself = (role: string): Spec => ({ ...ofOneself, fresh: true, body: { role } })
const member: Prepare = async (setup) => {
  const { id } = await somebody()(setup)
  await setup.owner.put(`/api/agent-groups/${setup.group}/members/${id}`)
  return { id, agentToken: '', params: { userId: id } }
}
const adminOfGroup: Prepare = async (setup) => {
  const { id } = await somebody()(setup)
  await setup.owner.post(`/api/users/${id}/roles`, { role: 'admin', agentGroupId: setup.group })
  return { id, agentToken: '', params: { role: 'admin' } }
}
const inGroup = (subject: Prepared, setup: MatrixSetup) => ({ groupId: setup.group, userId: subject.id })

export const peopleRequests: Specs = {
  'GET /api/me': {},
  'GET /api/users': { on: somebody() },
  'GET /api/users/{id} ~ somebody': { on: somebody() },
  'GET /api/users/{id} ~ oneself': ofOneself,
  'POST /api/users': { fresh: true, bodyOf: () => ({ displayName: 'New', identities: [identity()] }) },
  'PATCH /api/users/{id} ~ somebody': { on: somebody(), fresh: true, body: { displayName: 'Renamed' } },
  'PATCH /api/users/{id} ~ oneself': { ...ofOneself, body: { displayName: 'Renamed' } },
  'PATCH /api/users/{id} ~ an owner': { on: somebody('owner'), fresh: true, body: { displayName: 'Renamed' } },
  'DELETE /api/users/{id} ~ somebody': { on: somebody(), fresh: true },
  'DELETE /api/users/{id} ~ an admin': { on: somebody('admin'), fresh: true },
  'POST /api/users/{id}/identities ~ of somebody': {
    on: somebody(),
    fresh: true,
    bodyOf: () => ({ identity: identity() }),
  },
  'POST /api/users/{id}/identities ~ of an admin': {
    on: somebody('admin'),
    fresh: true,
    bodyOf: () => ({ identity: identity() }),
  },
  "POST /api/users/{id}/identities ~ one's own": { ...ofOneself, bodyOf: () => ({ identity: identity() }) },
  'DELETE /api/users/{id}/identities/{identity} ~ of somebody': { on: somebody(), fresh: true },
  'DELETE /api/users/{id}/identities/{identity} ~ of an admin': { on: somebody('admin'), fresh: true },
  'POST /api/me/link-codes': { fresh: true },
  'POST /api/identities/claim ~ for somebody': { ...claim, on: withCode() },
  'POST /api/identities/claim ~ for an admin': { ...claim, on: withCode('admin') },
  'POST /api/identities/claim ~ an identity that an admin has': {
    on: taking,
    fresh: true,
    bodyOf: ({ more }) => ({ identity: more?.['identity'], code: more?.['code'] }),
  },
  'POST /api/identities/claim ~ with a wrong code': { body: { identity: identity(), code: 'AAAA-BBBB' } },
  'POST /api/users/{id}/roles ~ owner': grant('owner'),
  'POST /api/users/{id}/roles ~ admin': grant('admin'),
  'POST /api/users/{id}/roles ~ machine': grant('machine'),
  'POST /api/users/{id}/roles ~ machine, to oneself': grantOneself('machine'),
  'POST /api/users/{id}/roles ~ admin, to oneself': grantOneself('admin'),
  'POST /api/users/{id}/roles ~ admin of a group': grant('admin', ({ group }) => ({ agentGroupId: group })),
  'DELETE /api/users/{id}/roles/{role} ~ admin of a group': {
    on: adminOfGroup,
    fresh: true,
    query: (_subject, { group }) => `?agentGroupId=${group}`,
  },
  'POST /api/users/{id}/roles ~ machine, of a group': grant('machine', ({ group }) => ({ agentGroupId: group })),
  'DELETE /api/users/{id}/roles/{role} ~ admin': { on: somebody('admin'), fresh: true },
  'DELETE /api/users/{id}/roles/{role} ~ machine': { on: somebody('machine'), fresh: true },
  'PUT /api/agent-groups/{groupId}/members/{userId}': { on: somebody(), fresh: true, paramsOf: inGroup },
  'DELETE /api/agent-groups/{groupId}/members/{userId}': { on: member, fresh: true, paramsOf: inGroup },
  'GET /api/tokens': { on: tokenOf('self') },
  "GET /api/tokens ~ everybody's": { on: tokenOf('self'), query: '?all=true' },
  'POST /api/tokens': { fresh: true, body: { name: 'another' } },
  'POST /api/tokens ~ of a session': {
    on: (setup) => setup.session(),
    fresh: true,
    bodyOf: ({ id }) => ({ name: 'another', scope: 'agent', sessionId: id }),
  },
  'DELETE /api/tokens/{id}': { on: tokenOf('self'), fresh: true },
  'DELETE /api/tokens/{id} ~ of an owner': { on: tokenOf('own'), fresh: true },
  'POST /api/login-links ~ for oneself': { fresh: true, body: {} },
  'POST /api/login-links ~ for somebody': { on: somebody(), fresh: true, bodyOf: ({ id }) => ({ userId: id }) },
  'POST /api/logout': { endsLogin: true },
  'GET /api/passkeys': {},
  'POST /api/passkeys/challenge': { fresh: true },
  'POST /api/passkeys': {
    fresh: true,
    body: { name: 'Phone', credentialId: 'AA', clientDataJSON: 'AA', authenticatorData: 'AA', publicKey: 'AA' },
  },
  'PATCH /api/passkeys/{id}': { on: passkeyOfSelf, fresh: true, body: { name: 'Renamed' } },
  'DELETE /api/passkeys/{id}': { on: passkeyOfSelf, fresh: true },
  'POST /api/device-logins/show': { on: waitingDevice, bodyOf: ({ id }) => ({ code: id }) },
  'POST /api/device-logins/show ~ a wrong code': { body: { code: 'AAAA-AAAA' } },
  'POST /api/device-logins/answer': {
    on: waitingDevice,
    fresh: true,
    bodyOf: ({ id }) => ({ code: id, outcome: 'denied' }),
  },
  'POST /api/device-logins/answer ~ a wrong code': { body: { code: 'AAAA-AAAA', outcome: 'approved' } },
  'GET /api/push/key': {},
  'GET /api/push/devices': { on: device },
  'POST /api/push/devices': { fresh: true, bodyOf: (_subject, setup) => setup.push.browser().subscription },
  'DELETE /api/push/devices/{id}': { on: device, fresh: true },
  'POST /api/push/devices/{id}/test': { on: device, fresh: true, body: {} },
  'GET /api/push/settings': {},
  'PUT /api/push/settings': { on: settings, bodyOf: ({ more }) => more?.['settings'] },
}
