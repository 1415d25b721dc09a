import type { Event } from '../../src/domain/audit/schema.ts'

/** What the pages have read: the beginning of a query's key. */
export type Key = readonly string[]

type Heard = Pick<Event, 'type' | 'sessionId' | 'data'>

const idIn = (data: Heard['data']): string | null => (typeof data['id'] === 'string' ? data['id'] : null)

const ofSession = (id: string | null, ...names: string[]): Key[] =>
  id === null ? [] : names.map((name) => [name, id] as const)

/** Who may see and do what is another now: all that was read may be. */
const access = /^(session\.(un)?delegated|(role|member)\.|user\.removed)/
const everything: Key = []

/** Which of what was read an event makes old. Too much costs a request, too little shows what is no longer so. */
export function staleBy(event: Heard): Key[] {
  const { type, sessionId, data } = event
  if (access.test(type)) return [everything]
  const [slice = ''] = type.split('.')
  const id = idIn(data)
  switch (slice) {
    case 'ask':
      return [
        ['inbox'],
        ...(sessionId === null ? [['asks'] as const] : ofSession(sessionId, 'asks')),
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
        ...(type === 'session.started' || type === 'session.status_changed' ? [['inbox'] as const] : []),
        ...ofSession(sessionId ?? id, 'session', 'conversation', 'queue'),
        ...(type === 'session.started' ? [['session'] as const] : []),
      ]
    case 'message':
      return ofSession(sessionId, 'conversation', 'files')
    case 'agent':
      return [['sessions'], ...ofSession(sessionId, 'session')]
    case 'queue':
      return ofSession(sessionId, 'queue', 'session', 'conversation')
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
      // Its name stands wherever its sessions do.
      return [['repos'], ['sessions'], ['session'], ['inbox']]
    case 'token':
      return [['tokens']]
    case 'push':
      return [['devices'], ['notifications']]
    case 'user':
      // Their name stands wherever their sessions and asks do.
      return [['people'], ['names'], ['me'], ['sessions'], ['session'], ['inbox']]
    case 'identity':
    case 'login':
      return [['people'], ['names'], ['me']]
    default:
      return [['system']]
  }
}

/** Everything a burst makes old, each once. Whatever happened is in the log, too. */
export function staleByAll(events: readonly Heard[]): Key[] {
  const keys = new Map<string, Key>()
  for (const event of events) for (const key of staleBy(event)) keys.set(key.join('\n'), key)
  keys.set('audit', ['audit'])
  return [...keys.values()]
}
