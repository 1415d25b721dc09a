import type { Api } from '../support/api.ts'
import type { Server } from '../support/server.ts'
import type { User } from './shapes.ts'
import { newToken } from './work.ts'

/** Somebody with a login and a token of their own. */
export type Person = { id: string; api: Api; token: string; cookie: string }

export async function newPerson(server: Server, displayName: string, identities: string[] = []): Promise<Person> {
  const { id } = await server.api().post<User>('/api/users', { displayName, identities })
  return signIn(server, id)
}

export async function signIn(server: Server, userId: string): Promise<Person> {
  const { url } = await server.api().post<{ url: string }>('/api/login-links', { userId })
  const cookie = await redeem(server, url)
  const { token } = await newToken(server.tcp({ cookie, origin: server.address }), { name: 'own' })
  return { id: userId, api: server.api(token), token, cookie }
}

/** What a browser does with a login link; gives the cookie. */
export async function redeem(server: Server, link: string): Promise<string> {
  const reply = await postCode(server, new URL(link).searchParams.get('code') ?? '')
  const cookie = reply.headers['set-cookie']?.[0]?.split(';')[0]
  if (reply.status !== 303 || !cookie) throw new Error(`the login link gave ${reply.status}: ${reply.text}`)
  return cookie
}

export const postCode = (server: Server, code: string) =>
  server.tcp().send('POST', '/login', {
    raw: new URLSearchParams({ code }).toString(),
    headers: { 'content-type': 'application/x-www-form-urlencoded', origin: server.address },
  })

export const me = async (api: Api): Promise<string> => (await api.get<{ user: User }>('/api/me')).user.id
