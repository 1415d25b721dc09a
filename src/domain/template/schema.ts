import * as z from 'zod'
import { idOf } from '../../lib/id.ts'
import type { DataOf } from '../slice/events.ts'
import { AgentGroupId, UserId } from '../user/id.ts'
import { mostTemplateFields, mostTemplateText, mostTemplateValue } from './about.ts'

export const TemplateId = idOf('TemplateId')
export type TemplateId = z.infer<typeof TemplateId>

export const mostTemplates = 500

export const TemplateName = z
  .string()
  .regex(/^[a-z0-9][a-z0-9_-]{0,63}$/, 'must be lower-case letters, digits, - and _, at most 64')

/** In one line. */
const Description = z
  .string()
  .trim()
  .max(200)
  .regex(/^[^\p{Cc}\p{Zl}\p{Zp}]*$/u, 'must be one line')
const Text = z
  .string()
  .max(mostTemplateText)
  .refine((text) => text.trim() !== '', 'must not be empty')
  .meta({ description: 'The words of the prompt. Fields: {name}, {name=default}, {name:one|two}; {{name}} is text.' })

export const templateFields = {
  name: TemplateName,
  description: Description.default(''),
  text: Text,
  agentGroupId: AgentGroupId.optional().meta({ description: 'For the people of an agent group; default: your own.' }),
}

export const templateChanges = {
  name: TemplateName.optional(),
  description: Description.optional(),
  text: Text.optional(),
  revision: z.int().optional().meta({ description: 'Refuse if it is no longer the one you read.' }),
}

export const templateValues = z
  .record(z.string().max(40), z.string().max(mostTemplateValue))
  .refine((values) => Object.keys(values).length <= mostTemplateFields, `must be at most ${mostTemplateFields} values`)

export const templateSources = ['own', 'workspace', 'group'] as const

const TemplateField = z
  .object({
    name: z.string(),
    choices: z
      .array(z.string())
      .nullable()
      .meta({ description: 'The values to choose from, or null if any text is allowed.' }),
    default: z.string().nullable().meta({ description: 'Used if no value is given; null: one is needed.' }),
  })
  .meta({ id: 'TemplateField' })

/** Words of a prompt under a name, with fields to be filled in. */
export const Template = z
  .object({
    id: TemplateId.nullable().meta({ description: 'Null for a file of a workspace.' }),
    name: z.string(),
    source: z.enum(templateSources),
    description: z.string(),
    text: z.string(),
    fields: z.array(TemplateField),
    agentGroupId: AgentGroupId.nullable(),
    groupName: z.string().nullable(),
    path: z.string().nullable().meta({ description: 'The file, below its workspace.' }),
    revision: z.int().nullable(),
    updatedAt: z.iso.datetime().nullable(),
    mayChange: z.boolean().meta({ description: 'Whether you can edit and remove it here.' }),
  })
  .meta({ id: 'Template' })
export type Template = z.infer<typeof Template>

/** A template of a person or of an agent group, as it is stored. */
export type LoadedTemplate = {
  readonly id: TemplateId
  readonly name: string
  readonly ownerUserId: UserId | null
  readonly agentGroupId: AgentGroupId | null
  readonly description: string
  readonly text: string
  readonly revision: number
  readonly updatedAt: string
}

export const TemplateCommand = z.discriminatedUnion('type', [
  z.object({ type: z.literal('template.add'), id: TemplateId, ...templateFields }),
  z.object({ type: z.literal('template.change'), id: TemplateId, ...templateChanges }),
  z.object({ type: z.literal('template.remove'), id: TemplateId }),
])
export type TemplateCommand = z.infer<typeof TemplateCommand>

const about = {
  id: TemplateId,
  name: z.string(),
  ownerUserId: UserId.nullable(),
  agentGroupId: AgentGroupId.nullable(),
}

/** Events about templates. */
export const templateEvents = {
  'template.added': () => z.object(about),
  'template.changed': () => z.object({ ...about, revision: z.int() }),
  'template.removed': () => z.object(about),
}
type Data = DataOf<typeof templateEvents>

export type TemplateChange =
  | { type: 'template.added'; data: Data['template.added']; body: { description: string; text: string } }
  | { type: 'template.changed'; data: Data['template.changed']; body: { description: string; text: string } }
  | { type: 'template.removed'; data: Data['template.removed'] }
