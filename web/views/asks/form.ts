/** One field of an agent's form. */
export type FormField = {
  name: string
  label: string
  hint: string | null
  required: boolean
} & (
  | {
      type: 'text'
      format: 'text' | 'email' | 'url' | 'date' | 'datetime-local'
      long: boolean
      initial: string
      most: number | null
      least: number | null
    }
  | { type: 'number'; whole: boolean; initial: string; least: number | null; most: number | null }
  | { type: 'yes_no'; initial: boolean }
  | { type: 'one_of'; choices: FormChoice[]; initial: string }
  | { type: 'some_of'; choices: FormChoice[]; initial: string[]; least: number | null; most: number | null }
)
export type FormChoice = { value: string; label: string }
export type Filled = Readonly<Record<string, string | boolean | readonly string[]>>

type FormPart = Readonly<Record<string, unknown>>
const record = (value: unknown): FormPart =>
  typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as FormPart) : {}
const list = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : [])
const words = (value: unknown): string | null => (typeof value === 'string' && value !== '' ? value : null)
const figure = (value: unknown): number | null => (typeof value === 'number' ? value : null)

const formats: Readonly<Record<string, 'email' | 'url' | 'date' | 'datetime-local'>> = {
  email: 'email',
  uri: 'url',
  date: 'date',
  'date-time': 'datetime-local',
}

/** Reads the flat schemas of forms; fields of an unknown kind become text. */
export function fieldsOf(schema: unknown): FormField[] {
  const { properties, required } = record(schema)
  return Object.entries(record(properties)).map(([name, value]) => fieldOf(name, record(value), list(required)))
}

function fieldOf(name: string, part: FormPart, required: readonly unknown[]): FormField {
  const common = {
    name,
    label: words(part['title']) ?? name,
    hint: words(part['description']),
    required: required.includes(name),
  }
  const preset = part['default']
  if (part['type'] === 'boolean') return { ...common, type: 'yes_no', initial: preset === true }
  if (part['type'] === 'number' || part['type'] === 'integer') {
    const initial = typeof preset === 'number' ? String(preset) : ''
    const [least, most] = [figure(part['minimum']), figure(part['maximum'])]
    return { ...common, type: 'number', whole: part['type'] === 'integer', initial, least, most }
  }
  if (part['type'] === 'array') {
    const choices = choicesOf(record(part['items']))
    const initial = list(preset).filter((one) => typeof one === 'string')
    if (choices.length > 0)
      return {
        ...common,
        type: 'some_of',
        choices,
        initial,
        least: figure(part['minItems']),
        most: figure(part['maxItems']),
      }
  }
  const choices = choicesOf(part)
  const initial = typeof preset === 'string' ? preset : ''
  if (choices.length > 0) return { ...common, type: 'one_of', choices, initial }
  const format = formats[words(part['format']) ?? ''] ?? 'text'
  const [least, most] = [figure(part['minLength']), figure(part['maxLength'])]
  return {
    ...common,
    type: 'text',
    format,
    long: format === 'text' && (most === null || most > 120),
    initial,
    least,
    most,
  }
}

/** `enum` with `enumNames`, or `oneOf`/`anyOf` of constants with titles. */
function choicesOf(part: FormPart): FormChoice[] {
  const names = list(part['enumNames'])
  const plain = list(part['enum']).flatMap((value, index) => choiceOf(value, names[index]))
  const titled = [...list(part['oneOf']), ...list(part['anyOf'])].map(record)
  return plain.length > 0 ? plain : titled.flatMap(({ const: value, title }) => choiceOf(value, title))
}

const choiceOf = (value: unknown, title: unknown): FormChoice[] =>
  typeof value === 'string' ? [{ value, label: words(title) ?? value }] : []

export const initialOf = (fields: readonly FormField[]): Filled =>
  Object.fromEntries(fields.map(({ name, initial }) => [name, initial]))

type FieldValue = string | number | boolean | readonly string[]
export type FieldReading = { content: Record<string, FieldValue>; faults: Record<string, string> }

/** The filled-in form as sent to the agent, and its errors. Empty optional fields are left out. */
export function readForm(fields: readonly FormField[], filled: Filled): FieldReading {
  const read: FieldReading = { content: {}, faults: {} }
  for (const field of fields) {
    const given = filled[field.name] ?? field.initial
    const isEmpty = given === '' || (Array.isArray(given) && given.length === 0)
    if (isEmpty && !field.required) continue
    const fault = isEmpty ? 'Required.' : faultOf(field, given)
    if (fault !== null) read.faults[field.name] = fault
    else read.content[field.name] = valueOf(field, given)
  }
  return read
}

function valueOf(field: FormField, given: Filled[string]): FieldValue {
  if (field.type === 'number') return Number(given)
  // Browsers leave out the time zone; use the local one.
  return field.type === 'text' && field.format === 'datetime-local' ? new Date(String(given)).toISOString() : given
}

function faultOf(field: FormField, given: Filled[string]): string | null {
  switch (field.type) {
    case 'number': {
      const value = Number(given)
      if (!Number.isFinite(value)) return 'Must be a number.'
      if (field.whole && !Number.isInteger(value)) return 'Must be a whole number.'
      return outside(value, field, '')
    }
    case 'text':
      if (field.format === 'datetime-local' && Number.isNaN(Date.parse(String(given))))
        return 'Must be a date and time.'
      return outside(String(given).length, field, ' characters')
    case 'some_of':
      return outside(Array.isArray(given) ? given.length : 0, field, ' of them')
    case 'one_of':
      return field.choices.some(({ value }) => value === given) ? null : 'Choose one of the options.'
    case 'yes_no':
      return null
    default:
      return field satisfies never
  }
}

function outside(
  size: number,
  { least, most }: { least: number | null; most: number | null },
  unit: string,
): string | null {
  if (least !== null && size < least) return `At least ${least}${unit}.`
  return most !== null && size > most ? `At most ${most}${unit}.` : null
}
