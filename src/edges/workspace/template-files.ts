import { opendir } from 'node:fs/promises'
import { fieldsOf, misfitOf, mostTemplateText, readTemplateFile } from '../../domain/template/about.ts'
import { TemplateName, type Template } from '../../domain/template/schema.ts'
import { readPlainFile } from '../../lib/plain-file.ts'
import { bestHold, openDirectory, type Directory } from './held-directory.ts'
import { errnoOf } from './errno.ts'
import { textOf } from './workspace-files.ts'

/** Where a workspace keeps its templates of prompts. */
export const templateFolder = '.signalbox/prompts'

const mostFiles = 200
/** Of the folder, before it is given up: it may be full of other files. */
const mostEntries = 2000
const mostBytes = mostTemplateText * 4

export type TemplateFiles = { templates: Template[]; problems: { path: string; why: string }[] }

/** The templates in the files of a workspace. Links are not followed, and nothing but text is read. */
export async function readTemplateFiles(root: string): Promise<TemplateFiles> {
  const found: TemplateFiles = { templates: [], problems: [] }
  await using stack = new AsyncDisposableStack()
  let folder: Directory | null = null
  try {
    const top = await openDirectory(bestHold(), root)
    stack.defer(() => top.close())
    const own = await top.child('.signalbox')
    stack.defer(() => own.close())
    folder = await own.child('prompts')
    stack.defer(() => folder?.close())
  } catch (error) {
    if (errnoOf(error) !== 'ENOENT') found.problems.push({ path: templateFolder, why: 'It is not a plain directory.' })
    return found
  }
  const names = await namesIn(folder, found)
  for (const name of names) {
    const path = `${templateFolder}/${name}`
    const read = await readTemplate(folder, name)
    if (typeof read === 'string') found.problems.push({ path, why: read })
    else found.templates.push({ ...read, path })
  }
  return found
}

async function namesIn(folder: Directory, { problems }: TemplateFiles): Promise<string[]> {
  const names: string[] = []
  let seen = 0
  for await (const { name } of await opendir(folder.entry('.'))) {
    seen += 1
    if (name.endsWith('.md')) names.push(name)
    if (seen < mostEntries) continue
    problems.push({ path: templateFolder, why: `It has more than ${mostEntries} entries.` })
    break
  }
  if (names.length > mostFiles)
    problems.push({ path: templateFolder, why: `It has more than ${mostFiles} templates; only the first are offered.` })
  return names.toSorted().slice(0, mostFiles)
}

/** The template, or why it is not one. */
async function readTemplate(folder: Directory, file: string): Promise<Template | string> {
  const named = TemplateName.safeParse(file.slice(0, -'.md'.length))
  if (!named.success) return 'Its name must be lower-case letters, digits, - and _, at most 64.'
  const read = await readPlainFile(folder.entry(file), mostBytes)
  if (read.kind !== 'file') return read.kind === 'odd' ? `It ${read.why}.` : 'It is gone.'
  const content = textOf(read.bytes)
  if (content === null) return 'It is not text in UTF-8.'
  const parsed = readTemplateFile(content)
  if (!parsed.ok) return parsed.fault.message
  const { text, description } = parsed.value
  if (text === '') return 'It is empty.'
  if (text.length > mostTemplateText) return `It has more than ${mostTemplateText} characters.`
  const misfit = misfitOf(text)
  if (misfit) return misfit.fault.message
  return {
    id: null,
    name: named.data,
    source: 'workspace',
    description: description.replace(/\p{Cc}/gu, ' ').slice(0, 200),
    text,
    fields: fieldsOf(text),
    agentGroupId: null,
    groupName: null,
    path: null,
    revision: null,
    updatedAt: null,
    mayChange: false,
  }
}
