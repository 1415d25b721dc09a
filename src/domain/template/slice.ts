import { groundsOf } from '../slice/grounds.ts'
import type { Slice } from '../slice/slice.ts'
import { personOf } from '../user/actor.ts'
import { groupExists } from '../user/store.ts'
import { decideTemplate } from './decide.ts'
import { templateEvents, type TemplateChange, type TemplateCommand } from './schema.ts'
import { loadTemplate, namesBeside, projectTemplate } from './store.ts'

/** Prompts that people keep for themselves and for their agent groups. */
export const templateSlice: Slice<TemplateCommand, TemplateChange> = {
  events: templateEvents,
  streams: () => ['templates'],
  async load(db, command, context) {
    const template = await loadTemplate(db, command.id)
    const by = personOf(context.standing.actor)
    return {
      grounds: { ...groundsOf(context), template },
      async decide() {
        const agentGroupId = command.type === 'template.add' ? (command.agentGroupId ?? null) : null
        return decideTemplate(command, {
          template,
          by,
          beside: await namesBeside(db, template ?? { ownerUserId: by, agentGroupId }),
          groupExists: agentGroupId === null || (await groupExists(db, agentGroupId)),
        })
      },
    }
  },
  project: projectTemplate,
  audience: ({ data: { ownerUserId, agentGroupId, id } }) =>
    ownerUserId === null ? { stream: agentGroupId ?? id, visibility: 'admin' } : { person: ownerUserId },
  subject: ({ id }) => id,
}
