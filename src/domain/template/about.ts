import { fail, ok, type Failed, type Result } from '../../lib/result.ts'
import type { Template } from './schema.ts'

/** A place in a template that is filled in before it is sent. */
export type TemplateField = {
  readonly name: string
  /** The values to choose from; null if any text will do. */
  readonly choices: string[] | null
  /** Used if no value is given; null if one has to be given. */
  readonly default: string | null
}

export type TemplateValues = Readonly<Record<string, string>>

export const mostTemplateFields = 20
export const mostTemplateText = 100_000
export const mostTemplateValue = 100_000
const mostChoices = 50
/** What a prompt may have. */
const mostFilled = 1_000_000

/** `{name}`, `{name=default}`, `{name:one|two}`, `{name:one|two=two}`. One choice alone is not a field: `{color:red}` is text. */
const body = String.raw`([A-Za-z][A-Za-z0-9_-]{0,39})(?::([^{}\n=|]*\|[^{}\n=]*))?(?:=([^{}\n]*))?`
/** In two braces a field is text, and after a dollar sign, as in scripts. */
const pattern = () => new RegExp(String.raw`\{\{${body}\}\}|(?<!\$)\{${body}\}`, 'g')

type Found = { readonly field: TemplateField | null; readonly whole: string; readonly at: number }

function* fieldsIn(text: string): Generator<Found> {
  for (const match of text.matchAll(pattern())) {
    const [whole, , , , name, choices, usual] = match
    const field =
      name === undefined
        ? null
        : {
            name,
            choices: choices === undefined ? null : choices.split('|').map((choice) => choice.trim()),
            default: usual ?? null,
          }
    yield { field, whole, at: match.index }
  }
}

/** Each field once, in the order of the text. A later mention can leave out choices and default. */
export function fieldsOf(text: string): TemplateField[] {
  const fields = new Map<string, TemplateField>()
  for (const { field } of fieldsIn(text)) {
    if (!field) continue
    const before = fields.get(field.name)
    if (!before || (isBare(before) && !isBare(field))) fields.set(field.name, field)
  }
  return [...fields.values()]
}

const isBare = (field: TemplateField): boolean => field.choices === null && field.default === null

/** Why a text can't be a template; null if it can. */
export function misfitOf(text: string): Failed | null {
  const fields = fieldsOf(text)
  if (fields.length > mostTemplateFields) return unfit(`It has more than ${mostTemplateFields} fields.`)
  for (const field of fields) {
    const { name, choices, default: usual } = field
    if (choices && choices.length > mostChoices) return unfit(`The field ${name} has more than ${mostChoices} choices.`)
    if (choices?.includes('')) return unfit(`A choice of the field ${name} is empty.`)
    if (choices && usual !== null && !choices.includes(usual))
      return unfit(`The default of the field ${name} is not one of its choices.`)
  }
  for (const { field } of fieldsIn(text)) {
    const meant = field && fields.find(({ name }) => name === field.name)
    if (field && meant && !isBare(field) && !isSame(field, meant))
      return unfit(`The field ${field.name} has two different definitions.`)
  }
  return null
}

const isSame = (one: TemplateField, other: TemplateField): boolean =>
  one.default === other.default && (one.choices ?? []).join('|') === (other.choices ?? []).join('|')

const unfit = (message: string): Failed =>
  fail({
    kind: 'invalid',
    code: 'invalid_template',
    message,
    hint: 'Fields: {name}, {name=default}, {name:one|two}. To write a brace around a word as text, double it: {{name}}.',
  })

/** Fields that need a value and have none. */
export const unfilled = (fields: readonly TemplateField[], values: TemplateValues): TemplateField[] =>
  fields.filter((field) => field.default === null && (valueFor(field, values) ?? '').trim() === '')

const valueFor = ({ name }: TemplateField, values: TemplateValues): string | undefined =>
  Object.hasOwn(values, name) ? values[name] : undefined

/** The text with its fields filled in. Values are not searched for fields again. */
export function fillTemplate(text: string, values: TemplateValues): Result<string> {
  const fields = fieldsOf(text)
  const unknown = Object.keys(values).filter((name) => !fields.some((field) => field.name === name))
  const names = fields.map(({ name }) => name)
  if (unknown.length > 0)
    return fail({
      kind: 'invalid',
      code: 'unknown_field',
      message: `The template has no field ${unknown.map((name) => JSON.stringify(name)).join(', ')}.`,
      hint: names.length === 0 ? 'It has no fields.' : `Its fields: ${names.join(', ')}.`,
    })
  const missing = unfilled(fields, values).map(({ name }) => name)
  if (missing.length > 0)
    return fail({
      kind: 'invalid',
      code: 'missing_fields',
      message: `${missing.length === 1 ? 'A field needs' : `${missing.length} fields need`} a value: ${missing.join(', ')}.`,
      details: { fields: missing },
    })
  const filled = new Map<string, string>()
  for (const field of fields) {
    const value = valueFor(field, values) ?? field.default ?? ''
    if (field.choices && !field.choices.includes(value))
      return fail({
        kind: 'invalid',
        code: 'value_not_offered',
        message: `The field ${field.name} can't be ${JSON.stringify(value.slice(0, 100))}.`,
        hint: `Its values: ${field.choices.join(', ')}.`,
      })
    if (value.length > mostTemplateValue) return tooLong(`The value of ${field.name}`, mostTemplateValue)
    filled.set(field.name, value)
  }
  return put(text, filled)
}

function put(text: string, filled: ReadonlyMap<string, string>): Result<string> {
  const parts: string[] = []
  let length = 0
  let end = 0
  const add = (part: string) => {
    length += part.length
    // Checked while it grows: one field can be mentioned many times.
    if (length <= mostFilled) parts.push(part)
  }
  for (const { field, whole, at } of fieldsIn(text)) {
    add(text.slice(end, at))
    add(field ? (filled.get(field.name) ?? '') : whole.slice(1, -1))
    end = at + whole.length
  }
  add(text.slice(end))
  return length > mostFilled ? tooLong('The prompt', mostFilled) : ok(parts.join(''))
}

const tooLong = (what: string, most: number): Failed =>
  fail({ kind: 'too_large', code: 'prompt_too_long', message: `${what} has more than ${most} characters.` })

/** A template as a file: Markdown, with its name and description in front. */
export type TemplateFile = {
  readonly name: string | null
  readonly description: string
  readonly text: string
}

const fence = '---'
const lineBreaks = /\r\n?/g

/** Reads `key: value` lines between two lines of `---`, if the file begins with one. */
export function readTemplateFile(content: string): Result<TemplateFile> {
  const text = content.replace(/^\uFEFF/, '').replace(lineBreaks, '\n')
  if (!text.startsWith(`${fence}\n`)) return ok({ name: null, description: '', text: text.trim() })
  const end = text.indexOf(`\n${fence}\n`, fence.length)
  const closed = end === -1 && text.endsWith(`\n${fence}`) ? text.length - fence.length - 1 : end
  // Without an end it is a line of the text.
  if (closed === -1) return ok({ name: null, description: '', text: text.trim() })
  const known: { name?: string; description?: string } = {}
  for (const line of text.slice(fence.length, closed).split('\n')) {
    if (line.trim() === '' || line.startsWith('#')) continue
    const colon = line.indexOf(':')
    const key = line.slice(0, Math.max(colon, 0)).trim()
    const value = unquoted(line.slice(colon + 1).trim())
    if (key === 'name') known.name = value
    else if (key === 'description') known.description = value
    else
      return fail({
        kind: 'invalid',
        code: 'invalid_template_file',
        message: `A line before the text is neither a name nor a description: ${JSON.stringify(line.slice(0, 100))}.`,
      })
  }
  const rest = text.slice(closed + fence.length + 2)
  return ok({ name: known.name ?? null, description: known.description ?? '', text: rest.trim() })
}

const unquoted = (value: string): string =>
  value.length > 1 && /^(["']).*\1$/.test(value) ? value.slice(1, -1) : value

const oneLine = (text: string): string => text.replace(/\s+/g, ' ').trim()

/** The file that `readTemplateFile` reads back. */
export function writeTemplateFile({ name, description, text }: TemplateFile & { readonly name: string }): string {
  const about = oneLine(description)
  const head = [`name: ${name}`, ...(about === '' ? [] : [`description: ${about}`])]
  return [fence, ...head, fence, text, ''].join('\n')
}

const inOrder = ['own', 'workspace', 'group'] as const

/** By id, by name, or as GROUP/NAME. A person's own comes first, then that of the workspace, then those of groups. */
export function chooseTemplate(templates: readonly Template[], wanted: string): Result<Template> {
  const byId = templates.find(({ id }) => id !== null && id === wanted.toLowerCase())
  if (byId) return ok(byId)
  const slash = wanted.lastIndexOf('/')
  const name = wanted.slice(slash + 1)
  const group = slash === -1 ? null : wanted.slice(0, slash)
  const named = templates.filter((one) => one.name === name && (group === null || one.groupName === group))
  for (const source of inOrder) {
    const found = named.filter((one) => one.source === source)
    const [first] = found
    if (first && found.length === 1) return ok(first)
    if (found.length > 1)
      return fail({
        kind: 'conflict',
        code: 'ambiguous_template',
        message: `Several agent groups have a template ${name}.`,
        hint: `Name one: ${found.map(({ groupName }) => `${groupName ?? ''}/${name}`).join(', ')}.`,
      })
  }
  return fail({
    kind: 'not_found',
    code: 'template_not_found',
    message: `Template ${JSON.stringify(wanted.slice(0, 200))} not found.`,
    hint: 'To list them: signalbox templates',
  })
}
