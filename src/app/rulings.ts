import type { NewAsk } from '../domain/ask/schema.ts'
import { loadSession } from '../domain/session/store.ts'
import { isClaimed } from '../domain/session/store-clients.ts'
import type { Database } from '../db/open.ts'
import type { Command } from './command.ts'

/** The name of the rule that answers an ask of a session in this workspace, or null. */
export type PolicyOf = (ask: NewAsk, workspaceRoot: string, tool: string | undefined) => Promise<string | null>

/** What policy says to a command, found out before its transaction begins: a policy is a file, and files may be slow. */
export type Rulings = (command: Command) => Promise<string | null>

export function createRulings({ read }: Database, policy: PolicyOf): Rulings {
  return async (command) => {
    if (command.type !== 'ask.open' || command.automatic || command.ask.sessionId === null) return null
    const session = await loadSession(read, command.ask.sessionId)
    const rule = session ? await policy(command.ask, session.workspaceRoot, command.tool) : null
    // Whoever could choose where it works could choose whose policy answers.
    return rule !== null && session && (await isClaimed(read, session.id)) ? null : rule
  }
}
