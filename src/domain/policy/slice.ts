import { groundsOf } from '../slice/grounds.ts'
import type { Slice } from '../slice/slice.ts'
import { actorName } from '../user/actor.ts'
import { decidePolicy, decidePolicyFile, isFileCommand } from './decide.ts'
import { policyEvents, type PolicyChange, type PolicyCommand } from './schema.ts'
import { loadObservation, trustOf } from './store-trust.ts'
import { loadRule, loadSameRules, projectPolicy } from './store.ts'

export const policySlice: Slice<PolicyCommand, PolicyChange> = {
  events: policyEvents,
  streams: () => ['policy'],
  async load(db, command, context) {
    return {
      grounds: groundsOf(context),
      async decide() {
        const by = actorName(context.standing.actor)
        if (isFileCommand(command)) {
          const trust = command.type === 'policy.untrust' ? await trustOf(db, command.workspaceRoot, []) : null
          return decidePolicyFile(
            command,
            await loadObservation(db, command.workspaceRoot),
            trust?.kind === 'person',
            by,
          )
        }
        const same = 'rule' in command ? await loadSameRules(db, command.workspaceRoot, command.rule) : []
        return decidePolicy(await loadRule(db, command.id), same, command, by)
      },
    }
  },
  project: projectPolicy,
  // They name workspaces that not everyone may use.
  audience: ({ data }) => ({ stream: data.id, visibility: 'admin' }),
  subject: ({ id }) => id,
}
