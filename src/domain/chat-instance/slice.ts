import { groundsOf } from '../slice/grounds.ts'
import type { Slice } from '../slice/slice.ts'
import { personOf } from '../user/actor.ts'
import { decideInstance } from './decide.ts'
import { instanceEvents, type InstanceChange, type InstanceCommand } from './schema.ts'
import { instanceNamed, loadInstance, projectInstance, workspaceOf } from './store.ts'

export const instanceSlice: Slice<InstanceCommand, InstanceChange> = {
  events: instanceEvents,
  streams: () => ['chat_instances'],
  async load(db, command, context) {
    return {
      grounds: groundsOf(context),
      async decide() {
        const instance = await loadInstance(db, command.id)
        const named = command.type === 'instance.add' ? await instanceNamed(db, command.name) : undefined
        const facts = {
          instance,
          named,
          workspace: await workspaceOf(db, named?.id ?? command.id),
          by: personOf(context.standing.actor),
        }
        return decideInstance(facts, command)
      },
    }
  },
  project: projectInstance,
  audience: ({ data }) => ({ stream: data.id, visibility: 'admin' }),
  subject: (command, changes) => changes.find((change) => change.type === 'instance.added')?.data.id ?? command.id,
}
