import type { Json } from '../../lib/json.ts'
import { cleanLine } from '../clean-text.ts'
import { fieldOf, listField, textField } from '../json-fields.ts'

type FieldChoice = { value: string; label: string }

/** One field of a form, from the agent's JSON schema. */
export type AskedField = {
  name: string
  title: string
  about: string | null
  type: 'text' | 'number' | 'integer' | 'boolean' | 'list'
  choices: readonly FieldChoice[]
  required: boolean
  fallback: Json | undefined
  schema: unknown
}

export function fieldsOf(schema: unknown): AskedField[] {
  const properties = fieldOf(schema, 'properties')
  const required = listField(schema, 'required')
  if (properties === null || typeof properties !== 'object') return []
  return Object.entries(properties).map(([name, property]): AskedField => {
    const kind = typeOf(property)
    return {
      name,
      title: cleanLine(textField(property, 'title') ?? name),
      about: textField(property, 'description'),
      type: kind,
      choices: choicesIn(kind === 'list' ? fieldOf(property, 'items') : property),
      required: required.includes(name),
      fallback: fieldOf(property, 'default') as Json | undefined,
      schema: property,
    }
  })
}

function typeOf(property: unknown): AskedField['type'] {
  const type = fieldOf(property, 'type')
  if (type === 'number' || type === 'integer' || type === 'boolean') return type
  return type === 'array' ? 'list' : 'text'
}

function choicesIn(property: unknown): FieldChoice[] {
  const titled = [...listField(property, 'oneOf'), ...listField(property, 'anyOf')].flatMap((entry) => {
    const value = textField(entry, 'const')
    return value === null ? [] : [{ value, label: cleanLine(textField(entry, 'title') ?? value) }]
  })
  if (titled.length > 0) return titled
  const names = listField(property, 'enumNames')
  return listField(property, 'enum').flatMap((value, index) =>
    typeof value === 'string' ? [{ value, label: cleanLine(labelOf(names[index], value)) }] : [],
  )
}

const labelOf = (name: unknown, value: string): string => (typeof name === 'string' ? name : value)

/** The lines shown before the field's prompt. */
export function fieldLines(field: AskedField): string[] {
  const { title, about, choices } = field
  return [
    `${title}${field.required ? '' : ' (optional)'}`,
    ...(about === null ? [] : [`  ${cleanLine(about)}`]),
    ...choices.map(({ label }, index) => `  [${index + 1}] ${label}`),
  ]
}

export function fieldPrompt({ type, choices, fallback }: AskedField): string {
  const hint = hintOf(type, choices.length)
  const otherwise = fallback === undefined ? '' : `; Enter for ${cleanLine(JSON.stringify(fallback))}`
  return hint + otherwise === '' ? '> ' : `(${hint}${otherwise}) > `.replace('(; ', '(')
}

function hintOf(type: AskedField['type'], choices: number): string {
  if (type === 'list') return choices > 0 ? 'numbers, comma-separated' : 'comma-separated'
  if (choices > 0) return `1–${choices}`
  if (type === 'boolean') return 'y/n'
  return type === 'text' ? '' : type.replace('integer', 'whole number')
}

export type FieldResult = { value: Json | undefined } | { problem: string }

/** The typed value. An empty line skips an optional field. */
export function readField(field: AskedField, line: string): FieldResult {
  const text = line.trim()
  if (text === '') {
    if (field.fallback !== undefined || !field.required) return { value: field.fallback }
    return { problem: 'Required. /decline gives no answer at all.' }
  }
  switch (field.type) {
    case 'boolean':
      if (/^(?:y|yes|true)$/i.test(text)) return { value: true }
      return /^(?:n|no|false)$/i.test(text) ? { value: false } : { problem: 'Enter y or n.' }
    case 'number':
    case 'integer':
      return readNumber(field, text)
    case 'list':
      return readList(field, text)
    case 'text':
      return readText(field, text)
    default:
      return field.type satisfies never
  }
}

function readNumber({ type, schema }: AskedField, text: string): FieldResult {
  const value = Number(text)
  if (!Number.isFinite(value) || (type === 'integer' && !Number.isInteger(value)))
    return { problem: `This must be a ${type === 'integer' ? 'whole number' : 'number'}.` }
  const least = fieldOf(schema, 'minimum')
  const most = fieldOf(schema, 'maximum')
  if (typeof least === 'number' && value < least) return { problem: `It must be at least ${least}.` }
  return typeof most === 'number' && value > most ? { problem: `It must be at most ${most}.` } : { value }
}

function readText(field: AskedField, text: string): FieldResult {
  if (field.choices.length > 0) return choose(field, text)
  const least = fieldOf(field.schema, 'minLength')
  const most = fieldOf(field.schema, 'maxLength')
  if (typeof least === 'number' && text.length < least) return { problem: `At least ${least} characters, please.` }
  return typeof most === 'number' && text.length > most
    ? { problem: `At most ${most} characters, please.` }
    : { value: text }
}

function choose({ choices }: AskedField, text: string): { value: string } | { problem: string } {
  const wanted = text.toLowerCase()
  const found =
    choices[Number(text) - 1] ??
    choices.find(({ value, label }) => value.toLowerCase() === wanted || label.toLowerCase() === wanted)
  return found ? { value: found.value } : { problem: `Choose 1 to ${choices.length}.` }
}

function readList(field: AskedField, text: string): FieldResult {
  const parts = text
    .split(',')
    .map((part) => part.trim())
    .filter((part) => part !== '')
  if (field.choices.length === 0) return { value: parts }
  const values: string[] = []
  for (const part of parts) {
    const chosen = choose(field, part)
    if ('problem' in chosen) return chosen
    values.push(chosen.value)
  }
  return { value: values }
}
