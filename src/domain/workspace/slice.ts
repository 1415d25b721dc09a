import { groundsOf } from '../slice/grounds.ts'
import type { Slice } from '../slice/slice.ts'
import { personOf } from '../user/actor.ts'
import { groupExists, strangers } from '../user/store.ts'
import { decideRepo } from './decide.ts'
import { repoEvents, type RepoChange, type RepoCommand } from './schema.ts'
import { loadRepos, projectRepo } from './store.ts'

export const repoSlice: Slice<RepoCommand, RepoChange> = {
  events: repoEvents,
  streams: () => ['repos'],
  async load(db, command, context) {
    return {
      grounds: groundsOf(context),
      async decide() {
        const named = command.type === 'repo.set_access' ? command : { users: [], agentGroups: [] }
        const known = await Promise.all(named.agentGroups.map((group) => groupExists(db, group)))
        const unknown = {
          users: await strangers(db, named.users),
          agentGroups: named.agentGroups.filter((_group, index) => !known[index]),
        }
        return decideRepo(await loadRepos(db, command), command, personOf(context.standing.actor), unknown)
      },
    }
  },
  project: projectRepo,
  audience: (change) => ({
    stream: change.data.id,
    // It names the people who may use a repo.
    visibility: change.type === 'repo.access_set' ? 'admin' : 'public',
  }),
  subject: (command, changes) => changes.find((change) => change.type === 'repo.registered')?.data.id ?? command.id,
}
