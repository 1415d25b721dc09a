import { notFound } from '../../lib/result.ts'
import type { SessionChange } from '../session/schema.ts'
import { sessionGrounds, withWorkplace } from '../slice/grounds.ts'
import type { Slice } from '../slice/slice.ts'
import { actorName } from '../user/actor.ts'
import { decideAlert } from './decide.ts'
import { alertEvents, type AlertChange, type AlertCommand } from './schema.ts'
import { loadAlertFacts, projectAlert, sessionOfAlert } from './store.ts'

export const alertSlice: Slice<AlertCommand, AlertChange, SessionChange> = {
  events: alertEvents,
  streams: async (db, command) => [(await sessionOfAlert(db, command)) ?? command.id],
  async load(db, command, context) {
    const facts = await loadAlertFacts(db, command)
    const found = await sessionGrounds(db, facts.session?.id ?? null, context)
    const { now, noteId, settings, standing } = context
    return {
      grounds: command.type === 'alert.nudge' ? await withWorkplace(db, found, context) : found,
      decide: () =>
        decideAlert(facts, command, {
          now,
          by: actorName(standing.actor),
          automatic: standing.actor.kind === 'system',
          noteId,
          rules: settings.stall,
        }),
      // Alerts are hidden with their session.
      hide: (refused) => (refused.fault.kind === 'not_found' ? notFound('alert', command.id) : refused),
    }
  },
  project: projectAlert,
  audience: ({ data }) => ({ session: data.sessionId }),
  subject: ({ id }) => id,
}
