import { knownMessages } from '../message/store.ts'
import type { SessionChange } from '../session/schema.ts'
import { sessionGrounds, stateOf } from '../slice/grounds.ts'
import type { Slice } from '../slice/slice.ts'
import { decideAgent } from './decide.ts'
import type { AgentChange, AgentCommand } from './schema.ts'
import { projectAgent } from './store.ts'

export const agentSlice: Slice<AgentCommand, AgentChange, AgentChange | SessionChange> = {
  events: { 'agent.hosted': 'tables', 'agent.crashed': 'tables', 'agent.recorded': 'tables' },
  streams: (_db, { id }) => [id],
  async load(db, command, context) {
    const grounds = await sessionGrounds(db, command.id, context)
    return {
      grounds,
      async decide() {
        const written = command.type === 'agent.record' ? command.writes.map(({ id }) => id) : []
        return decideAgent(await stateOf(db, grounds), await knownMessages(db, written), command, context)
      },
    }
  },
  project: projectAgent,
  audience: ({ data }) => ({ session: data.id }),
  subject: ({ id }) => id,
}
