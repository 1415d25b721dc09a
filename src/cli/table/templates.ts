import { command, family, list, on, text } from '../command.ts'

const place = {
  repo: text('REPO', "Also those in the files of this repo (default: the current directory's)"),
  workspace: text('DIR', 'The same for a trusted directory'),
}
/** For commands that send a prompt. */
export const withTemplateFlags = {
  template: text('NAME', 'Fill in this template; words of yours follow it (signalbox templates)'),
  set: list('FIELD=VALUE', 'With --template: the value of a field; can be repeated'),
}
const content = {
  file: text('FILE', 'Read the text from this file; - for standard input'),
  description: text('TEXT', 'What it is for, in one line'),
}
export const listTemplateFlags = place
export const showTemplateFlags = place
export const addTemplateFlags = { ...content, group: text('GROUP', 'For the people of an agent group of yours') }
export const editTemplateFlags = {
  text: text('TEXT', 'New text'),
  ...content,
  name: text('NAME', 'New name'),
}
export const removeTemplateFlags = { yes: on('Skip the confirmation') }
export const exportTemplateFlags = { output: text('FILE', 'Write to this file'), ...place }
export const importTemplateFlags = {
  group: text('GROUP', 'For the people of an agent group of yours'),
  replace: on('Replace templates of the same name'),
}

const template = { name: 'TEMPLATE' }
const load = () => import('../commands/templates.ts')

export const templateCommands = [
  family({
    name: 'templates',
    summary: 'Prompts that you keep, with fields to fill in',
    group: 'Work with agents',
    alone: 'list',
    more: [
      'TEMPLATE is a name, GROUP/NAME, or an id. Fields: {name}, {name=default}, {name:one|two}; {{name}} is text.',
      'A workspace keeps its own in .signalbox/prompts/NAME.md.',
    ].join('\n'),
    examples: [
      'signalbox templates add fix-issue "Fix issue {number} in {area:web|server=web}."',
      'signalbox start --template fix-issue --set number=42',
    ],
    children: [
      command({
        name: 'list',
        summary: 'Your templates, those of your agent groups, and those of the workspace (the default)',
        flags: listTemplateFlags,
        examples: ['signalbox templates', 'signalbox templates --repo shop --json'],
        load: async () => (await load()).listTemplates,
      }),
      command({
        name: 'show',
        summary: 'The text and the fields of a template',
        args: [template],
        flags: showTemplateFlags,
        examples: ['signalbox templates show fix-issue', 'signalbox templates show helpers/review --json'],
        load: async () => (await load()).showTemplate,
      }),
      command({
        name: 'add',
        summary: 'Add a template',
        args: [{ name: 'NAME' }, { name: 'TEXT', optional: true, rest: true }],
        flags: addTemplateFlags,
        examples: [
          'signalbox templates add fix-issue "Fix issue {number}."',
          'signalbox templates add review --file review.md --group helpers',
        ],
        load: async () => (await load()).addTemplate,
      }),
      command({
        name: 'edit',
        summary: 'Change the name, text or description of a template',
        args: [template],
        flags: editTemplateFlags,
        examples: [
          'signalbox templates edit fix-issue --text "Fix issue {number}. Add a test."',
          'signalbox templates edit review --file review.md',
        ],
        load: async () => (await load()).editTemplate,
      }),
      command({
        name: 'remove',
        summary: 'Remove a template',
        args: [template],
        flags: removeTemplateFlags,
        examples: ['signalbox templates remove fix-issue', 'signalbox templates remove helpers/review --yes'],
        load: async () => (await load()).removeTemplate,
      }),
      command({
        name: 'export',
        summary: 'Print a template as a Markdown file',
        args: [template],
        flags: exportTemplateFlags,
        examples: [
          'signalbox templates export fix-issue',
          'signalbox templates export fix-issue --output .signalbox/prompts/fix-issue.md',
        ],
        load: async () => (await load()).exportTemplate,
      }),
      command({
        name: 'import',
        summary: 'Add templates from Markdown files',
        args: [{ name: 'FILE', rest: true }],
        flags: importTemplateFlags,
        more: 'A file without a name in it is named after its file name.',
        examples: ['signalbox templates import fix-issue.md', 'signalbox templates import --replace prompts/*.md'],
        load: async () => (await load()).importTemplates,
      }),
    ],
  }),
]
