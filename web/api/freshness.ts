import type { Event } from '../../src/domain/audit/schema.ts'

/** The first part of a query key. */
export type CacheKey = readonly string[]

type FreshnessEvent = Pick<Event, 'type' | 'sessionId' | 'data'>

const idIn = (data: FreshnessEvent['data']): string | null => (typeof data['id'] === 'string' ? data['id'] : null)

const ofSession = (id: string | null, ...names: string[]): CacheKey[] =>
  id === null ? [] : names.map((name) => [name, id] as const)

/** Permissions changed, so everything may have changed. */
const access = /^(session\.(un)?delegated|(role|member)\.|user\.removed)/
const everything: CacheKey = []

/** Which queries an event makes stale. Too many cost requests; too few show outdated data. */
export function staleBy(event: FreshnessEvent): CacheKey[] {
  const { type, sessionId, data } = event
  if (access.test(type)) return [everything]
  const [slice = ''] = type.split('.')
  const id = idIn(data)
  switch (slice) {
    case 'ask':
      return [
        ['inbox'],
        ['answers'],
        // Those about budgets belong to no session.
        ...(sessionId === null ? [['asks'] as const, ['budgets'] as const] : ofSession(sessionId, 'asks')),
        ['terminals'],
        ...(id === null ? [] : [['ask', id] as const]),
        ['sessions'],
        ...ofSession(sessionId, 'session', 'files'),
      ]
    case 'alert':
      return [['inbox'], ['alerts'], ['sessions'], ...ofSession(sessionId, 'session', 'conversation')]
    case 'session':
      return [
        ['sessions'],
        // Whether the agent of a chat is at work.
        ...(type === 'session.started' || type === 'session.status_changed'
          ? [['inbox'] as const, ['web-chats'] as const]
          : []),
        ...ofSession(sessionId ?? id, 'session', 'conversation', 'queue'),
        ...(type === 'session.steered' ? ofSession(sessionId ?? id, 'change') : []),
        ...(type === 'session.started' ? [['session'] as const] : []),
      ]
    case 'message':
      return ofSession(sessionId, 'conversation', 'files')
    case 'agent':
      return [['sessions'], ...ofSession(sessionId, 'session')]
    case 'queue':
      return [
        // Whether the agent is working or idle.
        ...(type === 'queue.sent' || type === 'queue.delivered' ? [['sessions'] as const] : []),
        ...ofSession(sessionId, 'queue', 'session', 'conversation'),
      ]
    case 'checkpoint':
      return ofSession(sessionId, 'checkpoints', 'session', 'files')
    case 'terminal':
      return [['terminals'], ['sessions'], ...ofSession(sessionId, 'terminal')]
    case 'input':
      return [['patterns'], ...ofSession(sessionId, 'history')]
    case 'pattern':
      return [['patterns']]
    case 'policy':
      return [['rules'], ['policy'], ['trusted']]
    case 'repo':
      // The repo's name is shown with its sessions.
      return [['repos'], ['sessions'], ['session'], ['inbox']]
    case 'chat':
    case 'wiring':
    case 'destination':
      return [['chats'], ['destinations'], ['strangers']]
    case 'instance':
      return [['instances'], ['chats']]
    case 'agent_group':
      // Removing one removes its wirings and destinations.
      return [['groups'], ['chats'], ['destinations'], ['web-chats']]
    case 'schedule':
      return [['schedules']]
    case 'budget':
      return [['budgets']]
    case 'template':
      return [['templates']]
    case 'token':
      return [['tokens']]
    case 'push':
      return [['devices'], ['notifications']]
    case 'user':
      // A person's name is shown with their sessions and asks.
      return [['people'], ['names'], ['me'], ['sessions'], ['session'], ['inbox']]
    case 'passkey':
      return [['passkeys']]
    case 'identity':
    case 'login':
      return [['people'], ['names'], ['me']]
    default:
      return [['system']]
  }
}

/** All queries that a batch of events makes stale, without duplicates. Every event is also in the audit log. */
export function staleByAll(events: readonly FreshnessEvent[]): CacheKey[] {
  const keys = new Map<string, CacheKey>()
  for (const event of events) for (const key of staleBy(event)) keys.set(key.join('\n'), key)
  keys.set('audit', ['audit'])
  return [...keys.values()]
}
