import { getSession } from '../session/query.ts'
import { loadSession } from '../session/store.ts'
import { tallyStream } from '../session/slice.ts'
import { groundsOf, sessionFacts, sessionGrounds, stateOf } from '../slice/grounds.ts'
import type { Slice } from '../slice/slice.ts'
import { personOf, viewerOf } from '../user/actor.ts'
import { decideTerminal, decideTerminalOpen } from './decide.ts'
import { terminalEvents, type TerminalChange, type TerminalCommand, type TerminalOwnChange } from './schema.ts'
import { loadGrants, loadTerminal, projectTerminal } from './store.ts'

export const terminalSlice: Slice<TerminalCommand, TerminalOwnChange, TerminalChange> = {
  events: { ...terminalEvents, 'terminal.advanced': 'tables' },

  streams: (_db, command) =>
    command.type === 'terminal.open' ? [command.session.id, tallyStream(command.session.ownerUserId)] : [command.id],

  async load(db, command, context) {
    if (command.type === 'terminal.open') {
      const { session: wanted, terminal: made } = command
      return {
        grounds: groundsOf(context),
        async decide() {
          const existing = await stateOf(db, await sessionGrounds(db, wanted.id, context))
          // Does not reveal whether a session exists that the caller may not see.
          const parent =
            made.parentSessionId === null
              ? undefined
              : await getSession(db, viewerOf(context.standing), made.parentSessionId)
          const facts = await sessionFacts(db, 'terminal', context)
          return decideTerminalOpen(existing, parent !== undefined, command, facts)
        },
      }
    }
    const grounds = await sessionGrounds(db, command.id, context)
    return {
      grounds,
      async decide() {
        const row = await loadTerminal(db, command.id)
        const grantee = 'sessionId' in command ? await loadSession(db, command.sessionId) : undefined
        const state = row && {
          isOpen: row.closed_at === null,
          grantedTo: await loadGrants(db, command.id),
          granteeIsKnown: grantee !== undefined && grantee.ownerUserId === grounds.session?.ownerUserId,
          by: personOf(context.standing.actor),
        }
        return decideTerminal(state, command)
      },
    }
  },

  project: projectTerminal,
  audience: ({ data }) => ({ session: data.sessionId }),
  subject: (command) => (command.type === 'terminal.open' ? command.session.id : command.id),
}
