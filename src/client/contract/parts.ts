import * as z from 'zod'

/** Opaque cursor, taken from `next` of the previous page. */
export const PageCursor = z.string().max(200)

/** A comma-separated list of known values, as in `?status=active,error`. */
export const listOf = <T extends string>(words: readonly [T, ...T[]]) =>
  z
    .string()
    .max(1000)
    .transform((text) => text.split(',').filter((word) => word !== ''))
    .pipe(z.array(z.enum(words)).min(1))
    .meta({ description: `Comma-separated: ${words.join(', ')}.`, type: 'string' })

const digits = z
  .string()
  .regex(/^\d{1,15}$/, 'must be a whole number')
  .transform(Number)

/** A plain whole number; not 0x10, not 1e3. */
export const count = (least: number, most: number, usual: number) =>
  z
    .union([z.int(), digits])
    .pipe(z.number().min(least).max(most))
    .default(usual)
    .meta({ type: 'integer', minimum: least, maximum: most, default: usual })

export const limit = (most: number, usual: number) => count(1, most, usual)

export const time = z.iso
  .datetime({ offset: true })
  .transform((text) => new Date(text).toISOString())
  // Years beyond 9999 are written with more digits, and would sort before all others.
  .refine((text) => text.length === 24, 'must be a time between the years 0 and 9999')

/** What happened to one file. */
export const FileChange = z.object({
  path: z.string(),
  change: z.enum(['added', 'modified', 'deleted', 'renamed']),
  added: z.int().meta({ description: 'Lines.' }),
  removed: z.int(),
})
export type FileChange = z.infer<typeof FileChange>
