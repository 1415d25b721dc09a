import type { Client } from '../../client/client.ts'
import type { SessionId } from '../../domain/session/id.ts'
import { findId } from '../ids.ts'

type NamedTerminal = { id: SessionId; name: string | null }

/** By id, start of an id, or name; watched terminals first. */
export function findTerminal(client: Client, text: string): Promise<SessionId> {
  const pages = async function* (): AsyncGenerator<readonly NamedTerminal[]> {
    for (const query of [{ state: 'active' as const }, {}]) {
      const { terminals } = await client.listTerminals({ query })
      yield terminals.map(({ sessionId, name }) => ({ id: sessionId, name }))
    }
  }
  return findId<NamedTerminal>(text, {
    what: 'terminal',
    list: 'signalbox terminals --all',
    pages: pages(),
    alsoCalled: ({ name }) => (name === null ? [] : [name]),
  })
}
