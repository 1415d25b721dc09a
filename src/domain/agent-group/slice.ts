import { chatStream } from '../chat/slice.ts'
import { linksOfGroup } from '../chat/store.ts'
import { groundsOf } from '../slice/grounds.ts'
import { mayUseMachine } from '../user/actor.ts'
import type { Slice } from '../slice/slice.ts'
import { getRepo } from '../workspace/store.ts'
import { decideAgentGroup } from './decide.ts'
import { agentGroupEvents, type AgentGroupChange, type AgentGroupCommand, type AgentGroupMade } from './schema.ts'
import { loadContainerConfig } from './store-container-config.ts'
import { allFolders, loadGroup, projectAgentGroup } from './store.ts'

export const agentGroupSlice: Slice<AgentGroupCommand, AgentGroupChange, AgentGroupMade> = {
  events: agentGroupEvents,
  streams: () => [chatStream],
  async load(db, command, context) {
    const config = command.type === 'agent_group.configure' ? await loadContainerConfig(db, command.id) : undefined
    return {
      grounds: { ...groundsOf(context), ...(command.type === 'agent_group.configure' && { config }) },
      async decide() {
        const repoId = 'repoId' in command ? (command.repoId ?? null) : null
        const repo = repoId === null ? undefined : await getRepo(db, repoId)
        return decideAgentGroup(
          {
            group: await loadGroup(db, command.id),
            folders: command.type === 'agent_group.create' ? await allFolders(db) : [],
            repoExists: repo !== undefined && repo.removedAt === null,
            links: await linksOfGroup(db, command.id),
            config,
            // Signalbox itself carries out what others want.
            hasMachine: context.standing.actor.kind === 'person' && mayUseMachine(context.standing),
          },
          command,
        )
      },
    }
  },
  project: projectAgentGroup,
  audience: ({ data }) => ({ stream: data.id, visibility: 'admin' }),
  subject: ({ id }) => id,
}
