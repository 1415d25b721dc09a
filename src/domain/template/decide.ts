import { fail, notFound, ok, type Failed, type Result } from '../../lib/result.ts'
import type { UserId } from '../user/id.ts'
import { misfitOf } from './about.ts'
import {
  mostTemplates,
  type LoadedTemplate,
  type TemplateChange,
  type TemplateCommand,
  type TemplateId,
} from './schema.ts'

export type TemplateFacts = {
  readonly template: LoadedTemplate | undefined
  readonly by: UserId | null
  /** Templates of the same person or agent group. */
  readonly beside: readonly { readonly id: TemplateId; readonly name: string }[]
  readonly groupExists: boolean
}

export function decideTemplate(command: TemplateCommand, facts: TemplateFacts): Result<TemplateChange[]> {
  const { template } = facts
  if (command.type === 'template.add') return add(command, facts)
  if (!template) return notFound('template', command.id)
  const { id, ownerUserId, agentGroupId } = template
  if (command.type === 'template.remove')
    return ok([{ type: 'template.removed', data: { id, name: template.name, ownerUserId, agentGroupId } }])
  if (command.revision !== undefined && command.revision !== template.revision)
    return fail({
      kind: 'conflict',
      code: 'template_changed',
      message: `${template.name} was changed meanwhile.`,
      hint: 'Reload it, and make your change again.',
    })
  const name = command.name ?? template.name
  const text = command.text ?? template.text
  const description = command.description ?? template.description
  const misfit = taken(name, id, facts) ?? misfitOf(text)
  if (misfit) return misfit
  const data = { id, name, ownerUserId, agentGroupId, revision: template.revision + 1 }
  return ok([{ type: 'template.changed', data, body: { description, text } }])
}

function add(
  { id, name, description, text, agentGroupId: group }: Extract<TemplateCommand, { type: 'template.add' }>,
  facts: TemplateFacts,
): Result<TemplateChange[]> {
  const agentGroupId = group ?? null
  const { template, by, beside, groupExists } = facts
  if (template)
    return fail({ kind: 'conflict', code: 'template_exists', message: `The template ${id} already exists.` })
  if (agentGroupId !== null && !groupExists) return notFound('agent_group', agentGroupId)
  if (agentGroupId === null && by === null)
    return fail({ kind: 'forbidden', code: 'not_authorised', message: 'A template needs an owner.' })
  if (beside.length >= mostTemplates)
    return fail({
      kind: 'limited',
      code: 'too_many_templates',
      message: `There are ${mostTemplates} templates already.`,
      hint: 'Remove some first.',
    })
  const misfit = taken(name, id, facts) ?? misfitOf(text)
  if (misfit) return misfit
  const data = { id, name, ownerUserId: agentGroupId === null ? by : null, agentGroupId }
  return ok([{ type: 'template.added', data, body: { description, text } }])
}

const taken = (name: string, id: TemplateId, { beside }: TemplateFacts): Failed | null =>
  beside.some((one) => one.name === name && one.id !== id)
    ? fail({
        kind: 'conflict',
        code: 'template_name_taken',
        message: `There is a template ${name} already.`,
        hint: 'Use another name, or edit that one.',
      })
    : null
