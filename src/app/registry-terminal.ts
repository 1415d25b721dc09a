import { decidePattern } from '../domain/pattern/decide.ts'
import type { PatternCommand } from '../domain/pattern/schema.ts'
import { loadPatternFacts } from '../domain/pattern/store.ts'
import { loadSession } from '../domain/session/store.ts'
import { decideTerminal, decideTerminalOpen } from '../domain/terminal/decide.ts'
import type { TerminalCommand } from '../domain/terminal/schema.ts'
import { loadGrants, loadTerminal } from '../domain/terminal/store.ts'
import { personOf } from '../domain/user/actor.ts'
import type { Executor } from '../db/open.ts'
import type { Result } from '../lib/result.ts'
import { authorize } from './authorize.ts'
import type { Change } from './command.ts'
import { groundsOf, reachedBy, sessionFacts, sessionGrounds, stateOf } from './grounds.ts'
import type { Context } from './registry.ts'

export async function terminal(db: Executor, command: TerminalCommand, context: Context): Promise<Result<Change[]>> {
  if (command.type === 'terminal.open') {
    const { session: wanted, terminal: made } = command
    const refused = authorize(groundsOf(context), command)
    if (refused) return refused
    const existing = await stateOf(db, await sessionGrounds(db, wanted.id, context))
    const parent = made.parentSessionId === null ? undefined : await loadSession(db, made.parentSessionId)
    return decideTerminalOpen(existing, parent !== undefined, command, await sessionFacts(db, 'terminal', context))
  }
  const grounds = await sessionGrounds(db, command.id, context)
  const refused = authorize(grounds, command)
  if (refused) return refused
  const row = await loadTerminal(db, command.id)
  const grantee = 'sessionId' in command ? await loadSession(db, command.sessionId) : undefined
  return decideTerminal(
    row && {
      isOpen: row.closed_at === null,
      grantedTo: await loadGrants(db, command.id),
      granteeIsKnown: grantee !== undefined && grantee.ownerUserId === grounds.session?.ownerUserId,
      by: personOf(context.standing.actor),
    },
    command,
  )
}

export async function pattern(db: Executor, command: PatternCommand, context: Context): Promise<Result<Change[]>> {
  const id = command.type === 'input.track' ? command.sessionId : null
  const grounds = { ...(await sessionGrounds(db, id, context)), reachedBy: id === null ? [] : await reachedBy(db, id) }
  return authorize(grounds, command) ?? decidePattern(await loadPatternFacts(db, command), command, context)
}
