import { reachedBy, sessionGrounds } from '../slice/grounds.ts'
import type { Slice } from '../slice/slice.ts'
import { decidePattern } from './decide.ts'
import { patternEvents, type PatternChange, type PatternCommand } from './schema.ts'
import { loadPatternFacts, projectPattern, streamsOfPattern } from './store.ts'

export const patternSlice: Slice<PatternCommand, PatternChange> = {
  events: { ...patternEvents, 'pattern.learned': 'tables' },
  streams: streamsOfPattern,
  async load(db, command, context) {
    const id = command.type === 'input.track' ? command.sessionId : null
    const grounds = await sessionGrounds(db, id, context)
    return {
      grounds: { ...grounds, reachedBy: id === null ? [] : await reachedBy(db, id) },
      decide: async () => decidePattern(await loadPatternFacts(db, command), command, context),
    }
  },
  project: projectPattern,
  audience: (change) =>
    change.type === 'input.tracked' || change.type === 'input.judged'
      ? { session: change.data.sessionId }
      : { person: change.data.userId },
  subject: (command) => ('id' in command ? command.id : command.userId),
}
