import { notFound } from '../lib/result.ts'
import type { TemplateId } from '../domain/template/schema.ts'
import type { CommandOf } from './command.ts'
import { allow, groupAdmins, people, rule, self } from './rules.ts'

export const mayAddTemplate = rule<CommandOf<'template.add'>>(
  `any person, for themselves; for an agent group, ${groupAdmins.who}`,
  (grounds, { agentGroupId }) =>
    people(grounds, undefined) ?? (agentGroupId === undefined ? allow : groupAdmins(grounds, { agentGroupId })),
)

/** Others do not learn that the template exists; the people of a group see its templates. */
export const holdersOfTemplate = rule<{ id: TemplateId }>(
  `the person themselves; for an agent group, ${groupAdmins.who}`,
  (grounds, { id }) => {
    const refused = people(grounds, undefined)
    const { template, standing } = grounds
    if (refused || !template) return refused
    const { ownerUserId, agentGroupId } = template
    if (agentGroupId === null)
      return ownerUserId !== null && self(grounds, ownerUserId) ? allow : notFound('template', id)
    const denied = groupAdmins(grounds, { agentGroupId })
    return denied === allow || standing.memberOf.includes(agentGroupId) ? denied : notFound('template', id)
  },
)
