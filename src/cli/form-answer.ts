import type { Json } from '../lib/json.ts'
import { cleanLine } from './clean-text.ts'
import { wrongUsage } from './failure.ts'
import { fieldOf } from './json-fields.ts'
import { fieldsOf, readField, type AskedField } from './live/form.ts'
import { isList, jsonOrNull } from '../lib/parse-json.ts'

/** Parses `name=value` words by the form's schema; a number picks a choice by its position. */
export function fillForm(schema: unknown, words: readonly string[], content: Json): Json {
  const fields = fieldsOf(schema)
  if (fields.length === 0) return content
  const [first = ''] = words
  const isJson = words.length === 1 && /^[[{]/.test(first)
  const filled = new Map<string, Json>()
  const given = isJson ? Object.entries(Object(content)) : words.map(pair)
  for (const [name, value] of given) {
    const field = fields.find((one) => one.name === name)
    if (!field)
      throw wrongUsage(
        `The form has no field ${cleanLine(name)}.`,
        `It has: ${fields.map((one) => cleanLine(one.name)).join(', ')}.`,
      )
    const read = typeof value === 'string' ? readValue(field, value) : (value as Json)
    if (read !== undefined) filled.set(name, read)
  }
  const missing = fields.filter(({ name, required }) => required && !filled.has(name))
  for (const { name, fallback } of missing) if (fallback !== undefined) filled.set(name, fallback)
  const needed = missing.filter(({ fallback }) => fallback === undefined)
  if (needed.length > 0)
    throw wrongUsage(
      `The form also needs ${needed.map(({ name }) => cleanLine(name)).join(', ')}.`,
      needed.map(allowedWords).join('\n'),
    )
  return Object.fromEntries(filled)
}

const pair = (word: string): [string, string] => [word.slice(0, word.indexOf('=')), word.slice(word.indexOf('=') + 1)]

function readValue(field: AskedField, text: string): Json | undefined {
  // A value takes precedence over a position.
  if (field.type === 'text' && field.choices.some(({ value }) => value === text)) return text
  const list = field.type === 'list' && text.startsWith('[') ? textsOf(text) : null
  const read = readField(field, list?.join(',') ?? text)
  if ('value' in read) return read.value
  throw wrongUsage(
    `Invalid ${cleanLine(field.name)} "${cleanLine(text)}".`,
    field.choices.length === 0 ? read.problem : allowedWords(field),
  )
}

const textsOf = (text: string): string[] | null => jsonOrNull(text, isList)?.map(String) ?? null

/** The values a field accepts. */
function allowedWords({ name, title, choices, type, schema }: AskedField): string {
  const values = choices.map(({ value }, index) => `${cleanLine(value)} (or ${index + 1})`)
  const kind = { text: 'text', number: 'a number', integer: 'a whole number', boolean: 'y or n', list: 'a,b,c' }[type]
  const one = fieldOf(schema, 'title') === undefined ? '' : ` (${title})`
  return `${cleanLine(name)}${one}: ${values.length === 0 ? kind : values.join(', ')}`
}

/** The form as text: a line for each field and each choice. */
export function formLines(schema: unknown): string[] {
  const linesOf = ({ name, title, about, choices, required, type }: AskedField): string[] => [
    `  ${cleanLine(name)}${title === name ? '' : `: ${title}`}${required ? '' : ' (optional)'}${kindWords(type)}`,
    ...(about === null ? [] : [`    ${cleanLine(about)}`]),
    ...choices.map(
      ({ value, label }, index) => `    [${index + 1}] ${cleanLine(value)}${label === value ? '' : `  ${label}`}`,
    ),
  ]
  return fieldsOf(schema).flatMap(linesOf)
}

const kindWords = (type: AskedField['type']): string =>
  ({ text: '', number: ', a number', integer: ', a whole number', boolean: ', y or n', list: ', comma-separated' })[
    type
  ]
