import type { Api } from '../support/api.ts'
import type { Server } from '../support/server.ts'
import type { User } from './shapes.ts'
import { newToken } from './work.ts'

/** Somebody with a login and a token of their own. */
export type Person = { id: string; api: Api; token: string; login: Login }

/** The headers by which a page of the server is known: its browser’s cookie, and the key that the page keeps. */
export type Login = { cookie: string; 'x-signalbox-key': string }

export async function newPerson(server: Server, displayName: string, identities: string[] = []): Promise<Person> {
  const { id } = await server.api().post<User>('/api/users', { displayName, identities })
  return signIn(server, id)
}

export async function signIn(server: Server, userId: string): Promise<Person> {
  const { url } = await server.api().post<{ url: string }>('/api/login-links', { userId })
  const login = await redeem(server, url)
  const { token } = await newToken(server.tcp({ ...login, origin: server.address }), { name: 'own' })
  return { id: userId, api: server.api(token), token, login }
}

/** What a browser does with a login link. */
export async function redeem(server: Server, link: string): Promise<Login> {
  const reply = await postCode(server, new URL(link).searchParams.get('code') ?? '')
  const cookie = reply.headers['set-cookie']?.[0]?.split(';')[0]
  if (reply.status !== 200 || !cookie) throw new Error(`the login link gave ${reply.status}: ${reply.text}`)
  return { cookie, 'x-signalbox-key': (reply.body as { key: string }).key }
}

export const postCode = (server: Server, code: string) =>
  server.tcp().send('POST', '/login', { body: { code }, headers: { origin: server.address } })

export const me = async (api: Api): Promise<string> => (await api.get<{ user: User }>('/api/me')).user.id

/** Somebody whom an owner lets run programs as the server's user, and so work in any directory. */
export async function newMachineUser(server: Server, displayName: string, identities: string[] = []): Promise<Person> {
  const user = await server.api().post<User>('/api/users', { displayName, identities })
  // Before they are there: a role that changes ends what they hear.
  await grantMachine(server, user)
  return signIn(server, user.id)
}

export const grantMachine = (server: Server, { id }: { id: string }): Promise<User> =>
  server.api().post<User>(`/api/users/${id}/roles`, { role: 'machine' })
