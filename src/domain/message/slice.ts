import type { SessionChange } from '../session/schema.ts'
import { sessionGrounds, withLife } from '../slice/grounds.ts'
import type { Slice } from '../slice/slice.ts'
import { decideMessage } from './decide.ts'
import { messageEvents, type MessageChange, type MessageCommand } from './schema.ts'
import { projectMessage } from './store.ts'

export const messageSlice: Slice<MessageCommand, MessageChange, SessionChange> = {
  events: { ...messageEvents, 'message.updated': 'tables' },
  streams: (_db, { sessionId }) => [sessionId],
  async load(db, command, context) {
    const grounds = await sessionGrounds(db, command.sessionId, context)
    return { grounds, decide: () => withLife(grounds, context, decideMessage(grounds.session, command)) }
  },
  project: projectMessage,
  audience: ({ data }) => ({ session: data.sessionId }),
  subject: ({ id }) => id,
}
