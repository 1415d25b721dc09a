import { SoftPasskey } from '../support/passkey.ts'
import type { Api } from '../support/api.ts'
import type { Server } from '../support/server.ts'
import { openEvents } from '../support/sse.ts'
import type { User } from './shapes.ts'
import { newToken } from './work.ts'

/** A person with their own login and token. */
export type Person = { id: string; api: Api; token: string; login: Login }

/** The headers that identify a page: its browser’s cookie, and the key that the page keeps. */
export type Login = { cookie: string; 'x-signalbox-key': string }

export async function newPerson(server: Server, displayName: string, identities: string[] = []): Promise<Person> {
  const { id } = await server.api().post<User>('/api/users', { displayName, identities })
  return signIn(server, id)
}

/** A passkey that a person adds at a page of this machine. */
export async function newPasskey(server: Server, { api, token }: Person): Promise<{ id: string }> {
  const origin = server.address.replace('127.0.0.1', 'localhost')
  const page = server.api(token).as({ ...api.headers, origin, host: new URL(origin).host })
  const options = await page.post<{ challenge: string; rpId: string }>('/api/passkeys/challenge')
  return page.post('/api/passkeys', { name: 'Phone', ...new SoftPasskey(origin).create(options) })
}

export async function signIn(server: Server, userId: string): Promise<Person> {
  const { url } = await server.api().post<{ url: string }>('/api/login-links', { userId })
  const login = await redeem(server, url)
  const { token } = await newToken(server.tcp({ ...login, origin: server.address }), { name: 'own' })
  return { id: userId, api: server.api(token), token, login }
}

/** Opens a login link as a browser does. */
export async function redeem(server: Server, link: string): Promise<Login> {
  const reply = await postCode(server, new URL(link).searchParams.get('code') ?? '')
  const cookie = reply.headers['set-cookie']?.[0]?.split(';')[0]
  if (reply.status !== 200 || !cookie) throw new Error(`the login link gave ${reply.status}: ${reply.text}`)
  return { cookie, 'x-signalbox-key': (reply.body as { key: string }).key }
}

export const postCode = (server: Server, code: string) =>
  server.tcp().send('POST', '/login', { body: { code }, headers: { origin: server.address } })

export const me = async (api: Api): Promise<string> => (await api.get<{ user: User }>('/api/me')).user.id

/** A person with the machine right, who may run programs as the server's user and work in any directory. */
export async function newMachineUser(server: Server, displayName: string, identities: string[] = []): Promise<Person> {
  const user = await server.api().post<User>('/api/users', { displayName, identities })
  // Before they connect: a changed role ends their streams.
  await grantMachine(server, user)
  return signIn(server, user.id)
}

export const grantMachine = (server: Server, user: { id: string }): Promise<User> => grantRole(server, user, 'machine')

/**
 * Grants a role, and waits until the server has passed it on to streams. On PostgreSQL that may be after the response, and
 * would end a stream that the person has opened meanwhile.
 */
export async function grantRole(server: Server, { id }: { id: string }, role: string): Promise<User> {
  await using events = await openEvents(server.api(), { query: '?type=role.granted' })
  const user = await server.api().post<User>(`/api/users/${id}/roles`, { role })
  await events.first(({ data }) => data['userId'] === id && data['role'] === role, 'the grant')
  return user
}
