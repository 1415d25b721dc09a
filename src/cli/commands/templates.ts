import { readFile, writeFile } from 'node:fs/promises'
import { basename, resolve } from 'node:path'
import type { Client } from '../../client/client.ts'
import {
  chooseTemplate,
  mostTemplateText,
  readTemplateFile,
  writeTemplateFile,
  type TemplateFile,
  type TemplateField,
} from '../../domain/template/about.ts'
import type { Template } from '../../domain/template/schema.ts'
import { cleanLine, exactText } from '../clean-text.ts'
import { renderFields, type Column } from '../columns.ts'
import type { Handler } from '../command.ts'
import { confirmed } from '../confirm.ts'
import type { Context } from '../context.ts'
import { exit, exitOfStatus, Failure, wrongUsage } from '../failure.ts'
import { readErrorText } from '../file-error.ts'
import { findGroup, findRepo } from '../find-by-id.ts'
import { printResult, tableOr } from '../print-result.ts'
import { programName } from '../program-name.ts'
import { readAll } from '../read-all.ts'
import type {
  addTemplateFlags,
  editTemplateFlags,
  exportTemplateFlags,
  importTemplateFlags,
  listTemplateFlags,
  removeTemplateFlags,
  showTemplateFlags,
} from '../table/templates.ts'
import type { TemplatePlace } from '../template-words.ts'
import { gitRootOf } from '../workspace-choice.ts'

type PlaceFlags = { repo: string | undefined; workspace: string | undefined }

/** Named, or the repo that this directory is in, if the server knows it. */
async function placeOf(client: Client, { repo, workspace }: PlaceFlags, context: Context): Promise<TemplatePlace> {
  if (repo !== undefined && workspace !== undefined) throw wrongUsage('Give --repo or --workspace, not both.')
  if (repo !== undefined) return { repoId: await findRepo(client, repo) }
  if (workspace !== undefined) return { workspaceRoot: context.url === undefined ? resolve(workspace) : workspace }
  const top = context.url === undefined ? gitRootOf(process.cwd()) : null
  const here = top === null ? undefined : (await client.listRepos({})).repos.find(({ path }) => path === top)
  return here ? { repoId: here.id } : {}
}

const offered = async (client: Client, flags: PlaceFlags, context: Context) =>
  client.listTemplates({ query: await placeOf(client, flags, context) })

async function chosen(client: Client, wanted: string, flags: PlaceFlags, context: Context): Promise<Template> {
  const { templates } = await offered(client, flags, context)
  const short = /^[0-9a-f-]{8,}$/i.test(wanted)
    ? templates.filter(({ id }) => id?.startsWith(wanted.toLowerCase()) === true)
    : []
  const found =
    short[0] && short.length === 1 ? { ok: true as const, value: short[0] } : chooseTemplate(templates, wanted)
  if (found.ok) return found.value
  const { code, message, hint } = found.fault
  throw new Failure({ exit: exitOfStatus(code === 'template_not_found' ? 404 : 409), code, message, hint })
}

/** One that is stored here: files of a workspace are changed in the workspace. */
async function stored(
  client: Client,
  wanted: string,
  context: Context,
): Promise<Template & { id: NonNullable<Template['id']> }> {
  const found = await chosen(client, wanted, { repo: undefined, workspace: undefined }, context)
  if (found.id !== null) return { ...found, id: found.id }
  throw wrongUsage(`${found.name} is a file of the workspace: ${cleanLine(found.path ?? '')}.`, 'Change the file.')
}

const sourceText = ({ source, groupName, path }: Template): string =>
  source === 'own' ? 'yours' : source === 'group' ? `group ${groupName ?? ''}` : (path ?? 'workspace')

const fieldText = ({ name, choices, default: usual }: TemplateField): string =>
  `${name}${choices === null ? '' : ` (${choices.join(', ')})`}${usual === null ? '' : ` = ${usual === '' ? 'nothing' : usual}`}`

export const listTemplates: Handler<typeof listTemplateFlags> = async ({ flags }, context) => {
  const { client } = await context.api()
  const found = await offered(client, flags, context)
  printResult(context, found, ({ templates }) => {
    const columns: Column<Template>[] = [
      {
        title: 'NAME',
        cell: ({ name, source, groupName }) => (source === 'group' ? `${groupName ?? ''}/${name}` : name),
      },
      { title: 'FROM', cell: sourceText },
      { title: 'FIELDS', cell: ({ fields }) => fields.map(({ name }) => name).join(', ') },
      { title: 'ABOUT', cell: ({ description, text }) => description || text.slice(0, 200), shrinks: true },
    ]
    const none = `No templates. Add one with: ${programName()} templates add NAME TEXT`
    return tableOr(context, templates, columns, none)
  })
  if (!context.json)
    for (const { path, why } of found.problems) context.out.note(`${cleanLine(path)}: ${cleanLine(why)}`)
}

function show(context: Context, template: Template): void {
  printResult(context, template, (one) =>
    [
      renderFields(
        [
          ['Template', one.name],
          ['From', sourceText(one)],
          ['About', one.description === '' ? null : one.description],
          ['Fields', one.fields.length === 0 ? 'none' : one.fields.map(fieldText).join('; ')],
        ],
        context.out,
      ),
      '',
      exactText(one.text),
    ].join('\n'),
  )
}

export const showTemplate: Handler<typeof showTemplateFlags> = async ({ args: [wanted = ''], flags }, context) => {
  const { client } = await context.api()
  show(context, await chosen(client, wanted, flags, context))
}

async function fileAt(path: string): Promise<TemplateFile> {
  const content =
    path === '-'
      ? await readAll(process.stdin)
      : await readFile(path, 'utf8').catch((error: unknown) => {
          throw wrongUsage(`Can't read ${cleanLine(path)}: ${readErrorText(error)}.`)
        })
  if (content.length > 2 * mostTemplateText) throw wrongUsage(`${cleanLine(path)} is too large for a template.`)
  const read = readTemplateFile(content)
  if (!read.ok) throw wrongUsage(`${cleanLine(path)}: ${read.fault.message}`)
  return read.value
}

export const addTemplate: Handler<typeof addTemplateFlags> = async (
  { args: [name = '', ...words], flags },
  context,
) => {
  if (flags.file !== undefined && words.length > 0) throw wrongUsage('Give the text or --file, not both.')
  if (flags.file === undefined && words.length === 0)
    throw wrongUsage('The text is missing.', 'Give it after the name, in quotes, or with --file.')
  const { client } = await context.api()
  const file = flags.file === undefined ? null : await fileAt(flags.file)
  const body = {
    name,
    text: file?.text ?? words.join(' '),
    description: flags.description ?? file?.description ?? '',
    ...(flags.group !== undefined && { agentGroupId: await findGroup(client, flags.group) }),
  }
  const made = await client.addTemplate({ body })
  printResult(context, made, (one) => addedText(one))
}

const addedText = (one: Template): string =>
  `Template ${one.name} is added. To use it: ${programName()} start --template ${one.name}${one.fields
    .filter((field) => field.default === null)
    .map((field) => ` --set ${field.name}=…`)
    .join('')}`

export const editTemplate: Handler<typeof editTemplateFlags> = async ({ args: [wanted = ''], flags }, context) => {
  if (flags.file !== undefined && flags.text !== undefined) throw wrongUsage('Give --text or --file, not both.')
  const given = [flags.text, flags.file, flags.description, flags.name]
  if (given.every((one) => one === undefined))
    throw wrongUsage('Nothing to change.', 'Use --text, --file, --description or --name.')
  const { client } = await context.api()
  const { id, revision } = await stored(client, wanted, context)
  const file = flags.file === undefined ? null : await fileAt(flags.file)
  const text = flags.text ?? file?.text
  const description = flags.description ?? (file?.description || undefined)
  const body = {
    ...(revision !== null && { revision }),
    ...(text !== undefined && { text }),
    ...(description !== undefined && { description }),
    ...(flags.name !== undefined && { name: flags.name }),
  }
  show(context, await client.changeTemplate({ params: { id }, body }))
}

export const removeTemplate: Handler<typeof removeTemplateFlags> = async ({ args: [wanted = ''], flags }, context) => {
  const { client } = await context.api()
  const { id, name } = await stored(client, wanted, context)
  if (!flags.yes)
    await confirmed(context, `Remove the template ${name}?`, `${programName()} templates remove ${name} --yes`)
  printResult(context, await client.removeTemplate({ params: { id } }), () => `Template ${name} was removed.`)
}

export const exportTemplate: Handler<typeof exportTemplateFlags> = async ({ args: [wanted = ''], flags }, context) => {
  const { client } = await context.api()
  const found = await chosen(client, wanted, flags, context)
  const content = writeTemplateFile(found)
  if (flags.output === undefined) return context.json ? context.out.json(found) : context.out.print(content.trimEnd())
  await writeFile(flags.output, content)
  context.out.note(`Written to ${flags.output}.`)
}

export const importTemplates: Handler<typeof importTemplateFlags> = async ({ args, flags }, context) => {
  const files: (TemplateFile & { name: string })[] = []
  // All are read first: nothing is added if one can't be read.
  for (const path of args) {
    const file = await fileAt(path)
    files.push({ ...file, name: file.name ?? basename(path).replace(/\.(md|markdown|txt)$/i, '') })
  }
  if (files.length === 0) throw wrongUsage('Name the files to import.')
  const { client } = await context.api()
  const agentGroupId = flags.group === undefined ? undefined : await findGroup(client, flags.group)
  const { templates } = await client.listTemplates({})
  const done: Template[] = []
  for (const { name, description, text } of files) {
    const before = templates.find(
      (one) => one.name === name && one.source !== 'workspace' && one.agentGroupId === (agentGroupId ?? null),
    )
    if (before?.id && !flags.replace)
      throw new Failure({
        exit: exit.conflict,
        code: 'template_name_taken',
        message: `There is a template ${name} already.${done.length === 0 ? '' : ` Imported before it: ${done.map((one) => one.name).join(', ')}.`}`,
        hint: 'To replace it: --replace',
      })
    const fields = { name, description, text }
    done.push(
      before?.id
        ? await client.changeTemplate({ params: { id: before.id }, body: fields })
        : await client.addTemplate({ body: { ...fields, ...(agentGroupId !== undefined && { agentGroupId }) } }),
    )
  }
  printResult(context, { templates: done }, () => done.map(({ name }) => `Imported ${name}.`).join('\n'))
}
