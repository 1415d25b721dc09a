import { groundsOf } from '../slice/grounds.ts'
import type { Slice } from '../slice/slice.ts'
import { decidePush } from './decide.ts'
import { pushEvents, type PushChange, type PushCommand } from './schema.ts'
import { loadPushFacts, projectPush } from './store.ts'

export const pushSlice: Slice<PushCommand, PushChange> = {
  events: pushEvents,
  // One stream for everyone: a browser may change from one person to another.
  streams: () => ['push'],
  async load(db, command, context) {
    return {
      grounds: groundsOf(context),
      decide: async () => decidePush(await loadPushFacts(db, command), command),
    }
  },
  project: projectPush,
  audience: ({ data }) => ({ person: data.userId }),
  subject: (command) => ('id' in command ? command.id : command.userId),
}
