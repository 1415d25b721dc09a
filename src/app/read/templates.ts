import { fieldsOf } from '../../domain/template/about.ts'
import type { LoadedTemplate, Template, TemplateId } from '../../domain/template/schema.ts'
import { listTemplates, loadTemplate } from '../../domain/template/store.ts'
import { listGroups } from '../../domain/agent-group/store.ts'
import type { AgentGroup } from '../../domain/agent-group/schema.ts'
import { belongsTo } from '../../domain/chat/access.ts'
import { isAdmin, personOf, type Standing } from '../../domain/user/actor.ts'
import { notFound, ok } from '../../lib/result.ts'
import type { ReadContext } from './context.ts'

/** Templates of prompts: a person's own, and those of their agent groups. */
export function createTemplateReads({ database, behind }: ReadContext) {
  const { read: db } = database

  const visibleGroups = async (who: Standing) =>
    (await listGroups(db)).filter(({ id }) => isAdmin(who) || belongsTo(who, id))

  function shown(who: Standing, groups: readonly AgentGroup[], found: LoadedTemplate): Template {
    const { id, name, description, text, agentGroupId, revision, updatedAt } = found
    const group = groups.find((one) => one.id === agentGroupId)
    const administers =
      isAdmin(who) || who.grants.some((grant) => grant.role === 'admin' && grant.agentGroupId === agentGroupId)
    return {
      id,
      name,
      source: agentGroupId === null ? 'own' : 'group',
      description,
      text,
      fields: fieldsOf(text),
      agentGroupId,
      groupName: group?.name ?? null,
      path: null,
      revision,
      updatedAt,
      mayChange: acts(who) && (agentGroupId === null || administers),
    }
  }

  return {
    templates: behind('person', async (_viewer, who) => {
      const groups = await visibleGroups(who)
      const found = await listTemplates(
        db,
        personOf(who.actor),
        groups.map(({ id }) => id),
      )
      return ok(found.map((one) => shown(who, groups, one)))
    }),
    template: behind('person', async (_viewer, who, id: TemplateId) => {
      const found = await loadTemplate(db, id)
      const groups = await visibleGroups(who)
      const isSeen =
        found &&
        (found.agentGroupId === null
          ? found.ownerUserId === personOf(who.actor)
          : groups.some((group) => group.id === found.agentGroupId))
      return found && isSeen ? ok(shown(who, groups, found)) : notFound('template', id)
    }),
  }
}

const acts = ({ actor }: Standing): boolean => actor.kind === 'person' && actor.scope === 'full'
