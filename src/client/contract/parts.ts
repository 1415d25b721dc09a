import * as z from 'zod'

/** Where a list goes on: opaque, taken from `next` of the page before. */
export const PageCursor = z.string().max(200)

/** A comma-separated list of known words, as in `?status=active,error`. */
export const listOf = <T extends string>(words: readonly [T, ...T[]]) =>
  z
    .string()
    .max(1000)
    .transform((text) => text.split(',').filter((word) => word !== ''))
    .pipe(z.array(z.enum(words)).min(1))
    .meta({ description: `Comma-separated: ${words.join(', ')}.`, type: 'string' })

export const limit = (most: number, usual: number) => z.coerce.number().int().min(1).max(most).default(usual)

export const time = z.iso.datetime({ offset: true }).transform((text) => new Date(text).toISOString())
