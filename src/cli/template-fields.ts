import * as z from 'zod'
import type { TemplateField } from '../domain/template/about.ts'

const Details = z.object({
  fields: z.array(
    z.object({ name: z.string(), choices: z.array(z.string()).nullable(), default: z.string().nullable() }),
  ),
})

/** The fields that a fault names. */
export function parseFields(details: unknown): readonly TemplateField[] {
  const read = Details.safeParse(details)
  return read.success ? read.data.fields : []
}
