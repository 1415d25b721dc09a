import type { Client } from '../client/client.ts'
import type { WiredChat } from '../client/contract/chats.ts'
import type { Ask } from '../domain/ask/schema.ts'
import type { Session } from '../domain/session/schema.ts'
import type { AgentGroup } from '../domain/agent-group/schema.ts'
import type { ChatInstance } from '../domain/chat-instance/schema.ts'
import type { Schedule } from '../domain/schedule/schema.ts'
import type { Token, User } from '../domain/user/schema.ts'
import type { Repo } from '../domain/workspace/schema.ts'
import { findId } from './ids.ts'

const pageSize = 100
/** A short id is searched among the newest; older ones need the whole id. */
const mostPages = 20

type IdPage<T> = { items: readonly T[]; next: string | null }

async function readPages<T>(read: (before: string | undefined) => Promise<IdPage<T>>): Promise<readonly T[]> {
  const found: T[] = []
  let before: string | undefined
  for (let count = 0; count < mostPages; count++) {
    const { items, next } = await read(before)
    found.push(...items)
    if (next === null) break
    before = next
  }
  return found
}

/** Lists in order, each read only if the previous one had no match. */
async function* inTurn<T>(...lists: readonly (() => Promise<readonly T[]>)[]): AsyncGenerator<readonly T[]> {
  for (const read of lists) yield await read()
}

export function findSession(client: Client, text: string): Promise<Session['id']> {
  const newest = () =>
    readPages<Session>(async (before) => {
      const { sessions, next } = await client.listSessions({
        query: { limit: pageSize, archived: 'any', ...(before && { before }) },
      })
      return { items: sessions, next }
    })
  return findId<Session>(text, {
    what: 'session',
    list: 'signalbox sessions',
    pages: inTurn(newest),
    alsoCalled: ({ name }) => (name === null ? [] : [name]),
  })
}

/** Open asks first: the short ids in `signalbox asks` are unique among them. */
export function findAsk(client: Client, text: string): Promise<Ask['id']> {
  const asks = (status: string | undefined) => () =>
    readPages<Ask>(async (before) => {
      const query = { limit: pageSize, ...(status && { status }), ...(before && { before }) }
      const { asks: items, next } = await client.listAsks({ query })
      return { items, next }
    })
  return findId<Ask>(text, { what: 'ask', list: 'signalbox asks --all', pages: inTurn(asks('open'), asks(undefined)) })
}

export async function findUser(client: Client, text: string): Promise<User['id']> {
  if (text === 'me') return (await client.getMe({})).user.id
  return findId<User>(text, {
    what: 'user',
    list: 'signalbox users',
    pages: inTurn(async () => (await client.listUsers({})).users),
    alsoCalled: ({ displayName, identities }) => [displayName, ...identities.map(({ identity }) => identity)],
  })
}

/** For those who may not list users: everyone's name is known. */
export async function findPerson(client: Client, text: string): Promise<User['id']> {
  if (text === 'me') return (await client.getMe({})).user.id
  const names = async () =>
    (await client.listNames({})).people.map(({ id, displayName }) => ({ id, called: [displayName] }))
  const users = async () =>
    (
      await client
        .listUsers({})
        .then(({ users }) => users)
        .catch(() => [])
    ).map(({ id, identities }) => ({
      id,
      called: identities.map(({ identity }) => identity),
    }))
  return findId<{ id: User['id']; called: string[] }>(text, {
    what: 'user',
    list: 'signalbox users',
    pages: inTurn(names, users),
    alsoCalled: ({ called }) => called,
  })
}

export function findGroup(client: Client, text: string): Promise<AgentGroup['id']> {
  return findId<AgentGroup>(text, {
    what: 'agent group',
    list: 'signalbox groups',
    pages: inTurn(async () => (await client.listAgentGroups({})).agentGroups),
    alsoCalled: ({ name, folder }) => [name, folder],
  })
}

export function findChat(client: Client, text: string): Promise<WiredChat['id']> {
  return findId<WiredChat>(text, {
    what: 'chat',
    list: 'signalbox chats',
    pages: inTurn(async () => (await client.listChats({})).chats),
    alsoCalled: ({ name, platformId }) => (name === null ? [platformId] : [name, `#${name}`, platformId]),
  })
}

export function findInstance(client: Client, text: string): Promise<ChatInstance['id']> {
  return findId<ChatInstance>(text, {
    what: 'chat account',
    list: 'signalbox chat list',
    pages: inTurn(async () => (await client.listChatInstances({})).instances),
    alsoCalled: ({ name, title }) => [name, title],
  })
}

export function findSchedule(client: Client, text: string): Promise<Schedule['id']> {
  return findId<Schedule>(text, {
    what: 'schedule',
    list: 'signalbox schedules',
    pages: inTurn(async () => (await client.listSchedules({ query: { limit: 1000 } })).schedules),
    alsoCalled: ({ name }) => [name],
  })
}

export function findRepo(client: Client, text: string): Promise<Repo['id']> {
  return findId<Repo>(text, {
    what: 'repo',
    list: 'signalbox repos',
    pages: inTurn(async () => (await client.listRepos({})).repos),
    alsoCalled: ({ name, path }) => [name, path],
  })
}

/** Own tokens first, then all tokens, which only admins see. */
export function findToken(client: Client, text: string): Promise<Token['id']> {
  const own = async () => (await client.listTokens({})).tokens
  const everybodys = () =>
    client
      .listTokens({ query: { all: 'true' } })
      .then(({ tokens }) => tokens)
      .catch(() => [])
  return findId<Token>(text, {
    what: 'token',
    list: 'signalbox tokens',
    pages: inTurn(own, everybodys),
    alsoCalled: ({ name, revokedAt }) => (revokedAt === null ? [name] : []),
  })
}
