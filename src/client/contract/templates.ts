import * as z from 'zod'
import { SessionId } from '../../domain/session/schema.ts'
import { Template, templateChanges, templateFields, TemplateId, templateValues } from '../../domain/template/schema.ts'
import { RepoId } from '../../domain/workspace/schema.ts'
import { endpoint } from '../endpoint.ts'

const ById = () => z.object({ id: TemplateId })

/** Whose files are read too. */
const place = {
  repoId: RepoId.optional().meta({ description: 'Also the templates that this repo keeps in .signalbox/prompts.' }),
  workspaceRoot: z
    .string()
    .max(4096)
    .startsWith('/', 'must be an absolute path')
    .optional()
    .meta({ description: 'The same for a trusted directory.' }),
  sessionId: SessionId.optional().meta({ description: "The same for a session's workspace." }),
}

export const templateEndpoints = {
  listTemplates: endpoint({
    method: 'GET',
    path: '/api/templates',
    tag: 'templates',
    summary: 'Templates of prompts: your own, those of your agent groups, and those of one workspace',
    status: 200,
    query: () => z.strictObject(place),
    response: () =>
      z.object({
        templates: z.array(Template),
        problems: z
          .array(z.object({ path: z.string(), why: z.string() }).meta({ id: 'TemplateProblem' }))
          .meta({ description: 'Files of the workspace that are not offered, and why.' }),
      }),
  }),
  addTemplate: endpoint({
    method: 'POST',
    path: '/api/templates',
    tag: 'templates',
    summary: 'Add a template of your own, or one for an agent group that you administer',
    status: 201,
    body: () => z.strictObject(templateFields),
    response: Template,
  }),
  changeTemplate: endpoint({
    method: 'PATCH',
    path: '/api/templates/{id}',
    tag: 'templates',
    summary: 'Change a template',
    status: 200,
    params: ById,
    body: () => z.strictObject(templateChanges),
    response: Template,
  }),
  removeTemplate: endpoint({
    method: 'DELETE',
    path: '/api/templates/{id}',
    tag: 'templates',
    summary: 'Remove a template',
    status: 200,
    params: ById,
    response: () => z.object({ id: TemplateId, removed: z.literal(true) }),
  }),
  fillTemplate: endpoint({
    method: 'POST',
    path: '/api/templates/fill',
    tag: 'templates',
    summary: 'The words of a template with its fields filled in, to be sent as a prompt',
    status: 200,
    body: () =>
      z.strictObject({
        template: z.string().min(1).max(300).meta({
          description:
            'Its id or name; GROUP/NAME for one of an agent group. Yours come first, then those of the workspace.',
        }),
        values: templateValues.default({}),
        ...place,
      }),
    response: () => z.object({ text: z.string(), template: Template }),
  }),
}
