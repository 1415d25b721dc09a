import type { Client } from '../../client/client.ts'
import { cleanLine } from '../clean-text.ts'
import { shortener } from '../ids.ts'
import type { Source, Suggestion } from './complete.ts'

const newest = 100

/** Ids or names of rows with a few words about each, newest first. */
export async function rowsOf(source: Source, client: Client): Promise<Suggestion[]> {
  switch (source) {
    case 'session': {
      const { sessions } = await client.listSessions({ query: { limit: newest, view: 'full' } })
      return byId(sessions, ({ agent, protocolMode, activity, status, title, prompt }) =>
        [agent ?? protocolMode, activity ?? status, title ?? prompt ?? ''].join(', '),
      )
    }
    case 'ask': {
      const { asks } = await client.listAsks({ query: { limit: newest, status: 'open' } })
      return byId(asks, ({ kind, title }) => [kind, title].join(', '))
    }
    case 'terminal': {
      const { sessions } = await client.listSessions({ query: { limit: newest, view: 'full' } })
      const terminals = sessions.filter(({ protocolMode }) => protocolMode === 'terminal')
      return byId(terminals, ({ title, status }) => [title ?? 'terminal', status].join(', '))
    }
    case 'alert': {
      const { alerts } = await client.listAlerts({})
      return byId(alerts, ({ status }) => status)
    }
    case 'agent':
      return (await client.listAgents({})).agents.map(({ name }) => ({ word: name, about: '' }))
    case 'repo':
      return (await client.listRepos({})).repos.map(({ name, path }) => ({ word: name, about: path }))
    case 'user':
      return (await client.listNames({})).people.map(({ displayName }) => ({ word: displayName, about: '' }))
    case 'token':
      return byId((await client.listTokens({})).tokens, ({ name, scope }) => `${name}, ${scope}`)
    case 'group':
      return (await client.listAgentGroups({})).agentGroups.map(({ folder, name }) => ({ word: folder, about: name }))
    case 'chat':
      return byId((await client.listChats({})).chats, ({ name, platformId }) => name ?? platformId)
    case 'instance':
      return (await client.listChatInstances({})).instances.map(({ name, title }) => ({
        word: name,
        about: title ?? '',
      }))
    case 'schedule':
      return byId((await client.listSchedules({ query: { limit: newest } })).schedules, ({ name }) => name)
    case 'template': {
      const { templates } = await client.listTemplates({})
      return templates.map(({ name, source, groupName, description }) => ({
        word: source === 'group' ? `${groupName ?? ''}/${name}` : name,
        about: cleanLine(description).slice(0, 80),
      }))
    }
    default:
      return source satisfies never
  }
}

function byId<T extends { readonly id: string }>(rows: readonly T[], about: (row: T) => string): Suggestion[] {
  const short = shortener(rows.map(({ id }) => id))
  return rows.map((row) => ({ word: short(row.id), about: cleanLine(about(row)).slice(0, 80) }))
}
