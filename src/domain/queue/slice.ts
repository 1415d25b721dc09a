import { loadAttachments } from '../attachment/store.ts'
import type { SessionChange } from '../session/schema.ts'
import { loadOpenAsks } from '../session/store.ts'
import { entryThrough, operates, sessionGrounds, withWorkplace } from '../slice/grounds.ts'
import type { Slice } from '../slice/slice.ts'
import { actorName, personOf } from '../user/actor.ts'
import { decideQueue } from './decide.ts'
import { queueEvents, type QueueChange, type QueueCommand } from './schema.ts'
import { loadQueueItem, projectQueue, waitingRanks } from './store.ts'

export const queueSlice: Slice<QueueCommand, QueueChange, SessionChange> = {
  events: queueEvents,
  streams: (_db, { sessionId }) => [sessionId],
  async load(db, command, context) {
    const known = await sessionGrounds(db, command.sessionId, context)
    const prompts = command.type === 'queue.add' || command.type === 'queue.change'
    const placed = prompts ? await withWorkplace(db, known, context) : known
    const through = command.type === 'queue.add' ? command.through : undefined
    const grounds = through === undefined ? placed : { ...placed, entry: await entryThrough(db, through, placed) }
    return {
      grounds,
      async decide() {
        const { session: found } = grounds
        const open = found && command.type === 'queue.add' ? await loadOpenAsks(db, found.id) : []
        // Writing through a wiring is not acting on the session: only its operators end a wait (R3).
        const wait = through === undefined || operates(grounds) ? open.find(({ kind }) => kind === 'wait') : undefined
        const state = found && { ...found, openWait: wait?.id ?? null }
        const named = command.type === 'queue.add' ? (command.attachments ?? []) : []
        const facts = {
          by: actorName(context.standing.actor),
          noteId: context.noteId,
          uploads: { found: await loadAttachments(db, named), sender: personOf(context.standing.actor) },
          waiting: command.type === 'queue.change' ? await waitingRanks(db, command.sessionId) : [],
        }
        return decideQueue(state, await loadQueueItem(db, command.id), command, facts)
      },
    }
  },
  project: projectQueue,
  audience: ({ data }) => ({ session: data.sessionId }),
  subject: ({ id }) => id,
}
