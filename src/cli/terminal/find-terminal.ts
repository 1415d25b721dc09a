import type { Client } from '../../client/client.ts'
import type { TerminalView } from '../../client/contract/terminals.ts'
import type { SessionId } from '../../domain/session/id.ts'
import { findId } from '../ids.ts'

/** Page after page, newest first. */
export async function* terminalPages(
  client: Client,
  filter: { state?: 'active' | 'stopped' },
): AsyncGenerator<readonly TerminalView[]> {
  let before: string | null = null
  do {
    const query = { ...filter, limit: perPage, ...(before !== null && { before }) }
    const page: { terminals: TerminalView[]; next: string | null } = await client.listTerminals({ query })
    yield page.terminals
    before = page.next
  } while (before !== null)
}

const perPage = 500

type NamedTerminal = { id: SessionId; name: string | null }

/** By id, start of an id, or name; watched terminals first. */
export function findTerminal(client: Client, text: string): Promise<SessionId> {
  const pages = async function* (): AsyncGenerator<readonly NamedTerminal[]> {
    for (const query of [{ state: 'active' as const }, {}]) {
      for await (const page of terminalPages(client, query))
        yield page.map(({ sessionId, name }) => ({ id: sessionId, name }))
    }
  }
  return findId<NamedTerminal>(text, {
    what: 'terminal',
    list: 'signalbox terminals --all',
    pages: pages(),
    alsoCalled: ({ name }) => (name === null ? [] : [name]),
  })
}
