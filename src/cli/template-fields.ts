import type { TemplateField } from '../domain/template/about.ts'
import { isRecord } from '../lib/parse-json.ts'

const textOrNull = (value: unknown): string | null => (typeof value === 'string' ? value : null)

/** The fields that a fault names. */
export function parseFields(details: unknown): readonly TemplateField[] {
  const fields = isRecord(details) && Array.isArray(details['fields']) ? details['fields'] : []
  return fields.filter(isRecord).flatMap(({ name, choices, default: usual }) =>
    typeof name === 'string'
      ? [
          {
            name,
            choices: Array.isArray(choices) ? choices.filter((choice) => typeof choice === 'string') : null,
            default: textOrNull(usual),
          },
        ]
      : [],
  )
}
