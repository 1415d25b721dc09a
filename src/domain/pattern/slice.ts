import { reachedBy, sessionGrounds } from '../slice/grounds.ts'
import type { Slice } from '../slice/slice.ts'
import { decidePattern } from './decide.ts'
import type { PatternChange, PatternCommand } from './schema.ts'
import { loadPatternFacts, projectPattern, streamsOfPattern } from './store.ts'

export const patternSlice: Slice<PatternCommand, PatternChange> = {
  kept: {
    'input.judged': 'log',
    'input.tracked': 'log',
    'pattern.confirmed': 'log',
    'pattern.dismissed': 'log',
    'pattern.forgotten': 'log',
    'pattern.imported': 'log',
    'pattern.learned': 'tables',
    'pattern.proposed': 'log',
    'pattern.revoked': 'log',
    'pattern.withdrawn': 'log',
  },
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
